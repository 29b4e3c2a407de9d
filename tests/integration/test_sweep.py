"""The sweep of random scenes (tests/validation/sweep): a part of it always runs under every method, and its judges can tell a wrong run from a right one."""
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
from lab import BUILD, PATIENCE, ROOT, SANITIZED

sys.path.insert(0, str(ROOT / "tests" / "validation"))
from sweep import judges, report  # noqa: E402  the path comes first
from sweep.dialects import DIALECTS  # noqa: E402
from sweep.record import Body, Frame  # noqa: E402
from sweep.running import Outcome  # noqa: E402
from sweep.scenes import COMMON, OWN, draw_scene  # noqa: E402

COUNT = 3 if SANITIZED else 5  # `make sweep` runs 300 per method


def falling_ball(loss=0.0, given_back=0.0):
    """Energies of a ball that falls and is damped; `loss` J vanish on the way, `given_back` J come back from the damper at the end."""
    steps = range(11)
    damped = [0.05 * k for k in steps[:-1]] + [0.5 - given_back]
    work = [0.1 * k for k in steps]
    kinetic = [1 + work[k] - damped[k] - loss * k / 10 for k in steps]
    return {"time": list(steps), "energy.kinetic": kinetic, "energy.elastic": [0.0] * 11, "energy.damping": damped, "energy.external": work}


