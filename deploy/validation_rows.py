"""Puts rows of the committed validation reports into the page of a method, so that its numbers are those of the reports.

A block named `validation` of api/docs/methods/NAME.md has a line for each thing to show: `ROUND_ROBIN`, all rows of the method in that report; or
`PROGRAM: CLAIM`, the rows of one claim of REPORT.md.
"""
import re

import markdown

REPORT_FOLDER = "../../../tests/reports/validation/"  # as seen from api/docs/methods


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def sections(report):
    """(chapter, section) -> lines, of a report with headings of two levels."""
    found, chapter, lines = {}, "", None
    for line in report.split("\n"):
        if line.startswith("## "):
            chapter = line[3:]
            lines = found.setdefault((chapter, ""), [])
        elif line.startswith("### "):
            lines = found.setdefault((chapter, line[4:]), [])
        elif lines is not None:
            lines.append(line)
    return found


def round_robin(report, method):
    """Every row of a method, with the experiment that it belongs to."""
    rows = []
    for (chapter, _), lines in sections(report).items():
        experiment = f"[{chapter}]({REPORT_FOLDER}ROUND_ROBIN.md#{markdown.anchor(chapter)})"
        for row in map(cells, (line for line in lines if line.startswith("|"))):
            if len(row) == 8 and row[1] == method and row[0] != "all":
                quantity, _, value, _, tolerance, verdict, _, why = row
                value = value.replace(" &nbsp; ", " ").replace(" <sub>", "&nbsp;<sub>")  # lines are broken between resolutions alone
                rows.append(f"| {experiment} | {quantity} | {value} | {tolerance} | {verdict.split(' (')[0]} | {why} |")
    head = ["| experiment | quantity | value over reference | tolerance | verdict | why what is left is left |", "|---|---|---|---|---|---|"]
    return "\n".join(head + rows) if rows else ""


def over(measured, reference):
    """Measured over reference, where both are numbers and the reference is not 0."""
    try:
        return f"{float(measured) / float(reference):.4g}" if float(reference) else ""
    except ValueError:
        return ""


def claim(report, program, name):
    """The rows of one claim."""
    for (chapter, section), lines in sections(report).items():
        if re.sub(r" \(.*\)$", "", chapter) != program or re.sub(r": (holds|fails)$", "", section) != name:
            continue
        verdict = section.rsplit(": ", 1)[-1]
        link = f"{REPORT_FOLDER}REPORT.md#{markdown.anchor(chapter)}.{markdown.anchor(section)}"
        rows = [cells(line) for line in lines if line.startswith("|")][2:]
        table = ["| quantity | measured | reference | over reference | tolerance | verdict |", "|---|---|---|---|---|---|"]
        table += [f"| {row[0]} | {row[1]} | {row[2]} | {over(row[1], row[2])} | {row[3]} | {row[-1]} |" for row in rows if row[-1] != "measured, not checked"]
        return f"[{name}]({link}): {verdict}.\n\n" + "\n".join(table) if len(table) > 2 else f"[{name}]({link}): {verdict}."
    return ""


def expand(text, method, report, robin):
    """The page's text with its validation blocks replaced by tables. What the reports do not have is said in place of it."""
    def block(match):
        parts = []
        for line in match[1].strip().split("\n"):
            program, _, name = line.partition(": ")
            shown = round_robin(robin, method) if line == "ROUND_ROBIN" else claim(report, program, name)
            parts.append(shown or f"The reports have nothing on \"{line}\".")
        return "\n\n".join(parts)
    return re.sub(r"```validation\n(.*?)```", block, text, flags=re.S)
