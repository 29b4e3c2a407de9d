"""Turns the project's own pages from Markdown into HTML: headings, paragraphs, lists, tables, code, bold, italics, links. Nothing else is understood,
and raw HTML is shown as text."""
import html
import re


def inline(text):
    parts = re.split(r"(`[^`]+`)", text)
    for i, part in enumerate(parts):
        if i % 2:
            parts[i] = f"<code>{html.escape(part[1:-1])}</code>"
            continue
        part = html.escape(part)
        part = re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", r'<a href="\2">\1</a>', part)
        parts[i] = re.sub(r"(?<![\w*])\*([^*]+)\*(?![\w*])", r"<em>\1</em>", part)
    joined = "".join(parts)
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", joined)


def blocks(lines):
    """The page's blocks as (kind, lines): code, list, table, heading, paragraph."""
    i = 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("```"):
            end = lines.index("```", i + 1)
            yield "code", lines[i + 1:end]
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
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def to_html(text):
    """The HTML of a page's body, and the text of its first heading."""
    out, title = [], ""
    for kind, lines in blocks(text.split("\n")):
        if kind == "code":
            out.append(f"<pre><code>{html.escape(chr(10).join(lines))}</code></pre>")
        elif kind == "heading":
            level = len(lines[0]) - len(lines[0].lstrip("#"))
            heading = lines[0].lstrip("# ")
            title = title or heading
            out.append(f"<h{level}>{inline(heading)}</h{level}>")
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
<nav><a href="/">Scree</a> <a href="/guide">A scene, explained</a> <a href="/guide/study">Studies</a> <a href="/guide/calibration">Calibration</a> <a href="/reference">Reference</a></nav>
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
