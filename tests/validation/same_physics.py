"""Compares digests of the curves and frames of short gallery runs with those recorded before a change: the same physics to the last bit.

    python3 same_physics.py SCREE [--scene NAME ...] [--quick] [--threads 1,2] [--jobs N]      ends with 1 when anything differs
    python3 same_physics.py SCREE --record [--scene NAME ...]                                  records what SCREE gives, digests and values
    python3 same_physics.py SCREE --record --values [--scene NAME ...]                         values alone
    python3 same_physics.py SCREE --values [--scene NAME ...]                                  compares values, digests or not

SCREE is the command line program. Each processor has a file of its own in tests/data/same_physics, since digests hold for one processor and one
version of the compiler. A digest doesn't know the file's form: of a curve it is the SHA-256 of its values as doubles, of a field of a drawable
that of the times, shapes and decoded values (as doubles) in every frame. Both are found by name, so their order may change, and new ones are
only named. Curves that begin with `clock.` are left out. Beside its digests each scene has how it was cut to a run of a second or two.

Scenes without digests for this processor are compared by values (values.json): of each curve the last sample that can be foreseen on any
processor, to 1e-9 of the curve's largest size until then. How far that is, is measured when values are recorded: the scene runs three times more,
with other kernels of BLAS and other functions of libm, as other processors choose them; with our own kernels as a processor without AVX runs them
(the program `scree-plain` beside SCREE, which `make same-physics` builds), whose sums go in another order, bond by bond; and with densities changed by
1e-13 of themselves. A curve counts up to the last sample before any of them leaves the first run by 1e-10. So chaotic scenes are held early in their
run, and curves that are rounding alone (iterations, residuals, balance errors) not at all. The change of densities alone is not enough: it scales all
bonds alike, and leaves what is symmetric as it is; yarns of a cloth buckle to one side or the other by the rounding of each bond.

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
VALUES = "values.json"
QUICK = ("bar-impact", "bar-on-wall", "cloth-tear", "cohesive-cliff", "collapse-low", "compact1", "cylinder-press", "domino-run",
         "inclined-plane", "silo-3d", "three-point-bend-low", "twisted-ring")  # of every method, those that take least
PLAIN = "scree-plain"  # with kernels for a processor without AVX
TOLERANCE, FORESEEN, PERTURBATION = 1e-9, 1e-10, 1e-13  # of values; of what counts as foreseen; of densities
ROUNDING = re.compile(r"iterations|residual|balance_error|penetration")  # curves that tell what rounding left
OTHER_KERNELS = {"OPENBLAS_CORETYPE": "Prescott", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F"}
SECONDS = 2.0  # of processor time that a recorded run should take
SAMPLES, FRAMES = 24, 4
Digests = Dict[str, str]


Values = Dict[str, List[float]]  # of a curve: number of a sample, value there, largest size up to there
Columns = Dict[str, "array[float]"]


class Run(NamedTuple):
    """What one run left."""
    digests: Digests  # by "curve NAME" and "frames DRAWABLE.FIELD"
    samples: int
    frames: int
    touched: bool  # a curve of a contact force or energy is not 0 throughout
    seconds: float  # of processor time
    curves: Columns  # all but those of the clock


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


def read_recording(path: Path) -> Tuple[Digests, int, int, bool, Columns]:
    """Digests, samples, frames, whether anything touched, and the curves."""
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
    curves = {name: column for name, column in zip(names, columns) if not name.startswith("clock.")}
    return digests, len(columns[0]) if columns else 0, frame_count, touched, curves


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


def run_scene(scree: Path, scene: Dict[str, Any], threads: int, environment: Optional[Dict[str, str]] = None) -> Run:
    """Raises RuntimeError with what the program said when it leaves no whole recording."""
    with tempfile.TemporaryDirectory(prefix="scree-same-") as folder:
        file = Path(folder) / "scene.json"
        file.write_text(json.dumps(scene))
        with open(Path(folder) / "said", "w+", encoding="utf-8") as said:
            process = subprocess.Popen([scree, "run", file, "-o", Path(folder) / "out", "-t", str(threads), "-q"], stdout=subprocess.DEVNULL,
                                       stderr=said, env=dict(os.environ, OMP_WAIT_POLICY="passive", **(environment or {})))
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            if process.returncode not in (0, 8):  # 8: with doubts
                raise RuntimeError(f"ended with {process.returncode}: {said.read().strip()[-1500:]}")
        digests, samples, frames, touched, curves = read_recording(Path(folder) / "out" / "recording.scree")
        return Run(digests, samples, frames, touched, used.ru_utime + used.ru_stime, curves)


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


def cut_by_trial(scree: Path, scene: Dict[str, Any], seconds: float = SECONDS) -> Tuple[Dict[str, float], Run]:
    """A scene cut to so many seconds of processor time, or its whole duration, and its run."""
    whole = scene["time"]["duration"]
    duration = min(whole, max(whole / 256, 4 * (scene["time"].get("time_step") or 0)))  # a step may not be longer than the run
    while True:
        cut = intervals(scree, scene, duration)
        run = run_scene(scree, cut_scene(scene, cut), 1)
        if duration >= whole or run.seconds > 0.7 * seconds:
            return cut, run
        duration = min(whole, duration * (2 if run.seconds < 0.3 * seconds else seconds / run.seconds))


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


# ── values ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def foreseen(first: array[float], others: List[array[float]]) -> Optional[List[float]]:
    """The last sample up to which all others follow a curve, its value and the largest size until then; None where that is the first."""
    size, last = 0.0, None
    for k, value in enumerate(first):
        size = max(size, abs(value))
        if any(k >= len(other) or not abs(other[k] - value) <= FORESEEN * size for other in others):
            break
        last = [k, float(f"{value:.14g}"), float(f"{size:.5g}")]
    return last if last and last[0] > 0 else None


def perturbed(scene: Dict[str, Any]) -> Dict[str, Any]:
    """The scene with other densities, by a part that only what is chaotic or rounding makes larger."""
    materials = [{**m, "density": m["density"] * (1 + PERTURBATION)} if isinstance(m.get("density"), (int, float)) else m for m in scene["materials"]]
    return {**scene, "materials": materials}


def record_values(scree: Path, scene: Dict[str, Any], cut: Optional[Dict[str, float]], seconds: float) -> Dict[str, Any]:
    """A scene's entry in the file of values, by the cut if there is one."""
    run = run_scene(scree, cut_scene(scene, cut), 1) if cut else None
    if not cut or not run:
        cut, run = cut_by_trial(scree, scene, seconds)
    short = cut_scene(scene, cut)
    others = [run_scene(scree, short, 1, OTHER_KERNELS).curves, run_scene(scree, perturbed(short), 1).curves]
    plain = scree.with_name(PLAIN)
    if plain.exists():
        others.append(run_scene(plain, short, 1).curves)
    values = {name: foreseen(column, [other[name] for other in others]) for name, column in run.curves.items() if not ROUNDING.search(name)}
    kept = {name: value for name, value in values.items() if value}
    whole = sum(value[0] == run.samples - 1 for value in kept.values())
    print(f"   {len(kept)} of {len(values)} curves are foreseen, {whole} of them to the end of {cut['duration']:.4g} s, the others to sample "
          f"{min((int(v[0]) for v in kept.values()), default=0)} of {run.samples} or later", flush=True)
    if not kept:
        raise RuntimeError("no curve can be foreseen")
    return {"cut": cut, "seconds": round(run.seconds, 1), "samples": run.samples, "values": kept}


