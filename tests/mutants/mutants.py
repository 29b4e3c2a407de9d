#!/usr/bin/env python3
"""Plants one fault at a time in the physics and the server, and looks whether a test notices.

Faults stand in tests/mutants/*.toml, one file a subject, each as

    [[fault]]
    name  = "damping-doubled"            what the report calls it; one word in all files
    file  = "core/methods/.../x.c"
    class = "factor"                     see CLASSES
    old   = '''2 * zeta * sqrt(k * m)'''  the exact text, which stands in the file once: an entry notices when its code has moved
    new   = '''4 * zeta * sqrt(k * m)'''
    tests = ["unit/test_x"]              programs to run first; those that cover the file (covers.toml) follow
    equivalent = "why no test can see it" instead of running it

    mutants.py check                     every entry applies to the tree: no build, some milliseconds
    mutants.py report                    the report with a row for each entry, verdicts as they were
    mutants.py run [--sample N --seed S] [--only PART] [--minutes M] [--survivors] [--report FILE]

`run` works in build/mutants/tree, a copy of the checkout's tracked files and of its objects; the checkout itself is never changed. Of each fault
it builds the one file and links covering programs, nearest first, until one fails; a program counts only when the checkout's own build of it
passes. The report keeps what it has of faults that were not run."""
import argparse
import difflib
import fnmatch
import functools
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import suites  # noqa: E402

HERE = ROOT / "tests" / "mutants"
REPORT = ROOT / "tests" / "reports" / "mutants" / "REPORT.md"
BUILD = ROOT / "build"
TREE = BUILD / "mutants" / "tree"
KNOWN = BUILD / "mutants" / "programs.json"
CLASSES = {"sign", "factor", "dropped term", "transpose", "history", "off by one", "wrong index", "skipped last", "wrong unit", "wrong axis",
           "wrong limit", "wrong order"}
LIMIT_SECONDS = 300  # of one program of which no time is known; one that hangs has noticed
LIMIT_LOAD = 5       # so many times slower a loaded machine may be: what computes is held to processor time, what waits to time
ARCHIVES = ["build/libtest-support.a", *(f"build/libscree{part}.a" for part in ("", "-cli", "-api", "-server"))]
PLAYED = [f"build/tests/played/{library}" for library in ("libcuda.so.1", "libcuda-old.so.1", "libnvrtc.so.13")]  # which tests load
BATCH = 6    # programs that are linked together
NEAREST = 6  # programs that are run for all faults before any other
LINKER = "-fuse-ld=gold -Wl,-s"  # a third of the time of the usual one; what is linked is thrown away
CASE = re.compile(r"^\s*not ok \d+\s*-?\s*(.*)$", re.M)
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$", re.M)


def load():
    """All faults as a list of dictionaries; `subject` is the name of their file."""
    faults = []
    for path in sorted(HERE.glob("*.toml")):
        if path.name != "covers.toml":
            faults += [dict(fault, subject=path.stem) for fault in tomllib.loads(path.read_text(encoding="utf-8"))["fault"]]
    return faults


def covers():
    return tomllib.loads((HERE / "covers.toml").read_text(encoding="utf-8"))["covers"]


@functools.cache
def programs_like(pattern):
    """Programs that `suite/pattern` stands for."""
    suite, name = pattern.split("/")
    end = ".py" if suite == "integration" else ".c"
    return sorted(f"{suite}/{path.stem}" for path in suites.sources(suite, end) if fnmatch.fnmatch(path.stem, name))


def programs_of(fault, table, seconds=None):
    """Programs that cover a fault's file: its own, then those of all prefixes of the table that the file's path has, the longest first and in their order;
    what one pattern stands for by `seconds`, a function of a program."""
    found = list(fault.get("tests", []))
    for prefix in sorted((one for one in table if fault["file"].startswith(one)), key=len, reverse=True):
        for pattern in table[prefix]:
            found += sorted(programs_like(pattern), key=seconds) if seconds else programs_like(pattern)
    return list(dict.fromkeys(found))


