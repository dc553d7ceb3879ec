// Starts `bolide lsp` for C files. All the work happens in the server.
"use strict";
const { workspace, window } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function activate(context) {
  const settings = workspace.getConfiguration("bolide");
  const run = {
    command: settings.get("path"),
    args: ["lsp"],
    transport: TransportKind.stdio,
  };
  client = new LanguageClient(
    "bolide",
    "Bolide",
    { run, debug: run },
    {
      documentSelector: [{ scheme: "file", language: "c" }],
      initializationOptions: {
        properties: settings.get("properties"),
        timeout: settings.get("timeout"),
        cpuTime: settings.get("cpuTime"),
        arguments: settings.get("arguments"),
      },
    },
  );
  context.subscriptions.push({ dispose: () => client.stop() });
  return client.start().catch((error) => {
    window.showErrorMessage(
      `Bolide did not start (${error.message}). Is \`${run.command}\` installed? ` +
        "Set `bolide.path` to where it is.",
    );
  });
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
