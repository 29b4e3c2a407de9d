"""How much quicker calibrated coarse meshes are than the fine one, and how near to it: the cantilever of the gallery with plain elements under its tip load.

    python3 bench_coarsening.py SCREE [FINE ...]      FINE: divisions of fine meshes, default 40x4x4 and 60x6x6; prints Markdown

Every coarse mesh is calibrated by `scree coarsen`, then run as `coarse.json` says. Times are of the processor (user), one thread, the least of three runs in turns, with
start and output: so they hardly depend on what else the machine does. Standard library only.
"""
import csv
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MESHES = ("5x1x1", "10x1x1", "20x1x1")


def curves(folder):
    """The last row of a run's curves, by name."""
    rows = list(csv.reader((folder / "curves.csv").open()))
    return {name.split(" ")[0]: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])}


def run(scree, scene, folder):
    """Runs a scene once more. Returns processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(["rm", "-rf", folder], check=True)
    done = subprocess.run([scree, "run", scene, "-o", folder, "--threads", "1", "--quiet"], stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, 8):
        raise SystemExit(f"{scene}: exit {done.returncode}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def elements(mesh):
    x, y, z = (int(n) for n in mesh.split("x"))
    return x * y * z


def compare(scree, fine):
    """The table of one fine mesh."""
    with tempfile.TemporaryDirectory() as own:
        folder = Path(own)
        scene = json.loads((ROOT / "api" / "gallery" / "cantilever.json").read_text())
        scene["options"] = {"element": "plain"}
        scene["specimens"][0]["divisions"] = [int(n) for n in fine.split("x")]
        scenes = {fine: folder / "fine.json"}
        scenes[fine].write_text(json.dumps(scene))
        scales = {fine: 1.0}
        for mesh in MESHES:
            done = subprocess.run([scree, "coarsen", scenes[fine], "-o", folder / mesh, "--modes", "2", "--meshes", mesh, "--quiet"], stdout=subprocess.DEVNULL, check=False)
            if done.returncode not in (0, 8):
                raise SystemExit(f"coarsen {mesh}: exit {done.returncode}")
            scenes[mesh] = folder / mesh / "coarse.json"
            scales[mesh] = json.loads(scenes[mesh].read_text())["materials"][0]["young_modulus"] / scene["materials"][0]["young_modulus"]
        seconds = {name: [] for name in scenes}
        for _ in range(3):
            for name, path in scenes.items():
                seconds[name].append(run(scree, path, folder / f"run-{name}"))
        best, end = min(seconds[fine]), curves(folder / f"run-{fine}")
        print("| mesh | elements: fewer by | stiffness scale | s of processor | times quicker | largest displacement over the fine one's | largest elastic energy over the fine one's |")
        print("|---|---|---|---|---|---|---|")
        for name in scenes:
            now = curves(folder / f"run-{name}")
            print(f"| {name} | {elements(fine) // elements(name)} | {scales[name]:.4f} | {min(seconds[name]):.3f} | {best / min(seconds[name]):.0f} | "
                  f"{max(now['largest_displacement']) / max(end['largest_displacement']):.4f} | {max(now['energy.elastic']) / max(end['energy.elastic']):.4f} |")


def main():
    print("# Calibrated coarse meshes against the fine one\n")
    print("Made by `make bench-coarsening`: the gallery's cantilever with plain elements, bent to a third of its length; one thread, processor time of whole runs with start and output")
    print("(some 0.04 s of which are neither steps nor elements). A mesh is quicker by about as much as it has fewer elements, and by what factors of fine meshes cost beyond that.")
    for fine in sys.argv[2:] or ("40x4x4", "60x6x6"):
        print(f"\nFine mesh {fine}:\n")
        sys.stdout.flush()
        compare(sys.argv[1], fine)


if __name__ == "__main__":
    main()
