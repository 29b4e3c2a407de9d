"""Compares digests of the curves and frames of short gallery runs with those recorded before a change: the same physics to the last bit.

    python3 same_physics.py SCREE [--scene NAME ...] [--quick] [--threads 1,2] [--jobs N]      ends with 1 when anything differs
    python3 same_physics.py SCREE --record [--scene NAME ...]                                  records what SCREE gives

SCREE is the command line program. Each processor has a file of its own in tests/data/same_physics, since digests hold for one processor and one
version of the compiler; where there is none for this one, nothing is compared ("skipped"). A digest doesn't know the file's form: of a curve it is the SHA-256 of its values as doubles, of a field of a
drawable that of the times, shapes and decoded values (as doubles) in every frame. Both are found by name, so their order may change, and new
ones are only named. Curves that begin with `clock.` are left out. Beside its digests each scene has how it was cut to a run of a second or two.

A scene is cut by its duration alone; its intervals of output are shortened where less than 24 samples or 4 frames would be left, but never
where an implicit step is cut to the interval. Standard library only.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from array import array
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

ROOT = Path(__file__).resolve().parent.parent.parent
GALLERY = ROOT / "api" / "gallery"
DATA = ROOT / "tests" / "data" / "same_physics"
TOPOLOGY, FRAME, CURVE = 2, 3, 4  # types of records
QUICK = ("beam-twist", "brick-drop", "card-house", "chocolate-drop", "cloth-tear", "hollow-sphere-crush", "hopper", "wedge-split")  # bdem, peridem, rigid
SECONDS = 2.0  # of processor time that a recorded run should take
SAMPLES, FRAMES = 24, 4
Digests = Dict[str, str]


class Run(NamedTuple):
    """What one run left."""
    digests: Digests  # by "curve NAME" and "frames DRAWABLE.FIELD"
    samples: int
    frames: int
    touched: bool  # a curve of a contact force or energy is not 0 throughout
    seconds: float  # of processor time


# ── recordings ──────────────────────────────────────────────────────────────────────────────────────────────────────


def records(data: bytes) -> Iterator[Tuple[int, float, bytes]]:
    """Type, time and payload of every record (core/record/FORMAT.md)."""
    at = 8
    while at + 32 <= len(data):
        size, kind, _, _, time = struct.unpack_from("<IHHQd", data, at)
        yield kind, time, data[at + 32 : at + 32 + size]
        at += 32 + (size + 7) // 8 * 8


def decoded(payload: bytes, at: int, encoding: int, size: int, low: Tuple[float, ...], high: Tuple[float, ...]) -> array[float]:
    """One array of a frame as doubles."""
    kinds = {0: "f", 1: "H", 2: "I"}
    if encoding not in kinds:
        raise ValueError(f"arrays of encoding {encoding} are not known here: see core/record/FORMAT.md and extend decoded()")
    raw = array(kinds[encoding])
    raw.frombytes(payload[at : at + size])
    if encoding != 1:
        return array("d", raw)
    components = len(low)
    steps = [(high[c] - low[c]) / 65535 for c in range(components)]
    values = array("d", bytes(8 * len(raw)))
    for c in range(components):
        values[c::components] = array("d", [low[c] + steps[c] * q for q in raw[c::components]])
    return values


def fields(payload: bytes, topology: Dict[str, Any]) -> Iterator[Tuple[str, int, int, array[float]]]:
    """Name, elements, components and values of every array of a frame; a drawable may have several blocks."""
    drawables = {drawable["id"]: drawable for drawable in topology["drawables"]}
    blocks, at = struct.unpack_from("<I", payload)[0], 8
    for _ in range(blocks):
        drawable, elements, arrays, _ = struct.unpack_from("<IIII", payload, at)
        at += 16
        for _ in range(arrays):
            field, encoding, components, size, *bounds = struct.unpack_from("<IIII3d3d", payload, at)
            at += 64
            name = f"{drawables[drawable]['name']}.{drawables[drawable]['fields'][field]['name']}"
            yield name, elements, components, decoded(payload, at, encoding, size, tuple(bounds[:components]), tuple(bounds[3 : 3 + components]))
            at += (size + 7) // 8 * 8


def digest_recording(path: Path) -> Tuple[Digests, int, int, bool]:
    """Digests, samples, frames and whether anything touched."""
    names: List[str] = []
    columns: List[array[float]] = []
    frames: Dict[str, Any] = {}
    topology: Dict[str, Any] = {}
    frame_count = 0
    for kind, time, payload in records(path.read_bytes()):
        if kind == TOPOLOGY:
            topology = json.loads(payload)
            names = [series["name"] for series in topology["series"]]
            columns = [array("d") for _ in names]
        elif kind == CURVE:
            _, samples, series = struct.unpack_from("<QII", payload)
            values = array("d", payload[16 : 16 + 8 * samples * series])
            for k in range(series):
                columns[k].extend(values[k::series])
        elif kind == FRAME:
            frame_count += 1
            for name, elements, components, values in fields(payload, topology):
                sha = frames.setdefault(name, hashlib.sha256())
                sha.update(struct.pack("<dII", time, elements, components))
                sha.update(values.tobytes())
    digests = {f"curve {name}": hashlib.sha256(name.encode() + b"\0" + column.tobytes()).hexdigest()[:32]
               for name, column in zip(names, columns) if not name.startswith("clock.")}
    digests.update({f"frames {name}": sha.hexdigest()[:32] for name, sha in frames.items()})
    touched = any(any(column) for name, column in zip(names, columns)
                  if re.match(r"(wall|obstacle|roller|jaw|platen)\..*force|energy\.(contact|wall)$", name))
    return digests, len(columns[0]) if columns else 0, frame_count, touched


# ── runs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def machine() -> str:
    """The processor's model: libraries of linear algebra choose their kernels by it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return "unknown"
    found = [re.search(rf"^{key}\s*: (.*)$", text, re.M) for key in ("vendor_id", "cpu family", "model")]
    return " ".join(match[1] for match in found if match) or "unknown"


