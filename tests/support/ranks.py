"""Runs of scree-worker-mpi under mpirun, for tests.

Ranks.missing() says what is not there on this machine; "" when nothing is (Debian: openmpi-bin, and libopenmpi-dev when it was built)."""
import json
import os
import re
import shutil
import struct
import subprocess
import time
from array import array
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("SCREE_BUILD", ROOT / "build"))
BUILD = BUILD if BUILD.is_absolute() else ROOT / BUILD
if BUILD.name == "sanitize":  # Open MPI leaves memory behind, which would be each rank's exit code
    os.environ["ASAN_OPTIONS"] = "detect_leaks=0"
ALONE, SHARED = BUILD / "scree-worker", BUILD / "scree-worker-mpi"
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "3000", "OMP_PROC_BIND": "false"}  # as the daemon's workers


def missing():
    """What is not there, for people."""
    if not shutil.which("mpirun"):
        return "mpirun is not installed (Debian: openmpi-bin)"
    return "" if SHARED.exists() else "scree-worker-mpi was built without Open MPI (Debian: libopenmpi-dev)"


def command(directory, ranks, threads=1, checkpoint_seconds=1e6):
    """ranks 0: the worker without MPI."""
    arguments = ["--directory", str(directory), "--threads", str(threads), "--checkpoint-seconds", str(checkpoint_seconds)]
    if ranks == 0:
        return [str(ALONE), *arguments]
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *root, "--oversubscribe", "--bind-to", "none", "-n", str(ranks), str(SHARED), *arguments]


def prepare(directory, scene):
    directory = Path(directory)
    directory.mkdir(parents=True)
    (directory / "scene.json").write_text(json.dumps(scene))
    return directory


def begin(directory, ranks, **options):
    """A run in a directory that was prepared; its messages go to DIRECTORY/log."""
    with open(Path(directory) / "log", "ab") as log:
        return subprocess.Popen(command(directory, ranks, **options), stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=ENVIRONMENT)


def gallery(name):
    """A scene of the gallery, cut as tests/data/same_physics says."""
    values = json.loads((ROOT / "tests" / "data" / "same_physics" / "values.json").read_text())
    scene = json.loads((ROOT / "api" / "gallery" / f"{name}.json").read_text())
    cut = values.get("scenes", values)[name]["cut"]
    scene["time"]["duration"] = cut["duration"]
    scene.setdefault("output", {}).update({key: value for key, value in cut.items() if key != "duration"})
    return scene


def last(directory, series):
    """The last sample of a curve in a recording."""
    data, at, value = (Path(directory) / "recording.scree").read_bytes(), 8, None
    names = []
    while at + 32 <= len(data):
        size, kind = struct.unpack_from("<IH", data, at)
        payload = data[at + 32 : at + 32 + size]
        if kind == 2:
            names = [each["name"] for each in json.loads(payload)["series"]]
        if kind == 4:
            value = array("d", payload[16:])[-len(names) + names.index(series)]
        at += 32 + (size + 7) // 8 * 8
    return value


def moves(directory):
    """How often work was shared out anew in a run."""
    return sum(int(number) for number in re.findall(r"shared out anew (\d+) times", (Path(directory) / "log").read_text()))


def memory(process, ranks):
    """Most memory of each process of a run until it ends, bytes, in the order of their ids; ends with it."""
    most = {}
    while process.poll() is None:
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=False).stdout.split()
        for pid in listed if ranks else [process.pid]:
            try:
                status = Path("/proc", str(int(pid)), "status").read_text()
            except OSError:
                continue
            peak = re.search(r"VmHWM:\s+(\d+) kB", status)
            if peak:
                most[int(pid)] = 1024 * int(peak[1])
        time.sleep(0.05)
    return [most[pid] for pid in sorted(most)]
