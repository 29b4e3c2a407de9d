"""The made-up method of tests/showcase, which uses everything a method can, through all of Scree: the command line, a real screed and its worker, a
kill, the stream, exports and the Python client. Nothing outside tests/showcase knows it."""
import hashlib
import json
import math
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import scree
from lab import BUILD, PATIENCE, ROOT, Lab

PROGRAMS = BUILD / "showcase"
SCENE = ROOT / "tests" / "showcase" / "scene.json"
BOBS, RINGS_AND_CENTRE = 15, 769


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


class ShowcaseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="scree-showcase-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.alone = Path(cls.folder.name) / "alone"
        cls.scree("run", SCENE, "-o", cls.alone, "-q")
        cls.lab = Lab(screed=PROGRAMS / "screed").start()
        cls.addClassCleanup(cls.lab.close)
        cls.client = scree.Lab(f"http://127.0.0.1:{cls.lab.port}")
        number = json.loads(cls.scree("submit", SCENE, "--json", server=True).stdout)["id"]
        cls.job = cls.client.job(number).wait(timeout=240 * PATIENCE)

    @classmethod
    def scree(cls, *arguments, server=False):
        environment = dict(os.environ, **({"SCREE_SERVER": f"http://127.0.0.1:{cls.lab.port}"} if server else {}))
        done = subprocess.run([PROGRAMS / "scree", *[str(a) for a in arguments]], capture_output=True, text=True, check=False, env=environment,
                              timeout=120 * PATIENCE)
        if done.returncode != 0:
            raise AssertionError(f"scree {arguments}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def test_the_service_and_the_command_line_record_the_same_bytes(self):
        """A job of the service and `scree run` give one recording, shapes, table rows and stages included"""
        fetched = Path(self.folder.name) / "fetched"
        self.job.fetch(str(fetched))
        self.assertEqual(digest(next(fetched.glob("**/recording.scree"))), digest(self.alone / "recording.scree"))

    def test_a_killed_worker_costs_nothing(self):
        """A worker killed in flight is followed by another, which ends in the bytes of a run that nobody disturbed"""
        scene = json.loads(SCENE.read_text(encoding="utf-8"))
        inline(scene)
        scene["options"]["step_fraction"] = 2e-6
        scene["time"]["duration"] = 0.6
        path = Path(self.folder.name) / "long.json"
        path.write_text(json.dumps(scene), encoding="utf-8")
        with Lab("--checkpoint-seconds", 0.02, screed=PROGRAMS / "screed") as lab:
            for _ in range(10):  # again where the run was over before it could be killed
                job = lab.submit(scene)
                lab.wait_until(job["id"], lambda j: j["ended"] or (j["progress"] and j["progress"]["sim_time"] > 0.05), timeout=240 * PATIENCE)
                lab.signal_workers(signal.SIGKILL)
                ended = lab.wait(job["id"], timeout=180 * PATIENCE)
                if ended["attempt"] > 1:
                    break
            self.assertEqual((ended["state"], ended["attempt"]), ("succeeded", 2))
            recording = lab.data / "jobs" / str(job["id"]) / "recording.scree"
            out = Path(self.folder.name) / "undisturbed"
            self.scree("run", path, "-o", out, "-q")
            self.assertEqual(digest(recording), digest(out / "recording.scree"))

    def test_frames_carry_every_kind_of_drawable(self):
        """The Python client reads bodies with poses and modes, threads, points that come and go with radii and names, and a mesh that deforms"""
        frames = self.job.frames()
        self.assertEqual(len(frames), 101)
        first, last = frames[0], frames[-1]
        bobs = last.instances["bobs"]
        self.assertEqual(len(bobs), BOBS)
        self.assertEqual([shape.name for shape in bobs.shapes], ["balls", "stars"])
        self.assertEqual([len(shape.modes) for shape in bobs.shapes], [1, 1])
        self.assertEqual(sorted({int(k) for k in bobs.shape}), [0, 1])
        self.assertTrue(all(0 < float(row[0]) < 1 for row in bobs.amplitudes))
        threads = last.threads["threads"]
        self.assertEqual(len(threads), BOBS)
        for line, radii, place in zip(threads.positions, threads.radii, bobs.positions):
            self.assertEqual((len(line), len(radii)), (2, 2))
            self.assertTrue(math.dist(line[1], place) < 1e-4 and radii[0] > radii[1])
        counts = [len(frame.drawables.get("drops", {}).get("position", [])) for frame in frames]
        self.assertEqual(counts[0], 0)
        self.assertGreater(max(counts), 3)
        busiest = frames[counts.index(max(counts))]
        ids = [int(k) for k in busiest.ids]
        self.assertEqual(ids, sorted(set(ids)))
        self.assertTrue(all(radius > 0 for radius in busiest.radii))
        for frame, count in ((frames[0], 0), (busiest, max(counts))):  # husks are six vertices and eight triangles around each drop
            husks = frame.surfaces["husks"]
            self.assertEqual((len(husks.positions), len(husks.triangles)), (6 * count, 8 * count))
            self.assertIsNone(husks.reference)
        drop, husk = busiest.drawables["drops"]["position"][0], [[float(x) for x in vertex] for vertex in husks.positions[:6]]
        for triangle in husks.triangles[:8]:  # seen from outside: the corners' triple product about the drop is positive
            a, b, c = ([x - float(y) for x, y in zip(husk[int(k)], drop)] for k in triangle)
            self.assertGreater(a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]), 0)
        before, after = first.surfaces["membrane"], last.surfaces["membrane"]
        self.assertEqual(len(after.positions), RINGS_AND_CENTRE)
        dent = float(before.positions[0][2]) - float(after.positions[0][2])
        self.assertAlmostEqual(dent, self.job.curves()["dent"][-1], delta=2e-5)

    def test_curves_stages_and_table(self):
        """Energies balance; stages are events in their order; the table of turns has named values, as CSV, JSON and columns"""
        curves = self.job.curves()
        self.assertLess(max(abs(v) for v in curves["energy.balance_error"]), 1e-8)
        self.assertEqual(curves["time"], [k * 0.01 for k in range(401)])
        events = list(self.job.events())
        self.assertEqual([e["message"] for e in events if e["kind"] == "stage"], ["Bobs drawn aside", "Bobs swing"])
        self.assertEqual(sum(e["kind"] == "first_turn" for e in events), 1)
        self.assertEqual([t["name"] for t in self.job.tables()], ["turns"])
        turns = self.job.table("turns")
        self.assertEqual(list(turns), ["time", "bob", "side", "x", "y", "z", "energy"])
        self.assertEqual(set(turns["side"]), {"left", "right"})
        self.assertEqual(turns["time"], sorted(turns["time"]))
        text = self.scree("export", self.alone, "--table", "turns").stdout.splitlines()
        self.assertEqual(text[0], "time [s],bob [1],side,x [m],y [m],z [m],energy [J]")
        self.assertEqual(len(text) - 1, len(turns["time"]))

    def test_a_fan_turns_and_a_press_holds_its_force(self):
        """The part that turns has gone round; the part under load presses with the force asked for, and the membrane gives way accordingly"""
        curves = self.job.curves()
        self.assertGreater(curves["obstacle.fan.rotation"][-1], 2 * math.pi)
        self.assertGreater(max(abs(v) for v in curves["obstacle.fan.torque_y"]), 1e-3)
        self.assertAlmostEqual(curves["obstacle.press.force_z"][-1], 40, delta=0.4)
        self.assertAlmostEqual(curves["dent"][-1], 0.04, delta=4e-4)

    def test_exports(self):
        """CSV, VTKHDF and STL come out of the recording"""
        folder = Path(self.folder.name)
        rows = self.scree("export", self.alone, "--csv").stdout.splitlines()
        self.assertEqual(len(rows), 402)
        self.scree("export", self.alone, "--vtkhdf", "-o", folder / "vtk")
        self.assertEqual(len(list((folder / "vtk").glob("*.vtkhdf"))), 101)
        self.scree("export", self.alone, "--stl", "-o", folder / "out.stl")
        text = (folder / "out.stl").read_text(encoding="ascii")
        self.assertGreaterEqual(text.count("endsolid"), BOBS + 1)

    def test_what_a_scene_may_say_comes_from_the_method(self):
        """Schema and refusals speak of the method's own keys of materials, surfaces and specimens, and of no other method's"""
        schema = json.dumps(self.client.schema("showcase"))
        for key in ("drag_rate", "fan_coupling", "thread_length", "membrane_stiffness"):
            self.assertIn(key, schema)
        scene = json.loads(SCENE.read_text(encoding="utf-8"))
        inline(scene)
        del scene["specimens"][0]["thread_length"]
        scene["materials"][0]["drag_rate"] = -1
        with self.assertRaises(scree.SceneRefused) as refused:
            self.client.submit(scene)
        self.assertEqual({p["pointer"] for p in refused.exception.problems}, {"/specimens/0/thread_length", "/materials/0/drag_rate"})

    def test_headlines(self):
        """The numbers that the method names stand in the job"""
        names = [h["name"] for h in self.lab.job(self.job.id)["progress"]["headlines"]]
        self.assertEqual(names, ["tension", "drops", "dent"])


def inline(scene):
    """Puts the octahedron into the scene, for programs that submit scenes without files."""
    shape = scene["specimens"][1]["shape"]
    if shape.pop("file", None):
        shape["vertices"] = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
        shape["triangles"] = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]


if __name__ == "__main__":
    unittest.main()
