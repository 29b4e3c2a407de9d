"""The validation report: one section for each program of tests/validation, kept while its program does not run, and a front page that adds them up.

A section says of which code it is, when, where and in what time it was measured; then every case with its claim, what its source says of reference and
tolerance, and the numbers that it checked; then what it left out and why. The front page counts rows by method and by kind of reference (KINDS)."""
import ast
import re
from pathlib import Path

import suites
from provenance import measured

ROOT = Path(__file__).resolve().parent.parent
CASE = re.compile(r"^\s*(not ok|ok) \d+\s*-?\s*(.*)$")
GONE = "Its program is no longer there: these are its last numbers."
LEFT_OUT = "Left out: "
NOT_CHECKED = "measured, not checked"
HEADER = "| quantity | measured | reference | tolerance | source | verdict |"
# Kinds of reference, by what the row says of its source: the first pattern that is found counts; what none finds is a closed form.
KINDS = [
    ("declared guard", r"regression guard"),
    ("other program", r"calculix|siconos|lammps|yade|cholmod|prototype|numpy|other solvers|specification|\bspec\b|getrusage"),
    ("published", r"\b1[89]\d\d\b|\b20[012]\d\b|paper|slides' table|landau|check \d"),
    ("conservation", r"conservation|momentum|balance|damper gives|nothing back|action (and|=) reaction|work theorem|clapeyron|it can't leave faster"),
    ("invariance", r"invariance|symmetry|objectivity|knows? no|other units|determinism|alike|frame|no dependence"),
    ("own convergence", r"order|convergence|half the step|steps of|the run itself|trapezoidal|the other|the same|dt/|explicit damping|round-off"),
]
CLOSED = "closed form or statement of physics"
METHODS = ("peridem", "bdem", "fem", "lsdem", "rigid", "granular", "fibre", "contact")


def source_of(name):
    """The source of a validation program or script, or None when there is none any more."""
    return suites.source_of(f"validation/{name}")


def comments(source):
    """What a test's source says above each of its cases, as {case: text}; tests/support/claim.h says what belongs there. In a script that stands in a
    case's docstring after its first line, which is the claim."""
    text = source.read_text(encoding="utf-8")
    if source.suffix == ".py":
        said = [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
        return {claim: " ".join(rest.split()) for claim, _, rest in (one.partition("\n") for one in said) if rest.strip()}
    pattern = re.compile(r"/\*((?:(?!\*/).)*)\*/\nstatic void (test_\w+)\(", re.S)
    return {name: " ".join(re.sub(r"^\s*\* ?", "", line).strip() for line in comment.splitlines()).strip() for comment, name in pattern.findall(text)}


def gather_claims(output):
    """The numbers that each case printed before its verdict, as a list of (ok, case, rows); rows as claim.h prints them."""
    cases, rows = [], []
    for line in output.splitlines():
        match = CASE.match(line)
        if line.startswith("# claim: "):
            rows.append((line[9:].split("\t") + [""] * 6)[:6])
        elif match:
            if not match[2].startswith("# SKIP"):
                cases.append((match[1] == "ok", match[2], rows))
            rows = []
    return cases


def section(name, cases, skipped, output, seconds):
    """One program's part of the report."""
    said = comments(source_of(name))
    text = f"## {name} ({seconds:.0f} s)\n\n{measured(seconds)}"
    claims = gather_claims(output)
    for ok, claim, rows in claims:
        title = claim.removeprefix("test_").replace("_", " ")
        text += f"\n### {title[:1].upper() + title[1:]}: {'holds' if ok else 'FAILS'}\n"
        if claim in said:
            text += f"\n{said[claim]}\n"
        if rows:
            text += f"\n{HEADER}\n|---|---|---|---|---|---|\n"
        for row in rows:
            text += "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n"
    for ok, claim in cases[len(claims):]:  # what run.py adds: the program died, or hung
        text += f"\n### {claim}: {'holds' if ok else 'FAILS'}\n"
    for claim in skipped:
        text += f"\n{LEFT_OUT}{claim.removeprefix('test_').replace('_', ' ')}\n"
    return text


def rows_of(text):
    """The rows of a section as lists of six cells."""
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line.startswith("| ") and line != HEADER]
    return [[cell.strip() for cell in row] for row in rows if len(row) == 6]