def data_file(folder: Path) -> Path:
    """Where the digests of this processor stand."""
    return folder / (re.sub(r"[^A-Za-z0-9]+", "-", machine()) + ".json")


def compiler(scree: Path) -> str:
    """The compiler that the program says it was made by."""
    found = re.search(rb"(GCC: \([^)\0]*\) [0-9.]+|clang version [0-9.]+)", scree.read_bytes())
    return found[1].decode() if found else "unknown"


def cut_scene(scene: Dict[str, Any], cut: Dict[str, float]) -> Dict[str, Any]:
    """The scene with the duration and intervals of `cut`."""
    output = {**scene.get("output", {}), **{key: cut[key] for key in ("sample_interval", "frame_interval") if key in cut}}
    return {**scene, "time": {**scene["time"], "duration": cut["duration"]}, "output": output}


def run_scene(scree: Path, scene: Dict[str, Any], threads: int) -> Run:
    """Raises RuntimeError with what the program said when it leaves no whole recording."""
    with tempfile.TemporaryDirectory(prefix="scree-same-") as folder:
        file = Path(folder) / "scene.json"
        file.write_text(json.dumps(scene))
        with open(Path(folder) / "said", "w+", encoding="utf-8") as said:
            process = subprocess.Popen([scree, "run", file, "-o", Path(folder) / "out", "-t", str(threads), "-q"], stdout=subprocess.DEVNULL,
                                       stderr=said, env=dict(os.environ, OMP_WAIT_POLICY="passive"))
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            if process.returncode not in (0, 8):  # 8: with doubts
                raise RuntimeError(f"ended with {process.returncode}: {said.read().strip()[-1500:]}")
        return Run(*digest_recording(Path(folder) / "out" / "recording.scree"), used.ru_utime + used.ru_stime)


def intervals(scree: Path, scene: Dict[str, Any], duration: float) -> Dict[str, float]:
    """The cut to a duration, with intervals of output that leave enough samples and frames where steps don't end at outputs."""
    cut = {"duration": duration}
    said = subprocess.run([scree, "check", "-", "--json"], input=json.dumps(cut_scene(scene, cut)), capture_output=True, text=True)
    step = json.loads(said.stdout)["estimate"]["time_step"]
    implicit = scene.get("options", {}).get("integrator", "explicit") != "explicit"
    if implicit:
        return cut
    for key, count in (("sample_interval", SAMPLES), ("frame_interval", FRAMES)):
        given = scene.get("output", {}).get(key, scene["time"]["duration"] / 100)
        cut[key] = min(given, max(step, duration / count))
    return cut


def cut_by_trial(scree: Path, scene: Dict[str, Any]) -> Tuple[Dict[str, float], Run]:
    """A scene cut to SECONDS of processor time, or its whole duration, and its run."""
    whole = scene["time"]["duration"]
    duration = min(whole, max(whole / 256, 4 * (scene["time"].get("time_step") or 0)))  # a step may not be longer than the run
    while True:
        cut = intervals(scree, scene, duration)
        run = run_scene(scree, cut_scene(scene, cut), 1)
        if duration >= whole or run.seconds > 0.7 * SECONDS:
            return cut, run
        duration = min(whole, duration * (2 if run.seconds < 0.3 * SECONDS else SECONDS / run.seconds))


def cut_as_before(scree: Path, scene: Dict[str, Any], earlier: Dict[str, Any]) -> Optional[Tuple[Dict[str, float], Run]]:
    """The cut that was recorded, so that only digests of what changed differ; None where it is no longer right for the scene."""
    duration, whole = earlier["cut"]["duration"], scene["time"]["duration"]
    if duration > whole:
        return None
    run = run_scene(scree, cut_scene(scene, earlier["cut"]), 1)
    return (earlier["cut"], run) if run.seconds < 3 * SECONDS and (duration == whole or run.seconds > 0.3 * SECONDS) else None