def cube(name, middle, edge=1.0):
    """A closed cube of 8 corners and 12 triangles."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * edge + np.array(middle, float)
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    return Body(name, corners, np.array(faces), np.array(middle, float))


def cubes_scene(**more):
    """Two cubes of 1 m and 1 kg that meet at 2 m/s."""
    specimens = [{"name": name, "material": "clay", "shape": {"type": "box", "size": [1, 1, 1]}, "placement": {"type": "single", "position": [x, 0, 0]},
                  "velocity": [-x, 0, 0]} for name, x in (("left", -1), ("right", 1))]
    return {"method": "rigid", "materials": [{"name": "clay", "density": 1.0}], "specimens": specimens, "options": {}, "rig": {"type": "none"}} | more


class EnergyJudges(unittest.TestCase):
    def test_balance(self):
        """A balance off by 1.5 % of all energy that there is is found, one of round-off is not"""
        self.assertEqual(judges.energy(falling_ball(), 0)[1], "")
        worst, wrong = judges.energy(falling_ball(loss=0.03), 0)
        self.assertIn("energy off", wrong)
        self.assertTrue(math.isclose(worst, 0.03 / 1.97, rel_tol=0.01), worst)

    def test_given_back(self):
        """Energy that a damper gives back is found"""
        self.assertIn("energy.damping fell", judges.energy(falling_ball(given_back=0.1), 0)[1])

    def test_energy_from_nothing(self):
        """A numerical loss that is a gain is found"""
        for name in judges.NUMERICAL:
            self.assertIn("is a gain", judges.energy(falling_ball() | {name: [-0.01 * k for k in range(11)]}, 0)[1])

    def test_what_modes_share_is_no_energy_of_its_own(self):
        """Curves of the elastic energy by modes are parts of it"""
        self.assertEqual(judges.energy(falling_ball() | {"energy.mode.bending": [float(k) for k in range(11)]}, 0)[1], "")

    def test_starting_energy(self):
        """Bodies that weigh 28 % too little begin with 0.72 of their kinetic energy"""
        curves = falling_ball() | {"energy.kinetic": [1.0] * 11}
        self.assertEqual(judges.starting_energy(cubes_scene(), curves), "")
        self.assertIn("0.72", judges.starting_energy(cubes_scene(), curves | {"energy.kinetic": [0.72] * 11}))
        spun = cubes_scene()
        spun["specimens"][0]["angular_velocity"] = [0, 0, 6]  # J w^2/2 = 3 J
        self.assertEqual(judges.starting_energy(spun, curves | {"energy.kinetic": [4.0] * 11}), "")
        self.assertIn("0.25", judges.starting_energy(spun, curves))

    def test_unsolved_steps(self):
        """Steps that were not solved are counted, and a value that is no number is found"""
        self.assertEqual(judges.solved({"unsolved_steps": [0, 0]}), "")
        self.assertIn("3 steps", judges.solved({"unsolved_steps": [0, 3]}))
        self.assertIn("energy.kinetic", judges.finite({"energy.kinetic": [0.0, math.nan]}))


class PlaceJudges(unittest.TestCase):
    def test_depth(self):
        """A corner 0.1 m inside a cube is 0.1 m deep, one outside is not; the solid angle and the distance are those of the triangles"""
        self.assertAlmostEqual(judges.depth_in(cube("a", (0.9, 0.9, 0.9)), cube("b", (0, 0, 0))), 0.1)
        self.assertEqual(judges.depth_in(cube("a", (1.01, 0, 0)), cube("b", (0, 0, 0))), 0)

    def test_overlaps(self):
        """Bodies 0.3 of their thickness in each other or in an obstacle are found, such as touch are not"""
        scene = cubes_scene()
        for gap, wrong in ((0.0, False), (-0.3, True)):
            pair = [cube("left", (0, 0, 0)), cube("right", (0.65 + gap, 0, 0), 0.3)]
            self.assertEqual("right is 0.3" in judges.overlaps(scene, [Frame(0.0, pair, [])], 0.0), wrong)
            self.assertEqual("left is 0.3" in judges.overlaps(scene, [Frame(0.0, pair[:1], pair[1:])], 0.0), wrong)

    def test_nodes_in_one_place(self):
        """Nodes of two bodies that are a tenth of a spacing apart are found"""
        scene = cubes_scene(method="peridem")
        for body in scene["specimens"]:
            body["spacing"] = 0.1
        for distance, wrong in ((0.01, True), (0.09, False)):
            bodies = [Body(name, np.array([[x, 0, 0], [x + 1, 0, 0]]), None, np.zeros(3)) for name, x in (("left", -1), ("right", distance))]
            self.assertEqual("in the same place" in judges.overlaps(scene, [Frame(0.0, bodies, [])], 0.0), wrong)

    def test_behind_a_wall(self):
        """A body 0.5 of its thickness behind a wall is found, behind a wall that moves as well"""
        rig = {"type": "box", "minimum": [-1, -1, -1], "maximum": [1, 1, 1], "walls": {"z_max": {"program": [{"type": "constant", "velocity": -0.5}]}}}
        scene = cubes_scene(rig=rig)
        self.assertEqual(judges.behind(scene, [Frame(1.0, [cube("left", (0, 0, 0))], [])]), "")
        self.assertIn("0.5 of its thickness behind", judges.behind(scene, [Frame(0.0, [cube("left", (0, 0, -1))], [])]))
        self.assertIn("0.5 of its thickness behind", judges.behind(scene, [Frame(2.0, [cube("left", (0, 0, 0))], [])]))

    def test_passed(self):
        """Bodies that changed places, a ball beyond a plate and a body below one are found"""
        scene, left, right = cubes_scene(), cube("left", (-1, 0, 0)), cube("right", (1, 0, 0))
        facts = {"order": [0, 1], "size": 1.0}
        self.assertEqual(judges.passed(scene, facts, [Frame(0.0, [left, right], [])]), "")
        self.assertIn("passed through", judges.passed(scene, facts, [Frame(0.0, [right, left], [])]))
        self.assertEqual(judges.passed(scene, {"size": 1.0, "far_side": 0.1}, [Frame(0.0, [left], [])]), "")
        self.assertIn("beyond the plate", judges.passed(scene, {"size": 1.0, "far_side": 0.1}, [Frame(0.0, [cube("left", (0, 0, 0))], [])]))
        self.assertIn("below the plate", judges.passed(scene, {"size": 1.0, "below": -0.1}, [Frame(0.0, [cube("left", (0, 0, -0.2))], [])]))

    def test_straight(self):
        """A common centre of mass that is pushed aside without a force is found"""
        scene = cubes_scene()
        frames = [Frame(t, [cube("left", (-1 + t + aside, 0, 0)), cube("right", (1 - t + aside, 0, 0))], []) for t, aside in ((0.0, 0.0), (0.4, 0.0))]
        self.assertEqual(judges.straight(scene, frames), "")
        frames[1] = Frame(0.4, [cube("left", (-0.5, 0, 0)), cube("right", (0.7, 0, 0))], [])
        self.assertIn("off its straight line", judges.straight(scene, frames))


class LoadJudges(unittest.TestCase):
    def test_force(self):
        """A platen that closed on a block and felt nothing, or a hundredth of E A u / L, is found"""
        scene = cubes_scene(method="fem", materials=[{"name": "clay", "density": 1.0, "young_modulus": 1e6}])
        facts = {"pressed": "platen.top", "slack": 0.01, "size": 1.0, "height": 1.0, "area": 1.0, "ball": False}
        curves = {"time": [0, 1], "platen.top.displacement": [0, 0.06]} | {f"platen.top.force_{axis}": [0, 0] for axis in "xyz"}
        for force, said in ((0, "carried 0 N"), (500, "0.01 of the force"), (5e4, "")):
            found = judges.pressing(scene, facts, curves | {"platen.top.force_z": [0, force]})
            self.assertTrue(said in found if said else not found, found)

    def test_slope(self):
        """A block that creeps, or slides half as far as Coulomb's law has it, is found"""
        for acceleration, way, wrong in ((0.0, 0.0, False), (0.0, 0.05, True), (2.0, 1.0, False), (2.0, 0.5, True)):
            frames = [Frame(0.0, [cube("left", (0, 0, 0))], []), Frame(1.0, [cube("left", (way, 0, 0))], [])]
            self.assertEqual(bool(judges.coulomb({"acceleration": acceleration, "gravity": 3.0, "size": 1.0}, frames)), wrong, (acceleration, way))

    def test_foreseen(self):
        """A run of four times the foreseen time or memory is found, one too short to tell is not"""
        said = {"run_seconds": 1.0, "memory_bytes": 1e8}
        self.assertEqual(judges.foreseen(said, 2.0, 1e8), "")
        self.assertIn("foresaw 1 s, it took 4 s", judges.foreseen(said, 4.0, 1e8))
        self.assertIn("foresaw 100 MB", judges.foreseen(said, 1.0, 4e8))
        self.assertEqual(judges.foreseen({"run_seconds": 0.1, "memory_bytes": 1e7}, 0.5, 4e7), "")


