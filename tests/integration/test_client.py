"""The Python client against a real screed."""
import csv
import getpass
import math
import os
import socket
import sys
import tempfile
import types
import unittest
import unittest.mock
from pathlib import Path

import scree
from lab import PATIENCE, Lab, quiet_port


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.lab = Lab("--port", quiet_port()).start()  # on which it is again after it was killed
        self.addCleanup(self.lab.close)
        self.client = scree.Lab(f"http://127.0.0.1:{self.lab.port}", timeout=120 * PATIENCE)

    def test_curves(self):
        """A submitted scene runs to its end and its curves are lists by name with units"""
        job = self.client.submit(self.lab.small_scene()).wait(timeout=240 * PATIENCE)
        curves, units = job.curves(), job.units()
        self.assertEqual(set(curves), set(units))
        self.assertEqual(units["time"], "s")
        self.assertEqual(units["wall.z_max.force_z"], "N")
        self.assertTrue(all(len(values) == len(curves["time"]) for values in curves.values()))
        self.assertEqual(curves["time"], sorted(curves["time"]))

    def test_breaks_by_stretch(self):
        """Every broken bond of a grain that is crushed comes as columns in the order of breaking; stresses are NaN where stretch decides"""
        job = self.client.submit(self.lab.small_scene(steps=1500)).wait(timeout=240 * PATIENCE)
        breaks = job.breaks()
        self.assertEqual(list(breaks), ["time", "step", "a", "b", "mode", "load", "tension", "shear", "x", "y", "z"])
        self.assertEqual(len(breaks["time"]), job.curves()["broken_bonds"][-1])
        self.assertGreater(len(breaks["time"]), 10)
        self.assertEqual(breaks["time"], sorted(breaks["time"]))
        self.assertEqual(set(breaks["mode"]), {"stretch"})
        self.assertTrue(all(math.isnan(stress) for stress in breaks["tension"] + breaks["shear"]))
        self.assertTrue(all(type(number) is int and number >= 0 for name in ("step", "a", "b") for number in breaks[name]))
        self.assertGreaterEqual(min(breaks["load"]), 1)

    def test_fragments(self):
        """Fragments come by classes of mass that halve, all mass in them at every frame, dust apart; a whole body is in the first class"""
        scene = self.lab.small_scene(steps=2500)
        scene["rig"]["walls"]["z_max"]["program"] = [{"type": "constant", "velocity": -10}]
        job = self.client.submit(scene).wait(timeout=240 * PATIENCE)
        table = job.fragments()
        self.assertEqual(list(table), ["time", "dust", "lower_mass", "upper_mass", "count", "mass"])
        rows = [dict(zip(table, row)) for row in zip(*table.values())]
        whole = table["mass"][0]
        self.assertEqual((rows[0]["time"], rows[0]["count"], rows[0]["upper_mass"]), (0, 1, whole))
        for time in set(table["time"]):
            now = [row for row in rows if row["time"] == time]
            self.assertAlmostEqual(sum(row["mass"] for row in now) / whole, 1, places=9)
            self.assertLessEqual(sum(row["dust"] for row in now), 1)
        for row in rows:
            self.assertTrue(row["dust"] or 0.999 * row["lower_mass"] * row["count"] <= row["mass"] <= 1.001 * row["upper_mass"] * row["count"])
            self.assertTrue(row["dust"] or abs(math.log2(whole / row["upper_mass"]) % 1) < 1e-9)
        pieces = sum(row["count"] for row in rows if row["time"] == max(table["time"]))
        self.assertEqual(pieces, job.curves()["fragments"][-1])
        self.assertGreater(pieces, 1)

    def test_breaks_by_stress(self):
        """Bonds of a slab that shatters break by a stress, which comes in Pa, at places within the box; a job that waits has broken none"""
        scene = self.client.gallery()["chocolate-drop"]
        scene["specimens"][0]["spacing"] = 0.03
        first = self.client.submit(scene)
        waiting = self.client.submit(scene).pause()
        self.assertEqual(waiting.tables(), [])
        with self.assertRaises(scree.NotFound):
            waiting.breaks()
        breaks = first.wait(timeout=240 * PATIENCE).breaks()
        self.assertGreater(len(breaks["mode"]), 10)
        self.assertLessEqual(set(breaks["mode"]), {"tension", "shear"})
        strength = scene["materials"][0]["tensile_strength"]
        for mode, tension, shear in zip(breaks["mode"], breaks["tension"], breaks["shear"]):
            self.assertGreater(tension if mode == "tension" else shear, 0.99 * strength)
        self.assertTrue(all(abs(x) <= 0.4 and 0 <= z <= 0.45 for x, z in zip(breaks["x"], breaks["z"])))

    def test_many_jobs(self):
        """as_completed gives each of several jobs as it ends, wait_all all of them in the order given, and the first failure is raised"""
        jobs = [self.client.submit(self.lab.small_scene(steps=200 * k)) for k in (1, 2, 3)]
        seen = [job.id for job in self.client.as_completed(jobs, timeout=240 * PATIENCE)]
        self.assertEqual(sorted(seen), [job.id for job in jobs])
        self.assertEqual([job.state for job in self.client.wait_all(reversed(jobs), timeout=60)], ["succeeded"] * 3)
        long = self.client.submit(self.lab.long_scene())
        with self.assertRaises(TimeoutError):
            self.client.wait_all([*jobs, long], timeout=0.2)
        long.cancel()
        with self.assertRaises(scree.JobCancelled) as caught:
            self.client.wait_all([*jobs, long], timeout=240 * PATIENCE)
        self.assertIs(caught.exception.job, long)
        self.assertEqual([job.state for job in self.client.wait_all([long, jobs[0]], check=False)], ["cancelled", "succeeded"])
    def test_names_and_tags(self):
        """A job gets a name and tags, can be found by them, by its method and by words, and changed later"""
        job = self.client.submit(self.lab.small_scene(), name="first-notch", tags={"study": "notch", "note": "a b,c&d"}, priority=3)
        other = self.client.submit(self.lab.small_scene(), user="Ada & Co")
        self.assertEqual((job.user, other.user), (getpass.getuser(), "Ada & Co"))
        self.assertEqual([found.id for found in self.client.jobs(user="Ada & Co")], [other.id])
        self.assertEqual((job.name, job.tags, job.data["priority"]), ("first-notch", {"study": "notch", "note": "a b,c&d"}, 3))
        self.assertEqual([found.id for found in self.client.jobs(tags={"study": "notch", "note": "a b,c&d"})], [job.id])
        self.assertEqual([found.id for found in self.client.jobs(search="first-notch", method="peridem")], [job.id])
        self.assertEqual(list(self.client.jobs(tags={"study": "none"})), [])
        self.assertEqual([found.id for found in self.client.jobs(state="queued,running,succeeded")], [other.id, job.id])
        job.change(notes="the good one", tags={})
        self.assertEqual((job.refresh().data["notes"], job.tags, job.name), ("the good one", {}, "first-notch"))
        with self.assertRaises(scree.ScreeError):
            job.change(colour="red")

    def test_frames(self):
        """Frames hold every node's position and fields, the same with NumPy and without, and agree with the curves at their time"""
        job = self.client.submit(self.lab.small_scene(frames=10)).wait(timeout=240 * PATIENCE)
        frames, nodes = job.frames(), job.data["estimate"]["node_count"]
        self.assertEqual([frame.number for frame in frames], list(range(11)))
        self.assertEqual(frames[0].time, 0)
        last = frames[-1]
        self.assertEqual(len(last.positions), nodes)
        self.assertEqual((last.units()["position"], last.units()["damage"]), ("m", "1"))
        self.assertTrue(all(0.5e-3 - 2e-4 <= math.dist(place, (0, 0, 0)) <= 1e-3 for place in frames[0].positions))
        self.assertTrue(0 <= min(last.field("damage")) <= max(last.field("damage")) <= 1)
        self.assertEqual(len(set(map(int, last.field("fragment")))), job.curves()["fragments"][-1])
        curves = job.curves()
        lid = [name for name in last.drawables if "position" in last.drawables[name] and len(last.drawables[name]["position"]) == 6]
        moved = last.drawables[lid[0]]["position"][5][2] - frames[0].drawables[lid[0]]["position"][5][2]
        self.assertAlmostEqual(moved, -curves["wall.z_max.displacement"][-1], delta=1e-9)
        with self.assertRaises(KeyError):
            last.field("colour")
        if scree.frames._numpy is not None:
            self.assertEqual((last.positions.shape, last.field("fragment").dtype.kind), ((nodes, 3), "i"))
            arrays = [tuple(row) for row in last.positions.tolist()], last.field("damage").tolist(), last.field("fragment").tolist()
            with unittest.mock.patch.object(scree.frames, "_numpy", None):
                plain = job.frames()[-1]
                self.assertEqual((plain.positions, plain.field("damage"), plain.field("fragment")), arrays)
        blocker = self.lab.submit(self.lab.long_scene())["id"]  # so that the next is paused before it has begun
        self.lab.wait_until(blocker, lambda job: job["state"] == "running")
        self.assertEqual(self.client.submit(self.lab.long_scene()).pause().frames(), [])

    def test_events(self):
        """Events come once each, live, with their times; those of a job that never ran are none"""
        scene = self.lab.small_scene(steps=1500)
        job = self.client.submit(scene)
        events = list(job.events())
        job.wait(timeout=240 * PATIENCE)  # its last record comes a moment before its state
        self.assertEqual([event["kind"] for event in events].count("first_break"), 1)
        self.assertTrue(all(0 <= event["time"] <= scene["time"]["duration"] and event["message"] for event in events))
        self.assertEqual(list(job.events()), events)
        blocker = self.lab.submit(self.lab.long_scene())["id"]  # so that the next is paused before it has begun
        self.lab.wait_until(blocker, lambda job: job["state"] == "running")
        waiting = self.client.submit(self.lab.long_scene()).pause()
        waiting.cancel()
        self.assertEqual(list(waiting.events()), [])

    def test_to_pandas(self):
        """to_pandas makes a DataFrame of the curves with their units, and says what is missing where pandas is not installed"""
        job = self.client.submit(self.lab.small_scene()).wait(timeout=240 * PATIENCE)
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(scree.ScreeError, "pip install pandas"):
                job.to_pandas()
        made = types.SimpleNamespace(attrs={})
        stand_in = types.SimpleNamespace(DataFrame=lambda columns: (setattr(made, "columns", columns), made)[1])
        with unittest.mock.patch.dict(sys.modules, {"pandas": stand_in}):
            self.assertIs(job.to_pandas(), made)
        self.assertEqual(made.columns, job.curves())
        self.assertEqual(made.attrs["units"], job.units())

    def test_problem_documents(self):
        """Errors carry the server's problem document"""
        with self.assertRaises(scree.NotFound) as caught:
            self.client.job(99)
        self.assertEqual((caught.exception.problem["status"], caught.exception.problem["instance"]), (404, "/api/v1/jobs/99"))
        self.assertEqual(caught.exception.problem["detail"], str(caught.exception))
        with self.assertRaises(scree.SceneRefused) as caught:
            self.client.submit({"name": "x"})
        self.assertEqual(caught.exception.problem["errors"], caught.exception.problems)
        with self.assertRaises(scree.ServerUnreachable) as caught:
            scree.Lab("http://127.0.0.1:9").job(1)
        self.assertIsNone(caught.exception.problem)

    def test_doubts(self):
        """A run with doubts succeeds, and the job has the sentences"""
        scene = self.lab.small_scene(steps=600)
        scene["time"]["time_step"] = 9e-8
        scene["options"] = {"allow_unstable_step": True, "contact_surface": "nodes", "damping_step": "explicit"}
        job = self.client.submit(scene).wait(timeout=240 * PATIENCE)
        self.assertIn("energy_balance", [doubt["kind"] for doubt in job.doubts])
        self.assertIn("doubt", [event["kind"] for event in job.events()])
        still = self.lab.small_scene()
        still["rig"]["walls"] = {}
        self.assertEqual(self.client.submit(still).wait(timeout=240 * PATIENCE).doubts, [])

    def test_samples_live(self):
        """Live samples are the recorded curves: each once, in order"""
        job = self.client.submit(self.lab.small_scene())
        live = list(job.samples())
        curves = job.wait(timeout=240 * PATIENCE).curves()
        self.assertEqual([sample["time"] for sample in live], curves["time"])
        self.assertEqual([sample["wall.z_max.force_z"] for sample in live], curves["wall.z_max.force_z"])

    def test_samples_survive_a_killed_server(self):
        """When screed is killed and started again in mid-run, samples go on, each once, and the job succeeds"""
        scene = self.lab.small_scene()
        scene["time"]["duration"] *= 20
        job = self.client.submit(scene)
        live, killed = [], False
        for sample in job.samples():
            live.append(sample["time"])
            if len(live) >= 5 and not killed:
                killed = True
                self.lab.kill()
                self.lab.start()
        self.assertTrue(killed)
        self.assertEqual(live, job.wait(timeout=120 * PATIENCE).curves()["time"])

    def test_refused(self):
        """A refused scene raises SceneRefused with every problem and its place"""
        scene = self.lab.small_scene()
        scene["specimens"][0]["spacing"] = -1
        scene["colour"] = "red"
        for call in (self.client.submit, self.client.check):
            with self.assertRaises(scree.SceneRefused) as caught:
                call(scene)
            pointers = {problem["pointer"] for problem in caught.exception.problems}
            self.assertLessEqual({"/specimens/0/spacing", "/colour"}, pointers)
            lines = str(caught.exception).splitlines()
            self.assertEqual(len(lines), 1 + len(caught.exception.problems))
            for problem, line in zip(caught.exception.problems, lines[1:]):
                self.assertEqual(line, f"  {problem['pointer']}: {problem['detail']}")

    def test_unknown_names(self):
        """A scene or a curve that is not there is answered with the nearest names, as a KeyError without quotes around its text"""
        with self.assertRaises(KeyError) as caught:
            self.client.gallery()["hollow-sphere-crash"]
        self.assertIsInstance(caught.exception, scree.UnknownName)
        self.assertTrue(str(caught.exception).startswith("there is no scene in the gallery 'hollow-sphere-crash'; did you mean 'hollow-sphere-crush'"))
        curves = self.client.submit(self.lab.small_scene()).wait(timeout=240 * PATIENCE).curves()
        self.assertIn("wall.z_max.force_z", curves)
        self.assertEqual(curves.get("nothing"), None)
        with self.assertRaisesRegex(scree.UnknownName, "there is no curve 'wall.z_max.force'; did you mean .*'wall.z_max.force_z'"):
            curves["wall.z_max.force"]
        with self.assertRaisesRegex(scree.UnknownName, "there is no curve 'qqq'; known are: "):
            curves["qqq"]

    def test_check(self):
        """A check gives the effective scene and the estimate of its cost"""
        answer = self.client.check(self.lab.small_scene())
        self.assertGreater(answer["estimate"]["node_count"], 0)
        self.assertIn("options", answer["scene"])

    def test_unreachable(self):
        """Without a server calls raise ServerUnreachable"""
        with self.assertRaises(scree.ServerUnreachable):
            scree.Lab("http://127.0.0.1:9").gallery()

    def test_cancel_and_delete(self):
        """A cancelled job raises JobCancelled, and is gone after delete"""
        scene = self.lab.small_scene()
        scene["time"]["duration"] *= 200
        job = self.client.submit(scene).cancel()
        with self.assertRaises(scree.JobCancelled):
            job.wait(timeout=240 * PATIENCE)
        job.delete()
        with self.assertRaises(scree.NotFound):
            job.refresh()

    def test_fetch(self):
        """Fetched files are whole: the CSV has the curves' samples, the recording its magic"""
        job = self.client.submit(self.lab.small_scene()).wait(timeout=240 * PATIENCE)
        with tempfile.TemporaryDirectory() as folder:
            job.fetch(folder)
            rows = list(csv.reader((Path(folder) / "curves.csv").open(newline="")))
            self.assertEqual(sorted(path.name for path in Path(folder).iterdir()), ["curves.csv", "plot.svg", "recording.scree", "scene.json"])
            self.assertEqual([float(row[0]) for row in rows[1:]], job.curves()["time"])
            self.assertEqual((Path(folder) / "recording.scree").read_bytes()[:5], b"SCREE")

    def test_surface(self):
        """The surface of any frame is saved by its number, in the format of the file's name"""
        job = self.client.submit(self.lab.small_scene()).wait(timeout=240 * PATIENCE)
        with tempfile.TemporaryDirectory() as folder:
            self.assertTrue(job.surface(-1, os.path.join(folder, "last.ply")).read_bytes().startswith(b"ply\n"))
            self.assertTrue(job.surface(0, os.path.join(folder, "first.STL")).read_bytes().startswith(b"solid "))
            with self.assertRaises(scree.NotFound):
                job.surface(10**6, os.path.join(folder, "none.ply"))
            with self.assertRaises(ValueError):
                job.surface(0, os.path.join(folder, "first.obj"))
            self.assertEqual(sorted(os.listdir(folder)), ["first.STL", "last.ply"])

    def test_too_large(self):
        """A scene of more bytes than the server takes is refused with a message about its size, not as if no server were there"""
        scene = dict(self.lab.small_scene(), description="x" * 30_000_000)
        with self.assertRaises(scree.ScreeError) as refused:
            self.client.check(scene)
        self.assertRegex(str(refused.exception), r"bytes|large|long")
        self.assertNotIn("is screed running there", str(refused.exception))

    def test_too_large_by_little(self):
        """A scene somewhat beyond the limit is read to its end, so that the server's own refusal arrives"""
        with self.assertRaises(scree.ScreeError) as refused:
            self.client.submit(dict(self.lab.small_scene(), description="x" * 6_000_000))
        self.assertIn("the body must be at most 4194304 bytes long", str(refused.exception))

    def test_no_answer_in_time(self):
        """Where a server takes the connection and is silent, the client says for how long it waited and how to wait longer"""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            with self.assertRaises(scree.ServerUnreachable) as given_up:
                scree.Lab(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.2, token="none").check({})
        self.assertRegex(str(given_up.exception), r"no answer from http://127.0.0.1:\d+ within 0.2 s; .*timeout=")

    def test_jobs_and_gallery(self):
        """Every job is listed, newest first; the gallery's first scene of each method passes the check, and so does what is stored of it: the scene with its defaults

        tests/validation/shared/validate_gallery.c reads every scene so."""
        ids = [self.client.submit(self.lab.small_scene()).id for _ in range(3)]
        self.assertEqual([job.id for job in self.client.jobs()], ids[::-1])
        scenes = self.client.gallery()
        self.assertGreater(len(scenes), 50)
        for name in {scene["method"]: name for name, scene in reversed(scenes.items())}.values():
            first = self.client.check(scenes[name])
            self.assertEqual(first["scene"]["name"], name)
            self.assertEqual(self.client.check(first["scene"]), first, name)


if __name__ == "__main__":
    unittest.main()