def value_differences(expected: Values, found: Columns) -> List[str]:
    """What is wrong: curves that are missing, too short, or off."""
    wrong = []
    for name, (sample, value, size) in expected.items():
        column, k = found.get(name), int(sample)
        if column is None or k >= len(column):
            wrong.append(f"curve {name} is missing" if column is None else f"curve {name} has {len(column)} samples, {k + 1} are needed")
        elif not abs(column[k] - value) <= TOLERANCE * size:
            off = abs(column[k] - value) / size if size else float("inf")
            wrong.append(f"curve {name} is {column[k]:.17g} at sample {k}, not {value:.17g}: {off:.2g} of its size off")
    return wrong


def compare_values(scree: Path, name: str, scene: Dict[str, Any], entry: Dict[str, Any]) -> Tuple[bool, str]:
    """Whether a scene's curves have the recorded values, and a line or more that say so."""
    try:
        run = run_scene(scree, cut_scene(scene, entry["cut"]), 1)
    except (RuntimeError, ValueError, KeyError, OSError, struct.error) as reason:
        return False, f"not ok - {name}, values: {reason}"
    wrong = value_differences(entry["values"], run.curves)
    line = (f"{'not ok' if wrong else 'ok'} - {name}, values: {len(entry['values']) - len(wrong)} of {len(entry['values'])} curves within "
            f"{TOLERANCE:g} ({run.seconds:.1f} s)")
    return not wrong, "\n".join([line] + [f"#   {text}" for text in wrong])


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


