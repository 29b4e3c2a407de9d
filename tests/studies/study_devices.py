#!/usr/bin/env python3
"""Every scene of the gallery under peridem, and under bdem with explicit steps, on the processor and on a device: the same bytes, and how long it
takes.

    study_devices.py SCREE OUT.md [--seconds S] [--device NAME] [--only SCENE]

Each scene runs on the processor, by one thread, as far as --seconds (3) go by its estimate, at least 100 steps, and on the device. Recordings are
compared record by record, without the kernels that they name and the digest that those are part of. A device that is no GPU (pocl) shows the bits,
not the speed of one. bdem on a device gives the bits of the processor's AVX2 kernel. Where the processor takes another, its recording is not
compared: the device's of one thread is, with that of two (`tests/unit/bdem/test_bdem_device.c` compares it with AVX2's)."""
import argparse
import json
import os
import struct
import subprocess
import tempfile
import time
from pathlib import Path

GALLERY = Path(__file__).resolve().parents[2] / "api" / "gallery"
HEAD = """# Runs on a device

Made by `make study-devices` (tests/studies/study_devices.py, whose head says how).

Device: {device}. {speed}

| scene | method | nodes | steps | bonds broken | recordings | records | on the processor, s | on the device, s |
|---|---|---|---|---|---|---|---|---|
"""
TOPOLOGY, END = 2, 7
LEAST = 100  # steps
METHODS = ("peridem", "bdem")


def records(path):
    """Kind, time and payload of each record."""
    data, at = path.read_bytes(), 8
    while at < len(data):
        size, kind, _, _, when, _, _ = struct.unpack_from("<IHHQdII", data, at)
        payload = data[at + 32:at + 32 + size]
        if kind in (TOPOLOGY, END):
            payload = {key: value for key, value in json.loads(payload).items() if key not in ("kernels", "digest")}
        yield kind, when, payload
        at += (32 + size + 7) // 8 * 8


def bits_of(folder):
    """Which kernels' bits a run's recording has: names in their order."""
    data, at = Path(folder, "recording.scree").read_bytes(), 8
    while at < len(data):
        size, kind = struct.unpack_from("<IH", data, at)
        if kind == TOPOLOGY:
            kernels = json.loads(data[at + 32:at + 32 + size]).get("kernels", [])
            return [kernel.get("same_bits_as") or kernel["variant"] for kernel in kernels]
        at += (32 + size + 7) // 8 * 8
    return []


def run(scree, scene, folder, threads=1):
    """Seconds and the records of a run; why not, where it fails."""
    begun = time.monotonic()
    done = subprocess.run([scree, "run", "-", "-q", "-t", str(threads), "-o", folder], input=json.dumps(scene), capture_output=True, text=True, check=False,
                          env=dict(os.environ, OMP_WAIT_POLICY="passive"))
    taken = time.monotonic() - begun
    if done.returncode not in (0, 8):
        return taken, done.stderr.strip().splitlines()[-1][:200]
    return taken, list(records(Path(folder, "recording.scree")))


def chosen(scree, name):
    listed = json.loads(subprocess.run([scree, "devices", "--json"], capture_output=True, text=True, check=True).stdout)
    usable = [one for one in listed["devices"] if one["usable"] and name in (None, one["name"])]
    return sorted(usable, key=lambda one: not one["gpu"])[0] if usable else None, listed["notes"]


def shortened(scree, path, scene, seconds):
    """The scene as far as so many seconds go by its estimate, and the estimate; None: the check refuses it."""
    told = subprocess.run([scree, "check", path, "--json"], capture_output=True, text=True, check=False)
    if told.returncode != 0:
        return None
    estimate = json.loads(told.stdout)["estimate"]
    steps = min(estimate["step_count"], max(LEAST, round(estimate["step_count"] * seconds / estimate["run_seconds"])))
    scene["time"]["duration"] = scene["time"]["duration"] * steps / estimate["step_count"]
    scene["output"] = dict(scene.get("output", {}), frame_interval=scene["time"]["duration"] / 3, sample_interval=None)
    return estimate


def compare(given, device, path, scene):
    """A scene's line, and whether nothing differs."""
    blank = f"| `{path.stem}` | {scene['method']} | | | | "
    estimate = shortened(given.scree, path, scene, given.seconds)
    if not estimate:
        return blank + "refused by the check | | | |\n", True
    with tempfile.TemporaryDirectory() as folder:
        here, mine = run(given.scree, scene, f"{folder}/cpu")
        there, theirs = run(given.scree, dict(scene, run={"device": device}), f"{folder}/device")
        if isinstance(theirs, str) and "implicit steps" in theirs:
            return blank + "implicit steps, refused | | | |\n", True
        bits = [] if isinstance(mine, str) or isinstance(theirs, str) else [bits_of(f"{folder}/{where}") for where in ("cpu", "device")]
        agree = not bits or bits[0] == bits[1]
        if not agree:
            _, mine = run(given.scree, dict(scene, run={"device": device}), f"{folder}/two", threads=2)
    same = isinstance(mine, list) and mine == theirs
    end = next((payload for kind, _, payload in mine if kind == END), {}) if isinstance(mine, list) else {}
    broken = next((one["value"] for one in end.get("headlines", []) if one["name"] == "broken_bonds"), 0)
    verdict = ("the same" if agree else f"by 1 and 2 threads the same; the processor's are {', '.join(bits[0])}") if same \
        else f"DIFFERENT: {theirs if isinstance(theirs, str) else 'bytes'}"
    return (f"| `{path.stem}` | {scene['method']} | {estimate['node_count']:,} | {end.get('step', 0)} | {broken:.0f} | {verdict} | {len(mine)} | "
            f"{here:.1f} | {there:.1f} |\n"), same


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scree")
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--device")
    parser.add_argument("--only", action="append")
    given = parser.parse_args()
    device, notes = chosen(given.scree, given.device)
    if not device:
        raise SystemExit(f"no device here: {'; '.join(notes)}")
    os.environ.setdefault("POCL_CACHE_DIR", str(Path(given.scree).resolve().parent / "pocl-cache"))
    speed = "It is no GPU: times are those of the same processor by another compiler, with its start, and say nothing of a GPU. " \
        "No GPU was at hand." if not device["gpu"] else "Times are of whole runs, the device's start included."
    lines = [HEAD.format(speed=speed,
                         device=f"{device['name']}, {device['title']} ({device['by']}, {device['version']})")]
    differ = 0
    for path in sorted(GALLERY.glob("*.json")):
        scene = json.loads(path.read_text())
        if scene["method"] not in METHODS or (given.only and path.stem not in given.only):
            continue
        line, same = compare(given, device["name"], path, scene)
        differ += not same
        lines.append(line)
        print(line, end="", flush=True)
    Path(given.out).write_text("".join(lines))
    raise SystemExit(f"{differ} scenes differ" if differ else 0)


if __name__ == "__main__":
    main()
