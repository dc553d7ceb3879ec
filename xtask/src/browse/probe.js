// Added to the end of a report by `cargo xtask browse`; see browse.rs.
(function () {
  const wrong = [], byId = (id) => document.getElementById(id);
  const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const now = (what) => Array.from(document.querySelectorAll(what + ".now"));
  const steps = Array.from(document.querySelectorAll("#steps > li"));
  const at = (i, how) => {
    const step = steps[i], line = byId(step.dataset.l);
    const marked = now("#steps > li");
    if (marked.length !== 1 || marked[0] !== step) wrong.push(`${how}: step ${i + 1} is not the marked one`);
    const lines = now(".l");
    if (line ? lines.length !== 1 || lines[0] !== line : lines.length !== 0)
      wrong.push(`${how}: step ${i + 1} does not mark its line`);
    if (byId("at").textContent !== `step ${i + 1} of ${steps.length}`) wrong.push(`${how}: the counter at ${i + 1}`);
  };
  // No heading without content, as the page opens.
  for (const heading of document.querySelectorAll("h2, h3")) {
    const shown = heading.offsetParent !== null, around = heading.parentElement;
    const empty = around.textContent.trim() === heading.textContent.trim() && !around.querySelector("svg");
    if (shown && empty) wrong.push(`nothing below ${heading.textContent}`);
  }
  if (steps.length) {
    at(steps.length - 1, "opening");
    press("Home");
    at(0, "Home");
    for (let i = 1; i < steps.length; i++) { press("ArrowRight"); at(i, "arrow"); }
    press("ArrowRight");
    at(steps.length - 1, "past the end");
    for (let i = steps.length - 2; i >= 0 && i > steps.length - 12; i--) { byId("previous").click(); at(i, "button"); }
    byId("last").click();
    at(steps.length - 1, "last");
    const bad = document.querySelector(".l.bad");
    if (bad && !bad.classList.contains("now")) wrong.push("the last step is not the violation");
  }
  const choice = byId("choice");
  let drawings = 0;
  for (const option of choice ? Array.from(choice.options) : []) {
    choice.value = option.value;
    choice.dispatchEvent(new Event("change"));
    if (byId("view").querySelector("svg")) drawings++;
    else wrong.push(`no drawing of ${option.textContent}`);
  }
  const notes = document.querySelectorAll(".note").length;
  const found = document.createElement("pre");
  found.id = "probe";
  found.textContent = `steps ${steps.length}; drawings ${drawings}; notes ${notes}; wrong ${wrong.length}\n`
    + wrong.slice(0, 20).join("\n");
  document.body.appendChild(found);
})();
