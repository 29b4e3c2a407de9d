#!/usr/bin/env python3
"""Runs a program that prints a report, and writes the report with what each section is of: commit, date, machine, the time that the program took.

    write_report.py REPORT.md COMMAND [ARGUMENT ...]

COMMAND prints Markdown, or writes it to the path that stands in place of an argument `{}`. Sections of the report that it does not print (another
program, that is not installed here, made them, or only a part was asked for) stay as they were, with what they say of themselves. COMMAND's status
is this program's: one that prints and fails leaves the report as it was; one that has written its file fails for what the report says."""
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from provenance import measured

STAMP = re.compile(r"^Commit `[^`]+`, \d{4}-\d\d-\d\d, .+ s\.", re.M)


def sections(text):
    """(title and what stands below it before the first section, {heading: section}); a second title begins a section, too. Two sections of one
    heading become one."""
    head, *parts = [part for part in re.split(r"(?m)^(?=##? )", text) if part.strip()] or [""]
    if not head.startswith("# "):
        head, parts = "", [part for part in (head, *parts) if part]
    found = {}
    for part in parts:
        heading, _, rest = part.partition("\n")
        found[heading] = f"{found[heading].rstrip()}\n\n{rest.strip()}\n" if heading in found else part.rstrip() + "\n"
    return head, found


def stamped(section, line):
    """A section, or a report without any, with the line below its heading, unless it says of itself of what it is."""
    if STAMP.search(section):
        return section
    heading, _, rest = section.partition("\n")
    return f"{heading}\n\n{line}\n{rest.lstrip(chr(10))}"


def merged(old, new, line):
    """The report from what was there and what was printed now."""
    was_head, was = sections(old)
    head, now = sections(new)
    head = head or was_head
    if not now:
        return stamped(head.rstrip() + "\n", line)
    if "|" in head:  # a table of its own before the first section
        head = stamped(head, line)
    now = {heading: stamped(section, line) for heading, section in now.items()}
    kept = {heading: now.pop(heading, section) for heading, section in was.items()}
    return "\n".join([head.rstrip() + "\n", *kept.values(), *now.values()])


# Threads wait as those of the daemon's workers do: they spin for some tens of microseconds, then sleep.
WAITING = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "3000"}


def run(command):
    """What a command printed, or wrote in place of `{}`, and its status."""
    if "{}" in command:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.md"
            status = subprocess.run([str(path) if word == "{}" else word for word in command], check=False,
                                    env=os.environ | WAITING).returncode
            return path.read_text(encoding="utf-8") if path.exists() else "", status
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=os.environ | WAITING) as process:
        text = ""
        for line in process.stdout:
            print(line, end="", flush=True)
            text += line
    return text, process.returncode


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    report, load, began = Path(sys.argv[1]), os.getloadavg()[0], time.monotonic()
    text, status = run(sys.argv[2:])
    if (status != 0 and "{}" not in sys.argv) or not text.strip():
        sys.exit(status or 1)
    old = report.read_text(encoding="utf-8") if report.exists() else ""
    report.write_text(merged(old, text, measured(time.monotonic() - began, load)), encoding="utf-8")
    sys.exit(status)


if __name__ == "__main__":
    main()
