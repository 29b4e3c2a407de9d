#!/usr/bin/env python3
"""Writes an assembly file that puts files into a program, with a table to look them up (server/embedded.h).

  embed.py OUTPUT.S INPUT ...

An INPUT that is a folder gives all its files, named by the folder's own name and the path inside it (build/web/assets/a.js is
"web/assets/a.js"). An INPUT that is a file is named by its own name. A .yaml file is turned into compact JSON and named so, a .md file into
an HTML page (markdown.py); pages of docs/methods/ get rows of the validation reports, which must be among the INPUTs (validation_rows.py).
Hidden files are left out. Names, not paths of this machine, end up in the program. Files that gzip makes a tenth smaller or more are
put in compressed too, in OUTPUT's folder first, always with the same bytes.
"""
import gzip
import hashlib
import json
import sys
from pathlib import Path

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
    ".jpg": "image/jpeg",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".wasm": "application/wasm",
    ".txt": "text/plain; charset=utf-8",
    ".sql": "application/sql",
}


def collect(inputs):
    """Name -> file, for every file of the inputs."""
    found = {}
    for given in inputs:
        top = Path(given)
        if top.is_dir():
            files = [p for p in top.rglob("*") if p.is_file() and not any(part.startswith(".") for part in p.relative_to(top).parts)]
            pairs = [(f"{top.name}/{p.relative_to(top).as_posix()}", p) for p in files]
        elif top.is_file():
            pairs = [(top.name, top)]
        else:
            sys.exit(f"embed.py: {given} is neither a file nor a folder")
        for name, path in pairs:
            if name in found:
                sys.exit(f"embed.py: {path} and {found[name]} would both be named '{name}'")
            found[name] = path
    return found


def page_of(name, path, found):
    """The HTML page of a .md file."""
    import markdown
    import validation_rows

    text = path.read_text(encoding="utf-8")
    if name.startswith("docs/methods/"):
        text = validation_rows.expand(text, path.stem, *(found[report].read_text(encoding="utf-8") for report in ("REPORT.md", "ROUND_ROBIN.md")))
    return markdown.page(text)


def convert(found, folder):
    """Replaces every .yaml file by a JSON file, and every .md file by an HTML page, written to `folder`."""
    converted = {}
    for name, path in found.items():
        if path.suffix == ".yaml":
            import yaml

            name = name[: -len(".yaml")] + ".json"
            text = json.dumps(yaml.safe_load(path.read_text(encoding="utf-8")), separators=(",", ":"), ensure_ascii=False, default=str)
            path = folder / name.replace("/", "-")
            path.write_text(text, encoding="utf-8")
        elif path.suffix == ".md":
            text = page_of(name, path, found)
            name = name[: -len(".md")] + ".html"
            path = folder / name.replace("/", "-")
            path.write_text(text, encoding="utf-8")
        converted[name] = path
    return converted


def quoted(text):
    """Text as a string of the assembler, in octal where it is not plain."""
    return '"' + "".join(c if 32 <= ord(c) < 127 and c not in '"\\' else "".join(f"\\{b:03o}" for b in c.encode()) for c in text) + '"'


def compress(data, path):
    """The file's bytes by gzip, written to `path`; None where that saves less than a tenth."""
    packed = gzip.compress(data, 9, mtime=0)
    if len(packed) > 0.9 * len(data):
        return None
    path.write_bytes(packed)
    return packed


def assembly(found, folder):
    lines = ["/* Made by deploy/embed.py. */", "  .section .rodata"]
    table = []
    for index, name in enumerate(sorted(found, key=str.encode)):
        path = found[name]
        data = path.read_bytes()
        etag = '"' + hashlib.sha256(data).hexdigest()[:32] + '"'
        kind = TYPES.get(path.suffix, "application/octet-stream")
        # 64: a page's bytes begin on a cache line; the zero byte lets text be used as a C string.
        lines += ["  .balign 64", f".Ldata{index}:", f"  .incbin {quoted(path.as_posix())}", "  .byte 0"]
        lines += [f".Lpath{index}: .asciz {quoted(name)}", f".Letag{index}: .asciz {quoted(etag)}", f".Ltype{index}: .asciz {quoted(kind)}"]
        packed_file = folder / (name.replace("/", "-") + ".gz")
        packed = compress(data, packed_file)
        packed_name, packed_etag, packed_size = "0", "0", 0
        if packed:
            lines += ["  .balign 64", f".Lgzip{index}:", f"  .incbin {quoted(packed_file.as_posix())}"]
            lines += [f".Lgtag{index}: .asciz {quoted(etag[:-1] + '-gzip' + etag[-1])}"]
            packed_name, packed_etag, packed_size = f".Lgzip{index}", f".Lgtag{index}", len(packed)
        table += [f"  .quad .Lpath{index}, .Ldata{index}, {len(data)}, .Letag{index}, .Ltype{index}, {packed_name}, {packed_size}, {packed_etag}"]
    lines += ["  .balign 8", "  .globl embedded_table_count", f"embedded_table_count: .quad {len(table)}"]
    lines += ['  .section .data.rel.ro,"aw",%progbits', "  .balign 8", "  .globl embedded_table", "embedded_table:", *table]
    lines += ['  .section .note.GNU-stack,"",%progbits']
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    output = Path(sys.argv[1])
    found = convert(collect(sys.argv[2:]), output.parent)
    output.write_text(assembly(found, output.parent), encoding="utf-8")


if __name__ == "__main__":
    main()