def record_scene(scree: Path, scene: Dict[str, Any], earlier: Optional[Dict[str, Any]]) -> Dict[str, Any]:
    """A scene's entry in the data file, with the cut of the one before if there is one that still fits."""
    kept = cut_as_before(scree, scene, earlier) if earlier else None
    cut, run = kept or cut_by_trial(scree, scene)
    whole = scene["time"]["duration"]
    again = run_scene(scree, cut_scene(scene, cut), 2)
    if again.digests != run.digests:
        raise RuntimeError("one thread and two give different results")
    print(f"   cut to {cut['duration']:.4g} s of {whole:g} s: {run.samples} samples, {run.frames} frames, {run.seconds:.1f} s of processor time, "
          f"{'touching' if run.touched else 'without contact'}", flush=True)
    return {"cut": cut, "seconds": round(run.seconds, 1), "samples": run.samples, "frames": run.frames, "touched": run.touched, "digests": run.digests}


# ── comparing ───────────────────────────────────────────────────────────────────────────────────────────────────────


def differences(expected: Digests, found: Digests) -> Tuple[List[str], List[str]]:
    """What is wrong: names that are missing or differ; and names that are new."""
    wrong = [f"{name} is missing" for name in expected if name not in found]
    wrong += [f"{name} differs" for name in expected if name in found and found[name] != expected[name]]
    return wrong, [name for name in found if name not in expected]


def compare_scene(scree: Path, name: str, scene: Dict[str, Any], entry: Dict[str, Any], threads: List[int]) -> Tuple[bool, str]:
    """Whether a scene gives what was recorded, and a line or more that say so."""
    lines = []
    for count in threads:
        try:
            run = run_scene(scree, cut_scene(scene, entry["cut"]), count)
        except (RuntimeError, ValueError, KeyError, OSError, struct.error) as reason:
            return False, f"not ok - {name}, {count} threads: {reason}"
        wrong, new = differences(entry["digests"], run.digests)
        lines.append(f"{'not ok' if wrong else 'ok'} - {name}, {count} thread{'s' if count > 1 else ''}: {len(entry['digests']) - len(wrong)} of "
                     f"{len(entry['digests'])} the same{', new: ' + ', '.join(new) if new else ''} ({run.seconds:.1f} s)")
        lines += [f"#   {text}" for text in wrong]
        if wrong:
            return False, "\n".join(lines)
    return True, "\n".join(lines)


def read_scenes(chosen: Optional[List[str]]) -> Dict[str, Dict[str, Any]]:
    scenes = {file.stem: json.loads(file.read_text()) for file in sorted(GALLERY.glob("*.json")) if not chosen or file.stem in chosen}
    unknown = set(chosen or ()) - set(scenes)
    if unknown:
        sys.exit(f"same_physics: the gallery has no scene {', '.join(sorted(unknown))}")
    return scenes


def record(scree: Path, scenes: Dict[str, Dict[str, Any]], folder: Path) -> int:
    about = {"processor": machine(), "compiler": compiler(scree)}
    folder.mkdir(exist_ok=True)
    data = data_file(folder)
    stored = json.loads(data.read_text()) if data.exists() else {**about, "scenes": {}}
    kept = [name for name in stored["scenes"] if name not in scenes]
    if kept and any(stored[what] != about[what] for what in about):
        sys.exit(f"same_physics: {', '.join(kept)} were recorded with {stored['processor']} and {stored['compiler']}: record all scenes at once")
    for name, scene in scenes.items():
        print(name, flush=True)
        stored["scenes"][name] = record_scene(scree, scene, stored["scenes"].get(name))
        stored.update(about)
        data.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares short gallery runs with recorded digests.")
    parser.add_argument("scree", type=Path)
    parser.add_argument("--scene", action="append", help="only this scene of the gallery; may be given several times")
    parser.add_argument("--quick", action="store_true", help="a few scenes that show most of bdem, peridem and rigid")
    parser.add_argument("--threads", default="1,2", help="thread counts, by default 1,2")
    parser.add_argument("--jobs", type=int, default=1, help="runs at once")
    parser.add_argument("--record", action="store_true", help="record instead of comparing")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the files, one a processor")
    given = parser.parse_args()
    scenes = read_scenes(list(QUICK) if given.quick else given.scene)
    if given.record:
        return record(given.scree, scenes, given.data)
    data = data_file(given.data)
    if not data.exists():
        print(f"ok - # SKIP nothing is recorded for the processor {machine()}: not compared")
        return 0
    stored = json.loads(data.read_text())
    if stored["compiler"] != compiler(given.scree):
        print(f"ok - # SKIP other compiler: not compared ({stored['compiler']} when recorded, {compiler(given.scree)} here)")
        return 0
    absent = sorted(set(scenes) - set(stored["scenes"]))
    if absent:
        print(f"# not recorded, so not compared: {', '.join(absent)}")
    counts = [int(count) for count in given.threads.split(",")]
    compared = {name: scene for name, scene in scenes.items() if name in stored["scenes"]}
    failed = 0
    with ThreadPoolExecutor(max(1, given.jobs)) as pool:
        for ok, text in pool.map(lambda item: compare_scene(given.scree, item[0], item[1], stored["scenes"][item[0]], counts), compared.items()):
            print(text, flush=True)
            failed += not ok
    print(f"# {len(compared) - failed} of {len(compared)} scenes have the same physics")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