def problems(faults, table):
    """What is wrong with the list, as lines of text."""
    names = set()
    for prefix in table:
        if not any(ROOT.glob(f"{prefix.rstrip('/')}*")):
            yield f"covers.toml: no file begins with {prefix}"
    for fault in faults:
        name, path = fault["name"], ROOT / fault["file"]
        if name in names:
            yield f"{name}: stands in the list twice"
        names.add(name)
        if fault["class"] not in CLASSES:
            yield f"{name}: class '{fault['class']}' is none of {', '.join(sorted(CLASSES))}"
        if fault["old"] == fault["new"]:
            yield f"{name}: changes nothing"
        if not path.is_file():
            yield f"{name}: {fault['file']} is not there"
        elif (count := path.read_text(encoding="utf-8").count(fault["old"])) != 1:
            yield f"{name}: its text stands {count} times in {fault['file']}, not once"
        if not programs_of(fault, table):
            yield f"{name}: no program covers {fault['file']}"
        for program in fault.get("tests", []):
            if not suites.source_of(program):
                yield f"{name}: program {program} is not there"


# ── the copy ────────────────────────────────────────────────────────────────────────────────────────────────────────

def copy_tree():
    """The checkout's tracked and new files and its objects, with their times, so that nothing is built that stands there built."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = {line for line in listed.splitlines() if (ROOT / line).is_file()}
    for name in files:
        source, target = ROOT / name, TREE / name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        elif target.read_bytes() != source.read_bytes():  # with the present time: its object may be that of a fault
            shutil.copyfile(source, target)
    for folder in ("api", "core", "server", "tests"):
        for path in (TREE / folder).rglob("*.[ch]"):
            if str(path.relative_to(TREE)) not in files:
                path.unlink()
    for part in ("obj", "generated", "stamps", "web"):
        if (BUILD / part).is_dir():
            (TREE / "build" / part).mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "-a", "-u", f"{BUILD / part}/.", str(TREE / "build" / part)], check=True)
    for archive in BUILD.glob("*.a"):
        shutil.copy2(archive, TREE / "build" / archive.name)


def make(targets, where):
    environment = dict(os.environ)
    environment.pop("MAKEFLAGS", None)
    if where == TREE and shutil.which("ld.gold"):
        environment["LDFLAGS"] = LINKER
    return subprocess.run(["make", "-s", "--no-print-directory", f"-j{os.environ.get('JOBS', '1')}", *targets], cwd=where, capture_output=True,
                          env=environment, text=True, errors="replace")


def target_of(program):
    return [] if program.startswith("integration/") else [f"build/tests/{program}"]


class Commands:
    """How make compiles a source and links a test program, asked once: a make that finds nothing to do takes seconds, and a fault is one object."""

    def __init__(self, programs):
        """@param programs whose areas' objects are made now, together; those of others follow when they are linked first"""
        self.areas = {suites.area_of(program) for program in programs if self.plain(program)}
        self.links = {}
        self.freshen()
        first = "tests/support/folder"
        self.compile = self.ask(f"build/obj/{first}.o", f"{first}.c", f" -c {first}.c -o ").replace(first, "%s")

    def freshen(self):
        """All that fast links take, as the sources are now."""
        objects = [f"build/obj/{str(path.relative_to(ROOT))[:-2]}.o" for area in sorted(self.areas) for path in sorted((ROOT / "tests" / area).glob("*.c"))]
        built = make([*ARCHIVES, *PLAYED, *(f"build/generated/tests/{area}.o" for area in sorted(self.areas)), *objects], TREE)
        if built.returncode != 0:
            sys.exit(f"the copy of the checkout does not build: {built.stderr[-1000:]}")
        self.spoiled = False

    @staticmethod
    def plain(program):
        """Whether it is linked from objects: a suite of C."""
        return not program.startswith("integration/") and suites.source_of(program) is not None

    @staticmethod
    def linkable(name):
        """Whether a test program takes the file's object: not that of another program's main, nor a header."""
        return name.endswith(".c") and " main(" not in (TREE / name).read_text(encoding="utf-8")

    @staticmethod
    def ask(target, changed, mark):
        lines = subprocess.run(["make", "-n", "V=1", "-W", changed, target], cwd=TREE, capture_output=True, text=True, check=True).stdout.splitlines()
        return next(line for line in lines if mark in line)

    def link_of(self, area):
        """The command that links an area's program."""
        if area not in self.links:
            if area not in self.areas:
                self.areas.add(area)
                self.freshen()
            source = next((ROOT / "tests" / area).glob("*_*.c")).relative_to(ROOT)
            self.links[area] = self.ask(f"build/tests/{area}", str(source), f" -o build/tests/{area}")
        return self.links[area]

    def build(self, fault, batch):
        """Links programs with the fault's object before all others, so that the archives' is not taken; without a fault as they are. @return as make"""
        if not all(self.plain(program) for program in batch) or (fault and not self.linkable(fault["file"])):
            self.spoiled = fault is not None  # the fault is in the archives and in test programs' objects
            return make(sorted({target for program in batch for target in target_of(program) or ["all"]}), TREE)
        links = {area: self.link_of(area) for area in {suites.area_of(program) for program in batch}}
        object_of, commands = "build/fault.o" if fault else "", []
        if fault and not (TREE / object_of).exists():
            stem = fault["file"][:-2]
            text = self.compile.replace("%s", stem)
            commands.append(text.replace(f"-o build/obj/{stem}.o", f"-o {object_of}").replace("-MMD -MP", ""))
        for area, link in sorted(links.items()):
            (TREE / "build" / "tests" / area).parent.mkdir(parents=True, exist_ok=True)
            gold = f" {LINKER}" if shutil.which("ld.gold") else ""
            commands.append(link.replace(" build/obj/", f" {object_of} build/obj/", 1) + gold)
        commands += [f"ln -sf {suites.area_of(program).split('/')[1]} build/tests/{program}" for program in batch]
        return subprocess.run(["sh", "-c", " && ".join(commands)], cwd=TREE, capture_output=True, text=True, errors="replace")


