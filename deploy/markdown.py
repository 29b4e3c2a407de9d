"""Turns the project's own pages from Markdown into HTML: headings, paragraphs, lists, tables, code, bold, italics, links, pictures of the gallery,
and formulas between dollar signs or in blocks named `math` (mathml.py). Nothing else is understood, and raw HTML is shown as text, but for what
reports need: <sub> and &nbsp;."""
import html
import re

import mathml

REPORTS = ("REPORT", "ROUND_ROBIN")  # of tests/reports/validation, served as pages too


def address(link):
    """Where the page of another file of the documentation is: "methods/fem.md" is at /guide/methods/fem. Other links stay as they are."""
    path, _, place = link.partition("#")
    if not path.endswith(".md") or path.startswith(("/", "http")):
        return link
    name = path.rsplit("/", 1)[-1][:-len(".md")]
    if name in REPORTS:
        page = f"/guide/validation/{name}"
    else:
        page = {"scene": "/guide", "study": "/guide/study", "calibration": "/guide/calibration", "methods": "/guide/methods"}.get(name, f"/guide/methods/{name}")
    return f"{page}#{place}" if place else page


def anchor(heading):
    """The name of a heading that links lead to: small letters, digits and dashes. What changes with every run is left out: times, verdicts."""
    return re.sub(r"[^a-z0-9_]+", "-", re.sub(r" \([^()]*\)$|: (holds|fails)$", "", heading).lower()).strip("-")


def picture(match):
    """A picture of the gallery, as the dashboard has it: ../web/static/gallery/x.webp is at /assets/gallery/x.webp."""
    words, path = match.groups()
    return f'<img src="/assets/{path.split("web/static/", 1)[-1]}" alt="{words}" width="480" height="300">'


def inline(text):
    """A line's text. Code and formulas are put aside first, so that nothing within them is read as a mark, and links may hold them."""
    kept = []

    def keep(match):
        part = match[0]
        kept.append(f"<code>{html.escape(part[1:-1])}</code>" if part[0] == "`" else mathml.inline(part[1:-1]))
        return f"\0{len(kept) - 1}\0"

    text = html.escape(re.sub(r"`[^`]+`|(?<![\w$])\$[^$\s](?:[^$]*[^$\s])?\$(?![\w$])", keep, text))
    text = re.sub(r"&lt;(/?sub)&gt;", r"<\1>", text).replace("&amp;nbsp;", "&nbsp;")
    text = re.sub(r"!\[([^\]]+)\]\(([^)\s]+)\)", picture, text)
    text = re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", lambda link: f'<a href="{address(link[2])}">{link[1]}</a>', text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"(?<![\w*])\*([^*]+)\*(?![\w*])", r"<em>\1</em>", text)
    return re.sub(r"\0(\d+)\0", lambda place: kept[int(place[1])], text)


def blocks(lines):
    """The page's blocks as (kind, lines): code, list, table, heading, paragraph."""
    i = 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("```"):
            end = lines.index("```", i + 1)
            yield "math" if line == "```math" else "code", lines[i + 1:end]
            i = end + 1
        elif line.startswith("    "):
            end = i
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end]):
                end += 1
            yield "code", [text[4:] for text in "\n".join(lines[i:end]).rstrip().split("\n")]
            i = end
        elif not line.strip():
            i += 1
        elif line.startswith("#"):
            yield "heading", [line]
            i += 1
        else:
            kind = "list" if line.startswith("- ") else "table" if line.startswith("|") else "paragraph"
            end = i
            while end < len(lines) and lines[end].strip() and not lines[end].startswith(("#", "```")):
                end += 1
            yield kind, lines[i:end]
            i = end


def table(lines):
    """A table: a line of heads, one of dashes, lines of cells."""
    rows = [[inline(cell.strip()) for cell in line.strip().strip("|").split("|")] for line in lines]
    head = "".join(f"<th>{cell}</th>" for cell in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows[2:])
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def to_html(text):
    """The HTML of a page's body, and the text of its first heading."""
    out, title, chapter = [], "", ""
    for kind, lines in blocks(text.split("\n")):
        if kind == "code":
            out.append(f"<pre><code>{html.escape(chr(10).join(lines))}</code></pre>")
        elif kind == "math":
            out.append(mathml.display("\n".join(lines)))
        elif kind == "heading":
            level = len(lines[0]) - len(lines[0].lstrip("#"))
            heading = lines[0].lstrip("# ")
            title = title or heading
            name = anchor(heading)
            if level == 2:
                chapter = name
            name = f"{chapter}.{name}" if level > 2 and chapter else name
            out.append(f'<h{level} id="{name}">{inline(heading)}</h{level}>')
        elif kind == "list":
            items = re.split(r"^- ", "\n".join(lines), flags=re.M)[1:]
            out.append("<ul>" + "".join(f"<li>{inline(' '.join(item.split()))}</li>" for item in items) + "</ul>")
        elif kind == "table":
            out.append(table(lines))
        else:
            out.append(f"<p>{inline(' '.join(line.strip() for line in lines))}</p>")
    return "\n".join(out), title


PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · Scree</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/pages.css">
</head>
<body>
<nav><a href="/">Scree</a> <a href="/guide">A scene, explained</a> <a href="/guide/methods">Methods</a> <a href="/guide/study">Studies</a> <a href="/guide/calibration">Calibration</a> <a href="/reference">Reference</a></nav>
<main>
{body}
</main>
</body>
</html>
"""


def page(text):
    """A whole page, as screed serves it."""
    body, title = to_html(text)
    return PAGE.format(title=html.escape(title), body=body)
