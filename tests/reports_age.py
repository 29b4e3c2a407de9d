#!/usr/bin/env python3
"""Sections of committed reports that are older than the code they speak of: how many commits have changed it since they were measured.
A commit that changes comments, white space, pages of text or the folder of a file alone changes no code, and does not count.

    reports_age.py [--oldest N]        all sections, or the N oldest; the oldest first
    reports_age.py --plan              what to run so that none is older than LIMIT commits: commands, and the time they took when they ran last

A section is what a heading `## ` begins, or a whole report without one. When it was measured stands in it (`commit abc123`, as make validate writes
it); where it does not, its newest line's commit counts, which is later rather than earlier. What it speaks of is in CODE: by the longest beginning of
`report#section`; of a planted fault, its file: its verdict is as old as the changes of that."""
import argparse
import functools
import hashlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from suites import sources

ROOT = Path(__file__).resolve().parents[1]
SHARED = ["core/sim", "core/linalg", "core/geometry"]
METHODS = {name: [f"core/methods/{name}"] for name in ("peridem", "bdem", "fem", "fibre", "granular", "lsdem", "rigid")}
CODE = {
    "tests/reports/validation/REPORT.md#validate_contact": ["core/contact"],
    "tests/reports/validation/REPORT.md#validate_linalg": ["core/linalg"],
    "tests/reports/validation/REPORT.md#validate_level_set_mesh": ["core/geometry"],
    "tests/reports/validation/REPORT.md#": ["core/methods", "core/sim"],
    "tests/reports/validation/LSDEM": METHODS["lsdem"],
    "tests/reports/validation/ROUND_ROBIN.md": ["core/methods"],
    "tests/reports/validation/SAME_PHYSICS.md": ["core/methods", "core/sim"],
    "tests/reports/validation/SWEEP.md": ["core/methods", "core/sim"],
    "tests/reports/validation/TWINS.md": ["server/study/calibration"],
    "tests/reports/bench/AGGREGATE.md": METHODS["peridem"],
    "tests/reports/bench/COARSENING.md": METHODS["fem"],
    "tests/reports/bench/COMPARE.md": METHODS["peridem"] + METHODS["bdem"],
    "tests/reports/bench/CONTACT.md": ["core/contact", "core/methods/rigid"],
    "tests/reports/bench/CONTACT_PROBLEMS.md": ["core/contact"],
    "tests/reports/bench/COSTS.md": ["core/methods"],
    "tests/reports/bench/DEVICES.md": METHODS["peridem"] + ["core/device"],
    "tests/reports/bench/ESTIMATES.md": METHODS["bdem"],
    "tests/reports/bench/KALTHOFF.md": METHODS["peridem"],
    "tests/reports/bench/KILLS.md": ["server"],
    "tests/reports/bench/LSDEM.md": METHODS["lsdem"],
    "tests/reports/bench/OPTIMIZERS.md": ["core/methods/bdem/implicit", "tests/studies/optimizers"],
    "tests/reports/bench/PERIDEM.md": METHODS["peridem"],
    "tests/reports/bench/PRECONDITIONERS.md": ["core/linalg/block6"],
    "tests/reports/bench/REPORT.md": ["core/methods/bdem", "core/methods/fem", "core/linalg"],
    "tests/reports/bench/GRANULAR.md": METHODS["granular"],
    "tests/reports/bench/RIGID": METHODS["rigid"],
    "tests/reports/bench/PACKS.md": METHODS["rigid"] + ["core/contact"],
    "tests/reports/bench/FIBRE.md": ["core/methods/fibre", "core/contact"],
    "tests/reports/bench/SCALE.md": METHODS["peridem"] + ["core/base", "core/run"],
    "tests/reports/bench/SLURM.md": ["server/executor/slurm", "server/worker", "server/supervisor"],
    "tests/reports/bench/STORE.md": ["server/store"],
    "tests/reports/bench/STUDY_ROWS.md": ["server/lab", "server/store", "server/study"],
    "tests/reports/bench/TABLE": METHODS["bdem"],
    "tests/reports/bench/VIEWERS.md": ["api/stream"],
    "tests/reports/bench/WEB.md": ["web/src/view", "web/src/recording", "web/src/pages"],
    "tests/reports/mutants/REPORT.md": ["core", "server", "api/stream"],
}
CODE |= {f"tests/reports/validation/REPORT.md#validate_{name}": folders + SHARED for name, folders in METHODS.items()}
CODE |= {f"tests/reports/validation/SWEEP.md#{name}": folders + SHARED for name, folders in METHODS.items()}
CODE |= {f"tests/reports/bench/GALLERY.md#{name}": folders for name, folders in METHODS.items()} | {"tests/reports/bench/GALLERY.md": ["core/methods"]}
LIMIT = 20  # commits of its code that a section may be behind
REPORT = "tests/reports/validation/REPORT.md"
COMMANDS = {  # of other reports: what writes them
    "tests/reports/validation/LSDEM.md": "make study-lsdem",
    "tests/reports/validation/ROUND_ROBIN.md": "make round-robin",
    "tests/reports/validation/SAME_PHYSICS.md": "make same-physics-builds OLD=...",
    "tests/reports/validation/SWEEP.md": "make sweep METHOD=\"{title}\"",
    "tests/reports/validation/TWINS.md": "make study-twins",
    "tests/reports/bench/AGGREGATE.md": "make study-aggregate",
    "tests/reports/bench/KALTHOFF.md": "make study-kalthoff",
    "tests/reports/bench/COARSENING.md": "make bench-coarsening",
    "tests/reports/bench/COMPARE.md": "make bench-compare OLD=...",
    "tests/reports/bench/CONTACT.md": "make bench-contact",
    "tests/reports/bench/CONTACT_PROBLEMS.md": "make bench-contact-problems",
    "tests/reports/bench/COSTS.md": "make study-costs",
    "tests/reports/bench/ESTIMATES.md": "make study-estimates",
    "tests/reports/bench/KILLS.md": "make study-kills",
    "tests/reports/bench/STUDY_ROWS.md": "make study-rows",
    "tests/reports/bench/LSDEM.md": "make bench-lsdem",
    "tests/reports/bench/OPTIMIZERS.md": "make study-optimizers",
    "tests/reports/bench/PERIDEM.md": "make bench-peridem",
    "tests/reports/bench/REPORT.md": "make bench-bdem-fem",
    "tests/reports/bench/GRANULAR.md": "make bench-granular",
    "tests/reports/bench/RIGID.md": "make bench-rigid",
    "tests/reports/bench/PACKS.md": "make bench-packs",
    "tests/reports/bench/FIBRE.md": "make bench-fibre",
    "tests/reports/bench/GALLERY.md": "make study-gallery METHOD=\"{title}\"",
    "tests/reports/bench/SLURM.md": "make study-slurm",
    "tests/reports/bench/STORE.md": "make bench-store",
    "tests/reports/bench/TABLE1.md": "make study-table1",
    "tests/reports/bench/TABLE2.md": "make study-scale",
    "tests/reports/bench/VIEWERS.md": "make bench-viewers",
    "tests/reports/bench/WEB.md": "make bench-web",
    "tests/reports/mutants/REPORT.md": "make mutants",
}
TOOK = re.compile(r"^## (\S+) \((\d+) s\)", re.M)
FAULTS = "tests/reports/mutants/REPORT.md"
VERDICT = re.compile(r"\| `([^`]+)` \|.*\| ([0-9a-f]{7,40})(?:-dirty)?, [0-9-]+ \|$")
MEASURED = re.compile(r"[Cc]ommit `?([0-9a-f]{7,40})")