def kind_of(row):
    """The kind of a row's reference; a row that refers to the one above it (`above`) is counted by the caller as that one."""
    if row[5] == NOT_CHECKED:
        return NOT_CHECKED
    return next((kind for kind, pattern in KINDS if re.search(pattern, row[4], re.I)), CLOSED)


def method_of(name):
    """Which method, or what they share, a program is about."""
    return next((method for method in METHODS if name.startswith(f"validate_{method}")), "shared")


def counted(sections):
    """How many rows there are as {method: {kind: count}}."""
    counts = {}
    for name, text in sections.items():
        last = CLOSED
        for row in rows_of(text):
            kind = last if row[4] == "above" else kind_of(row)
            last = kind if kind != NOT_CHECKED else last
            mine = counts.setdefault(method_of(name), {})
            mine[kind] = mine.get(kind, 0) + 1
    return counts


def front_page(sections):
    """Totals by method and kind of reference, what fails, and what was left out with the reason."""
    counts = counted(sections)
    kinds = [CLOSED, *(kind for kind, _ in reversed(KINDS)), NOT_CHECKED]
    text = "## Totals\n\nNumbers that are checked, by the kind of their reference.\n\n"
    text += "| | " + " | ".join(kinds) + " | claims | of these fail |\n|---" + "|---" * (len(kinds) + 2) + "|\n"
    total = [0] * (len(kinds) + 2)
    for method in [*METHODS, "shared"]:
        mine = [text for name, text in sections.items() if method_of(name) == method]
        line = [counts.get(method, {}).get(kind, 0) for kind in kinds]
        headings = [heading for one in mine for heading in re.findall(r"^### .*: (holds|FAILS)$", one, re.M)]
        line += [len(headings), headings.count("FAILS")]
        total = [a + b for a, b in zip(total, line)]
        text += f"| {method} | " + " | ".join(map(str, line)) + " |\n"
    text += "| all | " + " | ".join(map(str, total)) + " |\n"
    left = [f"- {name}: {claim}" for name, one in sections.items() for claim in re.findall(rf"^{LEFT_OUT}(.*)$", one, re.M)]
    return text + "\nLeft out, and why:\n\n" + ("\n".join(left) or "- nothing") + "\n"


def read_sections(path):
    """Sections of a report that is there, by the name of their programs."""
    if not path.exists():
        return {}
    parts = path.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.split(None, 1)[0]: "## " + part.rstrip("\n") + "\n" for part in parts if not part.startswith("Totals")}


def write_report(path, results):
    """Writes the sections of the programs that ran (name, cases, skipped, output, seconds) and keeps those of all others. One whose program is gone says
    so and stays: taking it out is for who took the program out."""
    sections = read_sections(path)
    sections |= {name: section(name, *result) for name, *result in results}
    for name in sections:
        if not source_of(name) and GONE not in sections[name]:
            heading, _, rest = sections[name].partition("\n")
            sections[name] = f"{heading}\n\n{GONE}\n{rest}"
    sections = dict(sorted(sections.items()))
    with open(path, "w", encoding="utf-8") as report:
        report.write("# Validation report\n\nWritten by `make validate`. Under each claim: its reference and why the tolerance is what it is, then the "
                     "numbers. A *regression guard* compares with\nwhat the code gave before: it notices changes and says nothing on what is "
                     f"right. Rows that say \"{NOT_CHECKED}\" are there to be read.\n\n" + front_page(sections))
        for text in sections.values():
            report.write("\n" + text)