def run_program(program, where, expected=None):
    """@param expected seconds that it takes without a fault    @return (passes, the first thing that failed, seconds)"""
    limit = int(20 + 10 * expected) if expected else LIMIT_SECONDS
    argv = [str(where / "build" / "tests" / program)]
    if program.startswith("integration/"):
        argv = [sys.executable, str(where / "tests" / "support" / "tap.py"), str(where / "tests" / f"{program}.py")]
    environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP", SCREE_BUILD=str(where / "build"), OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
    environment.pop("MAKEFLAGS", None)
    begun = time.monotonic()
    process = subprocess.Popen(argv, cwd=where, env=environment, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True)
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit, limit + 5))
    try:
        output, _ = process.communicate(timeout=LIMIT_LOAD * limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return False, f"does not end in {LIMIT_LOAD * limit} s", time.monotonic() - begun
    failed = next((case for case in CASE.finditer(output) if "# SKIP" not in case[0]), None)
    seconds = time.monotonic() - begun
    if failed:
        return False, failed[1], seconds
    if process.returncode == -signal.SIGXCPU:
        return False, f"does not end in {limit} s of a processor", seconds
    return process.returncode == 0, "" if process.returncode == 0 else f"ends with {process.returncode}", seconds


class Programs:
    """What the checkout's own programs do: whether they pass, in how many seconds. Kept between runs for one commit."""

    def __init__(self, commit):
        known = json.loads(KNOWN.read_text()) if KNOWN.exists() else {}
        self.times, self.commit = known.get("times", {}), commit
        self.passes = known.get("passes", {}) if known.get("commit") == commit else {}

    def expected(self, program):
        """Seconds that a program will take, about."""
        return self.times.get(program, 5.0 if program.startswith("unit/") else 10.0)

    def keep(self):
        KNOWN.parent.mkdir(parents=True, exist_ok=True)
        KNOWN.write_text(json.dumps({"commit": self.commit, "times": self.times, "passes": self.passes}))

    def sound(self, program, commands):
        """Whether it passes without a fault, in the copy."""
        if program not in self.passes:
            built = commands.build(None, [program])
            self.passes[program], why, seconds = run_program(program, TREE) if built.returncode == 0 else (False, built.stderr[-400:], 0)
            self.times[program] = seconds
            if not self.passes[program]:
                print(f"  {program} fails without a fault and is left out: {why}", flush=True)
            self.keep()
        return self.passes[program]


def plant(fault):
    """Writes the fault into the copy. @return what takes it back: the text gets the present time, so that its objects are built again"""
    path = TREE / fault["file"]
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(fault["old"], fault["new"]), encoding="utf-8")
    return lambda: path.write_text(text, encoding="utf-8")


