"""Verify C programs, solve SMT-LIB scripts and Horn clauses."""

from collections.abc import Sequence
from typing import Literal, final

__version__: str

class Refused(ValueError):
    """The program, the property or the clauses cannot be understood."""

@final
class Invariant:
    """What holds whenever a loop head is reached."""

    file: str
    line: int
    function: str
    c: str
    text: str

@final
class Input:
    """A value that the program asked for."""

    name: str
    value: str
    line: int

@final
class Step:
    """What happened at one line."""

    line: int
    function: str
    words: list[str]
    changes: list[tuple[str, str]]

@final
class Violation:
    """How a property fails."""

    property: str
    description: str
    file: str
    line: int
    inputs: list[Input]
    steps: list[Step]

@final
class Drawing:
    """Shows itself in a notebook."""

    name: str
    svg: str
    def _repr_svg_(self) -> str: ...

@final
class Verification:
    """A verdict with its evidence; shows itself in a notebook."""

    verdict: Literal["true", "false", "unknown"]
    decided_by: str | None
    seconds: float
    obligations: int
    invariants: list[Invariant]
    violation: Violation | None
    reason: str | None
    witness: str | None
    harness: str | None
    drawings: list[Drawing]
    def _repr_html_(self) -> str: ...

@final
class Answers:
    """What a script answered."""

    answers: list[str]
    errors: int

@final
class Clauses:
    """What is known of a system of Horn clauses."""

    verdict: Literal["sat", "unsat", "unknown"]
    evidence: str
    reason: str | None

def verify(
    text: str | None = None,
    *,
    files: Sequence[str] = (),
    property: str | Sequence[str] = (),
    entry: str | None = None,
    ilp32: bool = False,
    engine: str | None = None,
    threads: int = 1,
    time: float | None = None,
    cpu_time: float | None = None,
    memory: int | None = None,
) -> Verification:
    """Prove that a property of a C program holds, or show how it fails.

    The program is given as text without preprocessor directives, or as files.
    Times are in seconds, memory is in bytes.
    """

def solve_script(
    text: str, *, time: float | None = None, cpu_time: float | None = None, memory: int | None = None
) -> Answers:
    """Run an SMT-LIB script; each check has the limits for itself."""

def solve_clauses(
    text: str, *, time: float | None = None, cpu_time: float | None = None, memory: int | None = None
) -> Clauses:
    """Decide a system of constrained Horn clauses (SMT-LIB, logic HORN)."""
