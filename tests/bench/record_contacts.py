"""Records the contact problems of single steps from the project's own rigid scenes, as FCLIB files: one folder a scene, for bench_contact_local,
contact_siconos.py and `scree contact bench`.

    record_contacts.py OUT [--each 40] [SCENE...]

Runs each scene with `recorded_problems`; every k-th step is kept, k such that they come from the whole run."""
import argparse
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parents[2]
SCENES = ["bolt-pile", "card-house", "domino-run", "drum", "dry-stone-wall", "hopper", "inclined-plane", "masonry-arch",
          "sliding-block"]


def record(name, each, out):
    """Runs a gallery scene, keeps up to `each` problems in out/name. Returns how many."""
    scene = json.loads((HERE / "api/gallery" / f"{name}.json").read_text())
    steps = max(1, round(scene["time"]["duration"] / scene["time"]["time_step"]))
    scene["options"] = (scene.get("options") or {}) | {"recorded_problems": each, "recorded_every": math.ceil(steps / each)}
    scene.pop("output", None)
    binary = pathlib.Path(os.environ.get("SCREE_BUILD", HERE / "build")) / "scree"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "scene.json").write_text(json.dumps(scene))
        done = subprocess.run([binary, "run", path / "scene.json", "-o", path / "run", "-q", "--threads", "1"], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 8):
            raise SystemExit(f"{name}: {done.stderr.strip()}")
        shutil.rmtree(out / name, ignore_errors=True)
        (out / name).mkdir(parents=True)
        found = sorted((path / "run").rglob("problems/*.hdf5"))
        for file in found:
            shutil.move(file, out / name / file.name)
    return len(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("scenes", nargs="*", default=SCENES)
    given = parser.parse_intermixed_args()
    for name in given.scenes:
        print(f"{name}: {record(name, given.each, given.out)} problems", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
