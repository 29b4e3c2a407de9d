"""Scenes of fibres and of rigid bodies whose single steps are the contact problems of bench_contact_problems, and which steps those are.

    contact_problem_scenes.py OUT

Writes OUT/KIND-NAME.json and prints a line for each: kind, path, first step, steps from one problem to the next, number of problems. Most
scenes are those of the gallery with other friction, other numbers of fibres, other seeds; all is drawn from fixed seeds. Rigid bodies are
stepped by the hybrid, so that their problems stay the same however `auto` chooses."""
import json
import pathlib
import random
import sys

GALLERY = pathlib.Path(__file__).resolve().parents[2] / "api/gallery"
FRICTIONS = (0.1, 0.3, 0.6, 1.0)


def gallery(name, friction=None, seed=None):
    """A scene of the gallery without what it draws; with another friction, another seed."""
    scene = json.loads((GALLERY / f"{name}.json").read_text())
    for key in ("title", "description", "output"):
        scene.pop(key, None)
    if friction is not None:
        scene["contact"]["friction_coefficient"] = friction
    if seed is not None:
        scene["seed"] = seed
    return scene


def tuft(columns, rows, friction, curvature, seed):
    """Curled hairs that hang from a plate, 1 mm apart, shaken."""
    scene = gallery("hair-tuft", friction, seed)
    hair = scene["specimens"][0]
    hair |= {"natural_curvature": curvature, "contact_radius": 0.0004}
    hair["placement"] |= {"origin": [-0.0005 * (columns - 1), -0.0005 * (rows - 1), -0.04], "pitch": [0.001, 0.001, 0.001], "count": [columns, rows, 1]}
    scene["obstacles"][0]["shape"]["size"] = [0.06, 0.06, 0.004]
    return scene


def brush(columns, rows, friction, seed):
    """Straight hairs that hang from a plate, and as many bristles that a second plate draws through them, of 3 cm."""
    scene = gallery("hair-tuft", friction, seed)
    hair = scene["specimens"][0]
    hair |= {"natural_curvature": 0, "random_phase": False, "contact_radius": 0.0003}
    hair["shape"]["length"] = 0.03
    bristles = json.loads(json.dumps(hair)) | {"name": "bristles", "held_by": "brush"}
    del bristles["rotation"]
    for block, shift, height in ((hair, 0, -0.015), (bristles, 0.001, -0.03)):
        block["placement"] |= {"origin": [shift - 0.001 * (columns - 1), 0.4 * shift - 0.0007 * (rows - 1), height], "pitch": [0.002, 0.0014, 0.002],
                               "count": [columns, rows, 1]}
    plate = scene["obstacles"][0]
    brush_plate = json.loads(json.dumps(plate)) | {"name": "brush", "position": [0, 0, -0.051]}
    brush_plate["program"] = [{"type": "ramp", "velocity": 0.1, "duration": 0.02}, {"type": "constant", "velocity": 0.1}]
    plate.pop("program"), plate.pop("direction")
    scene["specimens"].append(bristles)
    scene["obstacles"].append(brush_plate)
    return scene


def super_helix_tuft(columns, rows, friction, curvature, seed):
    """Hairs that hang from a plate, 2 mm apart, as super-helices of four elements, shaken."""
    scene = gallery("hair-tuft", friction, seed)
    hair = scene["specimens"][0]
    hair |= {"element": "super_helix", "elements": 4, "natural_curvature": curvature, "contact_radius": 0.0005}
    hair["placement"] |= {"origin": [-0.0008 * (columns - 1), -0.0008 * (rows - 1), -0.04], "pitch": [0.0016, 0.0016, 0.0016], "count": [columns, rows, 1]}
    return scene


