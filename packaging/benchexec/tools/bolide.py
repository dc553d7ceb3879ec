"""How BenchExec starts Bolide and understands what it says.

PYTHONPATH=packaging/benchexec benchexec --tool-directory DIR packaging/benchexec/bolide.xml, where DIR holds the
binary; see the book (docs/benchmarks.md).
"""

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.sv_benchmarks_util import ILP32, LP64, get_data_model_from_task

# What the verdict names, as the competition has it. Other names are reported as they are.
VIOLATIONS = {
    "unreach-call": result.RESULT_FALSE_REACH,
    "no-overflow": result.RESULT_FALSE_OVERFLOW,
    "valid-deref": result.RESULT_FALSE_DEREF,
    "valid-free": result.RESULT_FALSE_FREE,
    "valid-memtrack": result.RESULT_FALSE_MEMTRACK,
    "valid-memcleanup": result.RESULT_FALSE_MEMCLEANUP,
}


class Tool(benchexec.tools.template.BaseTool2):
    """Tool info for Bolide, a verifier for C programs."""

    def executable(self, tool_locator):
        # In the competition's archive it lies in the root, in a release in `bin`.
        try:
            return tool_locator.find_executable("bolide")
        except benchexec.tools.template.ToolNotFoundException:
            return tool_locator.find_executable("bolide", subdir="bin")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="bolide ")

    def name(self):
        return "Bolide"

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "verify", "--no-config", "--quiet"]
        if task.property_file:
            command += ["--property", task.property_file]
        model = get_data_model_from_task(task, {ILP32: "ILP32", LP64: "LP64"})
        if model and "--data-model" not in options:
            command += ["--data-model", model]
        # A limit that Bolide keeps by itself ends in words; one that BenchExec keeps, in a kill.
        if rlimits.cputime and "--cpu-time" not in options:
            command += ["--cpu-time", f"{max(1, rlimits.cputime - 2)}s"]
        if rlimits.memory and "--memory" not in options:
            command += ["--memory", str(rlimits.memory * 9 // 10)]
        return command + list(options) + list(task.input_files_or_identifier)

    def determine_result(self, run):
        for line in reversed(run.output):
            if not line.startswith("RESULT: "):
                continue
            verdict = line.removeprefix("RESULT: ").strip()
            if verdict == "true":
                return result.RESULT_TRUE_PROP
            if verdict.startswith("false("):
                name = verdict.removeprefix("false(").removesuffix(")")
                return VIOLATIONS.get(name, f"false({name})")
            return result.RESULT_UNKNOWN
        if run.exit_code.value == 70:
            return "ERROR (internal)"
        if run.exit_code.value == 2:
            return "ERROR (input)"
        return result.RESULT_ERROR
