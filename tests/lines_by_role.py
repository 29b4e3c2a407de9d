"""Counts the lines of core/methods by role and method: what every method writes again should become less.

    python3 tests/lines_by_role.py [COMMIT ...]      a table in Markdown of the working tree, or of commits, oldest first
    python3 tests/lines_by_role.py --write           rewrites the tables of tests/LINES_BY_ROLE.md: of BEFORE and of now

A file's role follows from its name or its folder; what is left is the method's own physics. Standard library only.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, Tuple

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "tests" / "LINES_BY_ROLE.md"
BEFORE = "ba447bbf"  # one execution context, shapes in one table and touching solids came after it
FIRST = ("bdem", "fem", "lsdem", "peridem", "rigid")  # the methods that were there before any of it
METHODS = ("bdem", "fem", "fibre", "granular", "lsdem", "peridem", "rigid")
ROLES = (  # the first that fits a path below the method's folder
    ("cost", r"(^|/)cost\.[ch]$"),
    ("options", r"(^|/)options\.[ch]$"),
    ("checkpoint", r"(^|/)(checkpoint|nodes_blob)\.[ch]$"),
    ("check", r"(^|/)(check\w*|warn|start|limits|thickness|bounds|initial_overlap)\.[ch]$|^scene/(fineness|places|time_step|checker)\.[ch]$|^check/"),
    ("view", r"(^|/)(view|observe|draw|tables|picture|inspect|profile|keep|report|traction)\.[ch]$|(^|/)view/"),
    ("state", r"(^|/)state\.[ch]$"),
)


def role_of(path: str) -> str:
    return next((role for role, pattern in ROLES if re.search(pattern, path)), "physics")


def files(commit: str) -> Iterator[Tuple[str, int]]:
    """Paths below core/methods and their numbers of lines."""
    if not commit:
        for path in sorted((ROOT / "core" / "methods").rglob("*.[ch]")):
            yield str(path.relative_to(ROOT / "core" / "methods")), path.read_text().count("\n")
        return
    listing = subprocess.run(["git", "ls-tree", "-r", "--name-only", f"{commit}:core/methods"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for path in listing.split():
        if path.endswith((".c", ".h")):
            text = subprocess.run(["git", "show", f"{commit}:core/methods/{path}"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
            yield path, text.count("\n")


def count(commit: str) -> Dict[Tuple[str, str], int]:
    lines: Dict[Tuple[str, str], int] = {}
    for path, number in files(commit):
        method, _, below = path.partition("/")
        if method in METHODS and below:
            key = (role_of(below), method)
            lines[key] = lines.get(key, 0) + number
    return lines


def of_method(lines: Dict[Tuple[str, str], int], method: str) -> int:
    return sum(number for (_, name), number in lines.items() if name == method)


def table(lines: Dict[Tuple[str, str], int]) -> str:
    rows = [f"| role | {' | '.join(METHODS)} | sum |", f"|---|{'---|' * (len(METHODS) + 1)}"]
    for role in [name for name, _ in ROLES] + ["physics"]:
        row = [lines.get((role, method), 0) for method in METHODS]
        rows.append(f"| {role} | {' | '.join(map(str, row))} | {sum(row)} |")
    total = [of_method(lines, method) for method in METHODS]
    return "\n".join(rows + [f"| all | {' | '.join(map(str, total))} | {sum(total)} |"])


def write() -> None:
    """The tables stand behind the heading `## Counted`; what is before it is written by hand."""
    before, now = count(BEFORE), count("")
    old, new = (sum(of_method(lines, method) for method in FIRST) for lines in (before, now))
    head = REPORT.read_text(encoding="utf-8").partition("## Counted")[0]
    text = (f"## Counted\n\nBy `python3 tests/lines_by_role.py --write`. The five methods that came first ({', '.join(FIRST)}) have {new} lines, and had\n"
            f"{old} at {BEFORE}: {old - new} less.\n\nBefore, at {BEFORE}:\n\n{table(before)}\n\nNow:\n\n{table(now)}\n")
    REPORT.write_text(head + text, encoding="utf-8")


def main() -> None:
    if sys.argv[1:] == ["--write"]:
        write()
        return
    for commit in sys.argv[1:] or [""]:
        print(f"{commit or 'Now'}:\n\n{table(count(commit))}\n")


if __name__ == "__main__":
    main()