def net(friction, seed, balls):
    """A net that a box and so many balls, free all, fall into."""
    scene = gallery("net-catch", friction, seed)
    ball = scene["obstacles"].pop()
    for k in range(balls):
        place = [0.012 * (k % 2) - 0.006, 0.012 * (k // 2 % 2) - 0.006, 0.055 + 0.02 * (k // 4)]
        scene["obstacles"].append(json.loads(json.dumps(ball)) | {"name": f"ball-{k}", "shape": {"type": "sphere", "radius": 0.005}, "position": place})
    return scene


def bristles(columns, rows, friction, seed):
    """Bristles that stand on a plate, and four balls that fall on them and in between."""
    scene = gallery("hair-tuft", friction, seed)
    hair = scene["specimens"][0]
    hair |= {"natural_curvature": 5, "contact_radius": 0.0004}
    hair["shape"] = {"type": "cylinder", "radius": 0.0001, "length": 0.03}
    del hair["rotation"]
    hair["placement"] |= {"origin": [-0.001 * (columns - 1), -0.001 * (rows - 1), 0.015], "pitch": [0.002, 0.002, 0.002], "count": [columns, rows, 1]}
    plate = scene["obstacles"][0]
    plate["position"] = [0, 0, -0.002]
    plate.pop("program"), plate.pop("direction")
    for k in range(4):
        place = [0.0035 * (k % 2) - 0.0015, 0.0035 * (k // 2) - 0.0015, 0.034 + 0.003 * k]
        scene["obstacles"].append({"name": f"ball-{k}", "shape": {"type": "sphere", "radius": 0.0015}, "position": place, "free": {"density": 900}})
    return scene


def groom(fibres, friction, curvature, seed):
    """Curled hairs on a cap of a sphere."""
    scene = gallery("shaken-groom", friction, seed)
    hair = scene["specimens"][0]
    hair |= {"fibres": fibres, "natural_curvature": curvature}
    scene["time"]["time_step"] = 0.001
    return scene


def felt(fibres, friction, seed):
    """Curled fibres of a mat between plates that close."""
    scene = gallery("felt-compression", friction, seed)
    scene["specimens"][0]["fibres"] = fibres
    return scene


BALL = {"type": "sphere", "radius": 0.01}
BOX = {"type": "box", "size": [0.0125, 0.0125, 0.0125]}
OCTAHEDRON = {"type": "mesh", "vertices": [[0.01, 0, 0], [-0.01, 0, 0], [0, 0.01, 0], [0, -0.01, 0], [0, 0, 0.01], [0, 0, -0.01]],
              "triangles": [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]}


def pack(shape, side, friction, seed):
    """side^3 bodies of 8 to 10 mm that fall into a box and settle."""
    draw, pitch = random.Random(seed), 0.024
    places = [[round((cell + 0.5) * pitch + draw.uniform(-0.0015, 0.0015), 5) for cell in (i, j, k)]
              for k in range(side) for j in range(side) for i in range(side)]
    bodies = {"name": "bodies", "material": "m", "shape": shape, "random_rotation": True, "smallest_scale": 0.8, "largest_scale": 1,
              "placement": {"type": "list", "positions": places}}
    return {"scree": 1, "name": "pack", "method": "rigid", "seed": seed, "materials": [{"name": "m", "density": 2500}],
            "contact": {"friction_coefficient": friction}, "specimens": [bodies],
            "rig": {"type": "box", "minimum": [0, 0, 0], "maximum": [side * pitch, side * pitch, 9], "gravity": [0, 0, -9.81]},
            "time": {"duration": 10, "time_step": 0.002}, "options": {"accuracy": "exact"}}


def fibre_scenes():
    """(kind, name, scene, first step, steps between, problems)"""
    for columns, rows, friction, curvature, seed in ((3, 3, 0.3, 25, 1), (4, 3, 0.1, 25, 2), (4, 3, 0.6, 60, 3), (4, 4, 0.3, 60, 4), (4, 4, 1.0, 25, 5),
                                                     (5, 4, 0.3, 25, 6), (5, 4, 0.6, 60, 7), (6, 5, 0.1, 25, 8), (6, 5, 0.3, 60, 9)):
        yield "tuft of curled hairs", f"{columns * rows}-{seed}", tuft(columns, rows, friction, curvature, seed), 60, 40, 6
    yield "tuft of curled hairs", "60-10", tuft(10, 6, 0.3, 60, 10), 60, 40, 2
    for columns, rows, friction, seed in ((3, 2, 0.3, 1), (4, 4, 0.1, 2), (4, 4, 0.6, 3), (6, 5, 0.3, 4), (6, 5, 1.0, 5), (8, 5, 0.1, 6)):
        yield "brush through straight hairs", f"{2 * columns * rows}-{seed}", brush(columns, rows, friction, seed), 30, 10, 6
    yield "brush through straight hairs", "200-7", brush(10, 10, 0.3, 7), 20, 10, 2
    for fibres, friction, seed in ((20, 0.3, 1), (40, 0.1, 2), (40, 0.6, 3), (80, 0.3, 4), (80, 1.0, 5)):
        yield "groom of curled hairs", f"{fibres}-{seed}", groom(fibres, friction, 40, seed), 60, 30, 6
    for fibres, friction, seed in ((30, 0.3, 1), (50, 0.1, 2), (50, 0.3, 3), (50, 0.6, 4)):
        yield "felt", f"{fibres}-{seed}", felt(fibres, friction, seed), 80, 50, 8
    for friction in (0.05, 0.1, 0.2):
        yield "knot", f"{100 * friction:.0f}", gallery("knot-tightening", friction), 100, 80, 6
    for friction in (0.1, 0.3, 0.6):
        yield "weave", f"{100 * friction:.0f}", gallery("woven-yarn-pullout", friction), 20, 20, 8
    for friction in (0.1, 0.3, 0.6):
        yield "strand", f"{100 * friction:.0f}", gallery("fibre-bundle-tension", friction), 10, 20, 8
    for friction in (0.1, 0.3, 0.6):
        yield "rope on a drum", f"{100 * friction:.0f}", gallery("belt-capstan", friction), 20, 20, 6


    for columns, rows, friction, curvature, seed in ((3, 2, 0.3, 25, 1), (3, 3, 0.1, 40, 2), (4, 3, 0.6, 40, 3), (4, 4, 0.3, 25, 4)):
        yield "tuft of super-helices", f"{columns * rows}-{seed}", super_helix_tuft(columns, rows, friction, curvature, seed), 60, 40, 6
    for balls, friction in ((1, 0.1), (4, 0.4), (8, 0.8)):
        yield "net that catches bodies", f"{balls}-{100 * friction:.0f}", net(friction, 1, balls), 100, 60, 8
    for columns, rows, friction, seed in ((5, 4, 0.3, 1), (6, 5, 0.1, 2), (6, 6, 0.6, 3)):
        yield "balls among bristles", f"{columns * rows}-{seed}", bristles(columns, rows, friction, seed), 40, 40, 8
    for friction in (0.2, 0.5, 1.0):
        yield "thread that coils", f"{100 * friction:.0f}", gallery("coiling-rod", friction), 300, 150, 8


def rigid_scenes():
    """The same of rigid bodies."""
    for name, first, every in (("dry-stone-wall", 5, 20), ("masonry-arch", 5, 15), ("card-house", 10, 30), ("bolt-pile", 60, 40), ("hopper", 40, 30),
                               ("domino-run", 30, 30)):
        yield "gallery, rigid", name, gallery(name), first, every, 6
    for kind, shape in (("pack of balls", BALL), ("pack of boxes", BOX), ("pack of octahedra", OCTAHEDRON)):
        for side, friction, seed in ((2, 1.0, 1), (3, 0.1, 2), (3, 0.3, 3), (3, 0.6, 4), (4, 0.3, 5), (4, 0.6, 6)):
            yield kind, f"{side ** 3}-{seed}", pack(shape, side, friction, seed), 40, 15, 5


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for scenes, more in ((fibre_scenes(), {}), (rigid_scenes(), {"recorded_problems": 1, "recorded_every": 1000000, "solver": "hybrid"})):
        for kind, name, scene, first, every, count in scenes:
            if more:
                scene["options"] = (scene.get("options") or {}) | more
            path = out / f"{kind.replace(',', '').replace(' ', '-')}-{name}.json"
            path.write_text(json.dumps(scene))
            print(f"{kind}\t{path}\t{first}\t{every}\t{count}")


if __name__ == "__main__":
    main()