def run_with(fault, candidates, passed, programs, commands):
    """Plants a fault and runs programs until one fails. @return (what it came to, the program or "", why)"""
    take_back = plant(fault)
    (TREE / "build" / "fault.o").unlink(missing_ok=True)
    try:
        for first in range(0, len(candidates), BATCH):
            batch = candidates[first:first + BATCH]
            built = commands.build(fault, batch)
            if built.returncode != 0:
                return "does not build", "", (built.stderr.strip().splitlines() or [""])[0][:120]
            for program in batch:
                passes, why, seconds = run_program(program, TREE, programs.times.get(program))
                programs.times[program] = seconds if passes else max(seconds, programs.times.get(program, 0))
                if not passes:
                    return "caught", program, why
                passed.append(program)
        return "SURVIVES", "", ""
    finally:
        take_back()
        if commands.spoiled:
            commands.freshen()


def try_fault(fault, table, programs, commands, passed, quick=None, nearest=None):
    """@param passed programs that did not notice; grows    @param quick leave out programs that take more seconds    @param nearest only so many
    @return (verdict, by what)"""
    while True:
        fits = [one for one in programs_of(fault, table, programs.expected) if programs.passes.get(one, True)]
        candidates = [one for one in fits if one not in passed and (not quick or programs.expected(one) <= quick)]
        candidates.sort(key=lambda one: not commands.plain(one))  # those that need make last
        verdict, program, why = run_with(fault, candidates[:nearest], passed, programs, commands)
        if verdict == "caught" and not programs.sound(program, commands):
            continue
        if verdict == "SURVIVES":
            return "SURVIVES" if len(passed) == len(fits) else "open", f"{len(passed)} programs pass"
        return verdict, f"{program}: {why}" if program else why


# ── the report ──────────────────────────────────────────────────────────────────────────────────────────────────────

def difference(fault):
    old, new = fault["old"].splitlines(), fault["new"].splitlines()
    return "\n".join(list(difflib.unified_diff(old, new, lineterm="", n=1))[3:])


def earlier(path):
    """Rows of a report: {name: (verdict, by, commit)}."""
    return {row[1]: (row[4].strip(), row[5].strip(), row[6].strip()) for row in ROW.finditer(path.read_text(encoding="utf-8"))} if path.exists() else {}


def write_report(path, faults, results):
    """results: {name: (verdict, by, commit and date)}"""
    lines = ["# Planted faults", "",
             "Written by `make mutants`: single-line faults that were planted one at a time, and the first test that noticed. A fault that no test",
             "notices is a defect that a user could have and nobody would know. `SAMPLE=30 SEED=1` runs thirty; rows of faults that were not run",
             "stay as they were, with their commit. *Open*: the programs that are nearest to the fault pass, and not all others were run.", "",
             "| subject | faults | caught | survive | open | equivalent | not run yet |", "|---|---|---|---|---|---|---|"]
    total = [0] * 6
    for subject in sorted({fault["subject"] for fault in faults}):
        mine = [fault for fault in faults if fault["subject"] == subject]
        verdicts = [results.get(fault["name"], ("not run", "", ""))[0] for fault in mine]
        counts = [len(mine), *(verdicts.count(one) for one in ("caught", "SURVIVES", "open", "equivalent"))]
        counts.append(counts[0] - sum(counts[1:]))
        total = [a + b for a, b in zip(total, counts)]
        lines.append(f"| {subject} | " + " | ".join(map(str, counts)) + " |")
    lines.append("| all | " + " | ".join(map(str, total)) + " |")
    run_so_far = sum(total[1:4])
    if run_so_far:
        lines += ["", f"Of {run_so_far} faults that were run {total[1]} are caught: {100 * total[1] / run_so_far:.1f} %."]
    lines += ["", "## Survivors and open ones"]
    for fault in faults:
        verdict, by, _ = results.get(fault["name"], ("not run", "", ""))
        if verdict in ("SURVIVES", "open"):
            lines += ["", f"{verdict}: `{fault['name']}` in `{fault['file']}` ({by})", "", "```diff", difference(fault), "```"]
    lines += ["", "## Equivalent", ""]
    lines += [f"- `{fault['name']}`: {fault['equivalent']}" for fault in faults if "equivalent" in fault]
    lines += ["", "## All", "", "| fault | subject | class | verdict | noticed by | commit, date |", "|---|---|---|---|---|---|"]
    for fault in faults:
        verdict, by, when = results.get(fault["name"], ("not run", "", ""))
        lines.append(f"| `{fault['name']}` | {fault['subject']} | {fault['class']} | {verdict} | {by.replace('|', '/')} | {when} |")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def choose(faults, arguments, results):
    chosen = [fault for fault in faults if "equivalent" not in fault and (not arguments.only or re.search(arguments.only, fault["subject"] + "/" + fault["name"]))]
    if arguments.survivors:
        chosen = [fault for fault in chosen if results.get(fault["name"], ("",))[0] == "SURVIVES"]
    if arguments.missing:
        chosen = [fault for fault in chosen if results.get(fault["name"], ("",))[0] not in ("caught", "SURVIVES")]
    if arguments.sample:
        chosen = random.Random(arguments.seed).sample(chosen, min(arguments.sample, len(chosen)))
    return chosen


