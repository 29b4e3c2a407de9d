#!/usr/bin/env python3
"""Looks whether the source keeps to the rules of its structure that a program can see. Prints each finding and ends with 1 where there is one.

  lines     no line of C is longer than 140 columns
  readmes   a README is a page: at most 130 lines, each of at most 160 columns
  folders   no folder of code holds more than 15 source files; a pair of x.c and x.h is one
  arguments no function takes more than 8 arguments
  circles   no two files of the source call each other, directly or by others: calls go down; nor do modules of the Python client import each other
  walks     a step of a method enters at most 20 of its files by the functions that it names, and those by theirs, and so on
  words     no name of a function, type, member, variable or file has a word of the "not" column of core/WORDS.md
  sums      no sum of floating-point numbers by OpenMP's reduction or atomic in core: its order would depend on the number of threads.
            Nor are numbers that threads or blocks have stored added by hand beside OpenMP's loops. Sums go through core/base/execution.h
  shapes    kinds of shapes are named in their files and in the list of scene.h alone; methods declare what of a shape they compute with
  subjects  subjects of commits since FIRST: at most 70 characters, and none begins with a word that names nothing

Exceptions stand in deploy/structure.toml, each with its reason; one that excepts nothing any more is a finding too.

  structure.py [lines readmes folders arguments circles walks words sums shapes subjects]
"""
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("core", "server", "api")
COLUMNS, FILES, SUBJECT, ARGUMENTS = 140, 15, 70, 8
PAGE, PAGE_COLUMNS = 130, 160  # of a README
ROOMS = 20  # files of a method that its step enters
FIRST = "9cc0b879"  # subjects before it are as they are
RIDDLES = ("Let ", "Say ", "Hold ", "Tell ", "Give ", "Make sure ")
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|[^\s]', re.S)
# A function's definition in this house: its name and '(' in a line that begins at the margin, its body's '{' at the margin of a later one.
DEFINITION = re.compile(r"^(?!static\b|typedef\b|return\b|else\b|#)[A-Za-z_][\w \*]*?\**\b([a-z_]\w*)\((?:[^;{}]|\n)*?\)\n\{", re.M)
# A function's head at the margin, declared or defined: its name and its arguments, which may hold pointers to functions.
FUNCTION = re.compile(r"^(?!typedef\b|return\b|else\b|#)[A-Za-z_][\w \*]*?\**\b([a-z_]\w*)\(((?:[^(){};]|\([^(){};]*\))*)\)\s*[;{]", re.M)
Finding = Tuple[str, str]  # what an exception names, what is said


def sources(*suffixes: str) -> List[Path]:
    return sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*") if path.suffix in suffixes)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def lines() -> Iterator[Finding]:
    for folder in (*LAYERS, "tests"):
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if len(line) > COLUMNS:
                    yield name_of(path), f"{name_of(path)}:{number}: {len(line)} columns, at most {COLUMNS}"


def readmes() -> Iterator[Finding]:
    listing = subprocess.run(["git", "ls-files", "*README.md"], cwd=ROOT, capture_output=True, text=True, check=False)
    for name in listing.stdout.split():
        text = (ROOT / name).read_text(encoding="utf-8").splitlines()
        if len(text) > PAGE:
            yield name, f"{name}: {len(text)} lines, at most {PAGE}; move a part to a page of its own and name it"
        for number, line in enumerate(text, 1):
            if len(line) > PAGE_COLUMNS:
                yield name, f"{name}:{number}: {len(line)} columns, at most {PAGE_COLUMNS}"


def folders() -> Iterator[Finding]:
    held: Dict[Path, Set[str]] = defaultdict(set)
    for path in sources(".c", ".h"):
        held[path.parent].add(path.stem)
    for folder, stems in sorted(held.items()):
        if len(stems) > FILES:
            yield name_of(folder), f"{name_of(folder)}: {len(stems)} files, at most {FILES}; make a folder of those that belong together"


def argument_count(text: str) -> int:
    return re.sub(r"\([^()]*\)", "", text).count(",") + 1  # pointers to functions have arguments of their own


def arguments() -> Iterator[Finding]:
    for path in sources(".c", ".h"):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        for found in FUNCTION.finditer(text):
            count = argument_count(found[2])
            if count > ARGUMENTS:
                yield f"{name_of(path)}:{found[1]}", f"{name_of(path)}: {found[1]} takes {count} arguments, at most {ARGUMENTS}; a struct says it better"


def code_words(text: str) -> Set[str]:
    return {token for token in TOKEN.findall(text) if token[0].isalpha() or token[0] == "_"}