def write(file: Path, data: Dict[str, Any]) -> None:
    """As JSON, each innermost list on one line."""
    text = json.dumps(data, indent=1, sort_keys=True)
    file.write_text(re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]) + "]", text) + "\n")


def read_values(folder: Path) -> Dict[str, Any]:
    file = folder / VALUES
    return json.loads(file.read_text()) if file.exists() else {"scenes": {}}


def record_all_values(scree: Path, scenes: Dict[str, Dict[str, Any]], folder: Path, seconds: float) -> int:
    """Values of the scenes, which replace those that were there; the others stay."""
    folder.mkdir(exist_ok=True)
    stored, digests = read_values(folder), json.loads(data_file(folder).read_text())["scenes"] if data_file(folder).exists() else {}
    stored.update({"processor": machine(), "compiler": compiler(scree)})
    for name, scene in scenes.items():
        print(f"{name}, values", flush=True)
        earlier = stored["scenes"].get(name) or digests.get(name)
        fits = earlier and earlier["cut"]["duration"] <= scene["time"]["duration"]
        stored["scenes"][name] = record_values(scree, scene, earlier["cut"] if fits else None, seconds)
        write(folder / VALUES, stored)
    return 0


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
    parser.add_argument("--quick", action="store_true", help="a few scenes that show most of every method")
    parser.add_argument("--threads", default="1,2", help="thread counts, by default 1,2")
    parser.add_argument("--jobs", type=int, default=1, help="runs at once")
    parser.add_argument("--record", action="store_true", help="record instead of comparing")
    parser.add_argument("--values", action="store_true", help="values instead of digests")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of processor time that a scene without a record is cut to, of values")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the files, one a processor")
    given = parser.parse_args()
    scenes = read_scenes(list(QUICK) if given.quick else given.scene)
    if given.record:
        return (0 if given.values else record(given.scree, scenes, given.data)) or record_all_values(given.scree, scenes, given.data, given.seconds)
    counts = [int(count) for count in given.threads.split(",")]
    data, values = data_file(given.data), read_values(given.data)
    digests = json.loads(data.read_text()) if data.exists() and not given.values else {"compiler": None, "scenes": {}}
    for stored in (digests, values):
        if stored["scenes"] and stored["compiler"] != compiler(given.scree):
            print(f"# other compiler: {len(stored['scenes'])} scenes not compared ({stored['compiler']} when recorded, {compiler(given.scree)} here)")
            stored["scenes"] = {}
    works = [(compare_scene, name, digests["scenes"][name], (counts,)) for name in scenes if name in digests["scenes"]]
    works += [(compare_values, name, entry, ()) for name, entry in values["scenes"].items() if name in scenes and name not in digests["scenes"]]
    absent = sorted(set(scenes) - {work[1] for work in works})
    if not works:
        print(f"ok - # SKIP nothing is recorded for the processor {machine()}, nor for any with this compiler: not compared")
        return 0
    if absent:
        print(f"# not recorded, so not compared: {', '.join(absent)}")
    failed = 0
    with ThreadPoolExecutor(max(1, given.jobs)) as pool:
        for ok, text in pool.map(lambda work: work[0](given.scree, work[1], scenes[work[1]], work[2], *work[3]), works):
            print(text, flush=True)
            failed += not ok
    print(f"# {len(works) - failed} of {len(works)} scenes have the same physics")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