class RandomScenes(unittest.TestCase):
    def test_draws(self):
        """The same seed draws the same scene, another another; all kinds are drawn under every method that has them"""
        for method, dialect in DIALECTS.items():
            self.assertEqual(draw_scene(1, method, 3)[:3], draw_scene(1, method, 3)[:3])
            self.assertNotEqual(draw_scene(1, method, 3)[1], draw_scene(2, method, 3)[1])
            kinds = {draw_scene(1, method, index)[0] for index in range(300)}
            self.assertEqual(kinds, {kind.__name__ for kind in COMMON if kind.__name__ not in dialect.lacks} | {OWN[name].__name__ for name in dialect.kinds})

    def test_sections(self):
        """A method's section is written anew with seed, commit and duration, the others stay"""
        with tempfile.TemporaryDirectory(prefix="scree-test-") as folder:
            path = Path(folder) / "SWEEP.md"
            for method, verdict in (("fem", "silent"), ("rigid", "plain"), ("fem", "plain")):
                made = Outcome(0, "fall", verdict, "energy off", 1e-3, 2.0, 1.0, 1e8, 9e7)
                report.write(path, {method: report.section(method, [made], 7, 12.0, "abc1234")})
            text = path.read_text(encoding="utf-8")
        self.assertEqual(text.count("\n## "), 2)
        self.assertNotIn("energy off", text)
        for words in ("Seed 7", "commit abc1234", "1 scenes in 12 s", "1 within a factor of 1.5, 1 of 2"):
            self.assertIn(words, text)

    def test_no_silent_exception(self):
        """None of the first random scenes goes wrong without a word, under any method; a sweep that was ended goes on"""
        with tempfile.TemporaryDirectory(prefix="scree-test-") as folder:
            command = [sys.executable, "-m", "sweep", str(BUILD.resolve() / "scree"), "--count", str(COUNT), "--budget", "0.2", "--no-times", *["--no-memory"] * SANITIZED, "--state", folder]
            done = subprocess.run(command, cwd=ROOT / "tests" / "validation", capture_output=True, text=True, timeout=900 * PATIENCE, check=False)
            self.assertEqual(done.returncode, 0, done.stderr[-6000:])
            self.assertEqual(done.stdout.count("succeeded, nothing wrong"), len(DIALECTS))
            files = sorted(Path(folder).iterdir())
            self.assertEqual(len(files), len(DIALECTS))
            before = [file.read_text(encoding="utf-8") for file in files]
            again = subprocess.run(command, cwd=ROOT / "tests" / "validation", capture_output=True, text=True, timeout=900 * PATIENCE, check=False)
            self.assertEqual(again.returncode, 0, again.stderr[-6000:])
            self.assertEqual([file.read_text(encoding="utf-8") for file in files], before)


if __name__ == "__main__":
    unittest.main()