def known_results(faults, report):
    """What the report says of faults that are still in the list."""
    names = {fault["name"] for fault in faults if "equivalent" not in fault}
    results = {name: row for name, row in earlier(report).items() if name in names and row[0] in ("caught", "SURVIVES", "open")}
    return results | {fault["name"]: ("equivalent", "", "") for fault in faults if "equivalent" in fault}


def rewrite(report):
    faults = load()
    write_report(report, faults, known_results(faults, report))


def mixed(faults):
    """Faults of all subjects in turns, so that a run that is ended has seen something of each."""
    turns = {}
    for fault in faults:
        turns.setdefault(fault["subject"], []).append(fault)
    placed = [((k + 0.5) / len(group), fault) for group in turns.values() for k, fault in enumerate(group)]
    return [fault for _, fault in sorted(placed, key=lambda one: one[0])]


def commit_of_code():
    """The checkout's commit; -dirty when it has changes besides what belongs to this tool."""
    commit = subprocess.run(["git", "describe", "--always"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    changed = subprocess.run(["git", "status", "--porcelain", "--", ".", ":!tests/mutants"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return commit + ("-dirty" if changed.strip() else "")


def run(arguments):
    faults, table, report = load(), covers(), Path(arguments.report)
    wrong = list(problems(faults, table))
    if wrong:
        sys.exit("\n".join(wrong))
    commit, results = commit_of_code(), known_results(faults, report)
    chosen = mixed(choose(faults, arguments, results))
    copy_tree()
    programs, begun = Programs(commit), time.monotonic()
    first = arguments.nearest or NEAREST
    commands = Commands({program for fault in chosen for program in programs_of(fault, table, programs.expected)[:first]})
    passed = {fault["name"]: [] for fault in chosen}
    for nearest in [arguments.nearest] if arguments.nearest else [NEAREST, None]:  # the nearest of all faults, then the rest of those that are open
        for number, fault in enumerate(chosen, 1):
            if arguments.minutes and time.monotonic() - begun > 60 * arguments.minutes:
                print(f"{len(chosen) - number + 1} faults are left for want of time")
                return
            start = time.monotonic()
            verdict, by = try_fault(fault, table, programs, commands, passed[fault["name"]], arguments.quick, nearest)
            programs.keep()
            results[fault["name"]] = (verdict, by, f"{commit}, {time.strftime('%Y-%m-%d')}")
            print(f"{number}/{len(chosen)} {fault['name']}: {verdict} ({by}) in {time.monotonic() - start:.0f} s", flush=True)
            if verdict == "SURVIVES":
                print(f"  {fault['file']}\n" + "\n".join("  " + line for line in difference(fault).splitlines()), flush=True)
            write_report(report, faults, results)
        chosen = [fault for fault in chosen if results[fault["name"]][0] == "open"]
    print(f"{sum(results[name][0] == 'SURVIVES' for name in passed)} survive")


def main():
    parser = argparse.ArgumentParser(description="Plants faults and looks whether a test notices.")
    parser.add_argument("what", choices=("check", "run", "report"))
    parser.add_argument("--sample", type=int, help="so many of them, by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="a regular expression that SUBJECT/NAME has to contain")
    parser.add_argument("--minutes", type=float, help="begin none after so many")
    parser.add_argument("--quick", type=float, help="only programs that take at most so many seconds: what survives then is open, to be run again")
    parser.add_argument("--nearest", type=int, help="only so many programs of each fault: likewise")
    parser.add_argument("--survivors", action="store_true", help="those that survive in the report")
    parser.add_argument("--missing", action="store_true", help="those of which the report has no verdict")
    parser.add_argument("--report", default=str(REPORT))
    arguments = parser.parse_args()
    if arguments.what == "report":
        return rewrite(Path(arguments.report))
    if arguments.what == "run":
        return run(arguments)
    wrong = list(problems(load(), covers()))
    print("\n".join(wrong) if wrong else f"{len(load())} faults apply")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