def components(edges: Dict[str, Set[str]]) -> List[List[str]]:
    """Strongly connected components with more than one member (Tarjan's algorithm, without recursion)."""
    index: Dict[str, int] = {}
    low: Dict[str, int] = {}
    stack: List[str] = []
    on: Set[str] = set()
    found: List[List[str]] = []
    for root in sorted(edges):
        if root in index:
            continue
        work: List[Tuple[str, Iterator[str]]] = [(root, iter(sorted(edges[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, children = work[-1]
            for child in children:
                if child not in index:
                    index[child] = low[child] = len(index)
                    stack.append(child)
                    on.add(child)
                    work.append((child, iter(sorted(edges.get(child, ())))))
                    break
                if child in on:
                    low[node] = min(low[node], index[child])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = []
                    while True:
                        member = stack.pop()
                        on.discard(member)
                        members.append(member)
                        if member == node:
                            break
                    if len(members) > 1:
                        found.append(sorted(members))
    return found


def circles() -> Iterator[Finding]:
    """Files as a pair of x.c and x.h; an edge where one uses a function that another defines."""
    text = {path: path.read_text(encoding="utf-8") for path in sources(".c", ".h")}
    unit = {path: name_of(path.with_suffix("")) for path in text}
    home: Dict[str, Set[str]] = defaultdict(set)
    for path, source in text.items():
        if path.suffix == ".c":
            for match in DEFINITION.finditer(source):
                home[match[1]].add(unit[path])
    edges: Dict[str, Set[str]] = defaultdict(set)
    why: Dict[Tuple[str, str], Set[str]] = defaultdict(set)
    for path, source in text.items():
        if path.suffix == ".h":
            continue
        for word in code_words(source) & home.keys():
            for other in home[word] - {unit[path]}:
                if len(home[word]) == 1:
                    edges[unit[path]].add(other)
                    why[unit[path], other].add(word)
    for path in sorted((ROOT / "api" / "clients" / "python").rglob("*.py")):
        for word in re.findall(r"^ *from \.(\w+) import", path.read_text(encoding="utf-8"), re.M):
            edges[name_of(path.with_suffix(""))].add(name_of(path.with_name(word)))
            why[name_of(path.with_suffix("")), name_of(path.with_name(word))].add("import")
    for members in components(edges):
        inside = set(members)
        calls = [f"{a} -> {b} ({', '.join(sorted(why[a, b])[:3])})" for a in members for b in sorted(edges[a] & inside)]
        yield members[0], f"circle of {len(members)} files:\n    " + "\n    ".join(calls)


BODY = re.compile(FUNCTION.pattern.removesuffix(r"\s*[;{]") + r"\n\{(.*?)^\}", re.M | re.S)


def walk(sources_of: Dict[str, str], start: str) -> Set[str]:
    """Files, by name without ending, whose functions are named by the function `start`, or by those that it names, and so on."""
    public: Dict[str, Tuple[str, str]] = {}
    private: Dict[Tuple[str, str], Tuple[str, str]] = {}
    for unit, text in sources_of.items():
        for found in BODY.finditer(text):
            if found[0].startswith("static"):
                private[unit, found[1]] = (unit, found[3])
            else:
                public[found[1]] = (unit, found[3])
    first = next((of for (_, name), of in private.items() if name == start), public.get(start))
    work, entered, files = [first] if first else [], set(first and [first]), set()
    while work:
        unit, body = work.pop()
        files.add(unit)
        for name in code_words(body):
            called = private.get((unit, name), public.get(name))
            if called and called not in entered:
                entered.add(called)
                work.append(called)
    return files


def walks() -> Iterator[Finding]:
    for table in sorted((ROOT / "core" / "methods").glob("*/method.c")):
        step = re.search(r"\.step = (\w+)", table.read_text(encoding="utf-8"))
        texts = {name_of(path.with_suffix("")): path.read_text(encoding="utf-8") for path in table.parent.rglob("*.c")}
        files = walk(texts, step[1]) if step else set()
        if not files or len(files) > ROOMS:
            yield name_of(table.parent), f"{name_of(table.parent)}: a step enters {len(files)} files, at least 1 and at most {ROOMS}: {', '.join(sorted(files))}"


def dictionary() -> Dict[str, str]:
    """Words that names must not have, each with the word to use."""
    instead: Dict[str, str] = {}
    for line in (ROOT / "core" / "WORDS.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 3 and cells[0] not in ("word", "---"):
            for word in re.findall(r"`(\w+)`", cells[2]):
                instead[word] = cells[0]
    return instead


def words() -> Iterator[Finding]:
    instead = dictionary()
    seen: Set[Tuple[str, str]] = set()
    for path in sources(".c", ".h"):
        for name in sorted(code_words(path.read_text(encoding="utf-8")) | {path.stem}):
            for part in name.lower().split("_"):
                if part in instead and (name, name_of(path)) not in seen:
                    seen.add((name, name_of(path)))
                    yield name, f"{name_of(path)}: `{name}`: instead of '{part}' the dictionary has '{instead[part]}'"


PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+omp\b((?:[^\n]*\\\n)*[^\n]*)\n([^\n]*)", re.M)
REDUCTION = re.compile(r"reduction\s*\(\s*([-+*])[\s\\]*:([^)]*)\)")
FLOATS = r"\b(?:double|float|scr_vec3)\b[^;(){}]*\b%s\b"


def shared_sums(text: str) -> Iterator[Tuple[int, str]]:
    """Line and name of each sum of floating-point numbers whose order would follow from the threads. An atomic update is one, whatever it updates,
    unless it writes or reads alone, or the file declares its target's last name as an integer."""
    for found in PRAGMA.finditer(text):
        clauses, line = found[1], text.count("\n", 0, found.start()) + 1
        for _, names in REDUCTION.findall(clauses):
            for name in re.findall(r"\w+", names):
                if re.search(FLOATS % name, text[: found.start()]):
                    yield line, name
        if re.search(r"\batomic\b", clauses) and not re.search(r"\b(?:write|read)\b", clauses):
            target = re.findall(r"\w+", re.split(r"[-+*/|&^]?=|\+\+|--", re.sub(r"\[[^\]]*\]", "", found[2]))[0])
            name = target[-1] if target else "?"
            if not re.search(r"\b(?:int|unsigned|size_t|u?int\d+_t|bool)\b[^;(){}]*\b%s\b" % name, text):
                yield line, name


ADDED = re.compile(r"\bfor \([^\n]*\)\s+(?:\w+(?:->|\.))*(\w+) \+= (?:\w+(?:->|\.))*\w+(?:\[[^\]]*\])+(?:(?:->|\.)\w+)*;")


def stored_sums(text: str) -> Iterator[Tuple[int, str]]:
    """Line and name of each sum by hand of stored floating-point numbers, and of nothing else, in a file with loops by OpenMP: what threads or blocks
    have left. Sums that the file declares as integers are exact."""
    if not PRAGMA.search(text):
        return
    for found in ADDED.finditer(text):
        if not re.search(r"\b(?:int|unsigned|size_t|u?int\d+_t)\b[^;(){}]*\b%s\b" % found[1], text):
            yield text.count("\n", 0, found.start(1)) + 1, found[1]


def sums() -> Iterator[Finding]:
    for path in sorted((ROOT / "core").rglob("*.[ch]")):
        text, name = path.read_text(encoding="utf-8"), name_of(path)
        for line, of in shared_sums(text):
            yield name, f"{name}:{line}: the sum `{of}` depends on the threads; use execution_sum (core/base/execution.h)"
        for line, of in stored_sums(text):
            yield name, f"{name}:{line}: `{of}` adds stored numbers by hand; use execution_sum or execution_add_up (core/base/execution.h)"


def shapes() -> Iterator[Finding]:
    homes = ("core/scene/shape/", "core/scene/grains/", "core/scene/scene.h")
    for path in sorted((ROOT / "core").rglob("*.[ch]")):
        kinds = sorted(word for word in code_words(path.read_text(encoding="utf-8")) if re.fullmatch(r"SCR_SHAPE_(?!.*LIMIT)[A-Z_]+", word))
        if kinds and not name_of(path).startswith(homes):
            yield name_of(path), f"{name_of(path)}: names {', '.join(kinds)}; ask the shape's entry instead (core/scene/shape/shape.h)"


def subjects() -> Iterator[Finding]:
    log = subprocess.run(["git", "log", "--format=%h %s", f"{FIRST}..HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    for line in log.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > SUBJECT or subject.startswith(RIDDLES):
            yield commit, f"{commit}: subject of {len(subject)} characters, at most {SUBJECT}, naming the thing: {subject}"


CHECKS = {check.__name__: check for check in (lines, readmes, folders, arguments, circles, walks, words, sums, shapes, subjects)}


def main() -> int:
    excepted = tomllib.loads((ROOT / "deploy" / "structure.toml").read_text(encoding="utf-8"))
    count = 0
    for check in sys.argv[1:] or CHECKS:
        reasons = excepted.get(check, {})
        used = set()
        for key, text in CHECKS[check]():
            if key in reasons:
                used.add(key)
            else:
                print(f"{check}: {text}")
                count += 1
        for key in reasons.keys() - used:
            print(f"{check}: the exception {key} of deploy/structure.toml excepts nothing")
            count += 1
    print(f"structure: {count} findings" if count else "structure: clean")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
