"""What a section of a report says of its numbers: of which code they are, when, where and in what time they were measured."""
import os
import re
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def machine():
    """What this runs on, in a few words."""
    info = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*:\s*(.*)", info.read_text(encoding="utf-8")) if info.exists() else None
    return f"{model[1].strip() if model else 'an unknown processor'}, {len(os.sched_getaffinity(0))} cores"


def commit():
    """The code that is measured; `-dirty` where a file other than a report differs from the commit."""
    git = lambda *arguments: subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    said = git("describe", "--always", "--exclude=*").stdout.strip()
    dirty = git("diff", "--quiet", "HEAD", "--", ".", ":!tests/reports").returncode != 0
    return said + ("-dirty" if dirty else "") if said else "unknown"


def measured(seconds, load=None):
    """The line, with its line feed. `load`: of the machine before it began, where times hang on it."""
    before = "" if load is None else f" Load {load:.1f} before it began."
    return f"Commit `{commit()}`, {time.strftime('%Y-%m-%d')}, {machine()}, {seconds:.0f} s.{before}\n"