@functools.cache
def git(*arguments):
    """What git prints; asked once for the same, as nothing here changes the history."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    return done.stdout if done.returncode == 0 else ""


def code_of(report, title):
    """Folders that a section speaks of; None: no entry in CODE."""
    place = f"{report}#{title}"
    return CODE.get(max((one for one in CODE if place.startswith(one)), key=len, default=None))


def lines_of(report):
    """Lines of a report as (commit, time of it, text); those not committed yet have commit 0."""
    lines, commit, times = [], "", {}
    for line in git("blame", "--porcelain", "--", report).split("\n"):
        if re.match(r"[0-9a-f]{40} \d+ \d+", line):
            commit = line[:40]
        elif line.startswith("committer-time "):
            times[commit] = int(line[15:])
        elif line.startswith("\t"):
            lines.append((commit, times.get(commit, 0), line[1:]))
    return lines


def sections_of(report):
    """(title, commit at which it was measured, or its newest line's)."""
    parts = [("", [])]
    for line in lines_of(report):
        if line[2].startswith("## "):
            parts.append((line[2][3:].split(" (")[0].strip(), []))
        parts[-1][1].append(line)
    if len(parts) > 1:
        parts = parts[1:] if not any("|" in line[2] for line in parts[0][1]) else parts
    for title, lines in parts:
        said = next((match[1] for line in lines if (match := MEASURED.search(line[2]))), None)
        committed = [line for line in lines if set(line[0]) != {"0"}]
        if committed and not (said and git("cat-file", "-t", said)):
            said = max(committed, key=lambda line: line[1])[0]
        yield title, said


def bare(source):
    """A digest of what a compiler sees of a file: without comments, white space and the places of included files."""
    text = re.sub(rb'/\*.*?\*/|//[^\n]*|^#include[^\n]*|"scree/[^"]*"', b"", source, flags=re.M | re.S)
    return hashlib.sha1(b"".join(text.split())).digest()


def bare_blobs(names):
    """The digest of each blob, by its name."""
    batch = subprocess.run(["git", "cat-file", "--batch"], cwd=ROOT, input="\n".join(names).encode(), capture_output=True, check=True).stdout
    found, at = {}, 0
    while at < len(batch):
        end = batch.index(b"\n", at)
        name, _, size = batch[at:end].split()
        found[name.decode()] = bare(batch[end + 1:end + 1 + int(size)])
        at = end + 2 + int(size)
    return found


@functools.cache
def changed_paths():
    """Of each commit that a section may be behind: the files whose code it changed. A file that only moved is not among them."""
    commits, none = {}, "0" * 40
    for line in git("log", "--no-merges", "--format=@%H", "--raw", "--no-renames", "--no-abbrev", "--", *sorted({root for folders in CODE.values() for root in folders})).split("\n"):
        if line.startswith("@"):
            commits[line[1:]] = changes = []
        elif line.startswith(":") and not line.endswith(".md"):
            (_, _, old, new, _), path = line[1:].split("\t")[0].split(), line.split("\t")[1]
            changes.append((path, old, new))
    digest = bare_blobs({name for changes in commits.values() for change in changes for name in change[1:]} - {none})
    digest[none] = None
    changed = {}
    for commit, changes in commits.items():
        before, after = ([digest[change[k]] for change in changes] for k in (1, 2))
        changed[commit] = [path for path, old, new in changes if digest[old] != digest[new] and
                           (before.count(digest[new]) == 0 or new == none) and (after.count(digest[old]) == 0 or old == none)]
    return changed


@functools.cache
def touched(commit, folders):
    """Commits after one that changed code in folders."""
    changed = changed_paths()
    return sum(any(path.startswith(folder) for path in changed.get(later, ()) for folder in folders)
               for later in git("rev-list", f"{commit}..HEAD", "--", *folders).split())


def fault_ages():
    """Of each verdict in the report of planted faults: how many commits have changed code in files of the fault's file's name since, fault, commit."""
    files = {fault["name"]: Path(fault["file"]).name for path in (ROOT / "tests" / "mutants").glob("*.toml")
             for fault in tomllib.loads(path.read_text(encoding="utf-8")).get("fault", ())}
    order, changed = git("rev-list", "HEAD").split(), changed_paths()
    place = {commit: k for k, commit in enumerate(order)}
    for newest, _, text in lines_of(FAULTS):
        row = VERDICT.match(text)
        if row and row[1] in files:
            commit = git("rev-parse", "--verify", "--quiet", row[2] + "^{commit}").strip()
            commit = commit if commit in place else newest  # of a branch that was never taken in as it was: when its row came
            later = order[:place.get(commit, 0)]
            yield sum(any(Path(path).name == files[row[1]] for path in changed.get(one, ())) for one in later), row[1], commit


def ages():
    oldest = max(fault_ages(), default=None)
    if oldest:
        yield oldest[0], FAULTS, f"`{oldest[1]}`", oldest[2][:9], git("log", "-1", "--format=%cs", oldest[2]).strip()
    for report in git("ls-files", "tests/**/*.md").split("\n"):
        if report == FAULTS or not any(key.split("#")[0] and report.startswith(key.split("#")[0]) for key in CODE):
            continue
        for title, commit in sections_of(report):
            folders = code_of(report, title)
            if folders and commit and title != "Totals":
                yield touched(commit, tuple(folders)), report, title, commit[:9], git("log", "-1", "--format=%cs", commit).strip()


def is_shallow():
    return git("rev-parse", "--is-shallow-repository").strip() != "false"


def times():
    """Seconds that the programs of the validation report took when they ran last."""
    return {name: int(seconds) for name, seconds in TOOK.findall((ROOT / REPORT).read_text(encoding="utf-8"))}


def stale_programs(limit=LIMIT):
    """Programs of the validation report whose section is older than `limit` commits of its code, or that have none yet."""
    if is_shallow():
        sys.exit("reports: no whole history here, so their age is not known")
    old = {title for count, report, title, *_ in ages() if report == REPORT and count > limit}
    there = {path.stem for end in (".c", ".py") for path in sources("validation", end)}
    return sorted(there & old | there - set(times()))


def plan():
    """Lines that say what to run for reports that are behind, and for how long."""
    programs, took = stale_programs(), times()
    seconds = sum(took.get(name, 0) for name in programs)
    new = sum(name not in took for name in programs)
    yield (f"make validate ONLY=stale    # {len(programs)} programs, {seconds / 60:.0f} min one after the other when they ran last"
           f"{f', {new} of them new' if new else ''}")
    behind = {}
    for count, report, title, *_ in ages():
        if report != REPORT and count > LIMIT:
            command = COMMANDS.get(report, f"by hand: {report}").format(title=title.split()[0] if title else "")
            behind[command] = max(count, behind.get(command, 0))
    for command, count in sorted(behind.items(), key=lambda one: -one[1]):
        yield f"{command}    # {count} commits behind"


def main():
    parser = argparse.ArgumentParser(description="Lists report sections that are older than their code.")
    parser.add_argument("--oldest", type=int, help="only so many")
    parser.add_argument("--plan", action="store_true", help="what to run so that none is behind")
    arguments = parser.parse_args()
    if is_shallow():
        print("reports: no whole history here, so their age is not known")
        return 0
    if arguments.plan:
        print("\n".join(plan()))
        return 0
    found = sorted(ages(), key=lambda age: (-age[0], age[1:]))
    for count, report, title, commit, date in found[:arguments.oldest]:
        print(f"{count:5} commits since {commit} of {date}: {report}{': ' + title if title else ''}")
    if not arguments.oldest:
        print(f"{sum(age[0] > LIMIT for age in found)} of {len(found)} sections are older than {LIMIT} commits of their code")
    return 0


if __name__ == "__main__":
    sys.exit(main())
