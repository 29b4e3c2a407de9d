"""One run of peridem over several processes: the recording of one process, byte for byte, whoever shares it and however it is interrupted."""
import json
import math
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import ranks
from command import begin, scree
from lab import Lab

PATIENCE = 300


def box(size, speed=8.0, **options):
    """A cube that strikes the floor so hard that it breaks: one body, cut into tiles. size: nodes along an edge."""
    spacing = 1e-3 / size
    half = 0.5e-3
    return {"scree": 1, "name": "cube", "method": "peridem",
            "materials": [{"name": "polymer", "density": 1200, "bulk_modulus": 2e9, "fracture_energy": 20}],
            "contact": {"friction_coefficient": 0.5, "damping_ratio": 0.4},
            "specimens": [{"name": "cube", "material": "polymer", "spacing": spacing, "velocity": [1.5, 0, -speed],
                           "shape": {"type": "box", "size": [1e-3, 1e-3, 1e-3]}, "placement": {"type": "single", "position": [0, 0, half * 1.001]}}],
            "rig": {"type": "box", "minimum": [-2e-3, -2e-3, 0], "maximum": [2e-3, 2e-3, 2e-3], "gravity": [0, 0, -9.81]},
            "time": {"duration": 8e-6}, "output": {"frame_interval": 2e-6, "sample_interval": 4e-7},
            "options": {"self_contact": True, "horizon": 3.015 * spacing, **options}}


def stack(steps):
    """Two thin hollow spheres one above the other, crushed between the walls of a box that holds them: faces, springs of friction, self-contact."""
    return {"scree": 1, "name": "stack", "method": "peridem",
            "materials": [{"name": "polymer", "density": 1200, "bulk_modulus": 2e9, "fracture_energy": 135}],
            "contact": {"friction_coefficient": 0.9, "damping_ratio": 0.9},
            "specimens": [{"name": "grain", "material": "polymer", "spacing": 1.25e-4,
                           "shape": {"type": "hollow_sphere", "radius": 1e-3, "inner_radius": 7.5e-4},
                           "placement": {"type": "list", "positions": [[0, 0, -1.1e-3], [1e-4, 0, 1.1e-3]]}}],
            "rig": {"type": "box", "minimum": [-1.2e-3, -1.2e-3, -2.2e-3], "maximum": [1.3e-3, 1.2e-3, 2.2e-3], "gravity": [0, 0, -9.81],
                    "walls": {"z_max": {"program": [{"type": "constant", "velocity": -40}]}}},
            "time": {"duration": steps * 2e-8, "time_step": 2e-8}, "output": {"frame_interval": steps * 4e-9, "sample_interval": steps * 1e-9},
            "options": {"horizon": 3.333333333333333e-4, "contact_radius": 2e-4, "self_contact": True, "force_chains": True}}


@unittest.skipIf(ranks.missing(), ranks.missing())
class RanksTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="scree-ranks-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_whole(self, name, scene, count, threads=1, code=0):
        """Directory of a whole run."""
        directory = ranks.prepare(self.folder / f"{name}-{count}-{threads}", scene)
        process = ranks.begin(directory, count, threads=threads)
        ended = process.wait(PATIENCE)
        self.assertEqual(ended, code, "last lines first: " + " | ".join(reversed((directory / "log").read_text().splitlines()[-30:])))
        return directory

    def assertSame(self, one, other):
        self.assertEqual((one / "recording.scree").read_bytes(), (other / "recording.scree").read_bytes(), f"{one.name} and {other.name} differ")

    def test_any_number(self):
        """a crushed pair of hollow spheres has the same bytes on 2 ranks of 2 threads and on 4, while bonds break and work is shared out anew"""
        scene = stack(190)
        alone = self.run_whole("spheres", scene, 0)
        self.assertGreater(ranks.last(alone, "broken_bonds"), 100)
        self.assertGreater(ranks.last(alone, "energy.friction"), 0)
        moves = 0
        for count, threads in ((2, 2), (4, 1)):
            shared = self.run_whole("spheres", scene, count, threads)
            self.assertSame(alone, shared)
            moves += ranks.moves(shared)
        self.assertGreater(moves, 0, "no work was shared out anew")

    def test_lone_body(self):
        """a cube that breaks as it strikes the floor, cut into tiles, has the same bytes on 5 ranks"""
        scene = box(10, 20)
        scene["time"]["duration"] = 6e-6
        alone = self.run_whole("cube", scene, 0)
        self.assertGreater(ranks.last(alone, "broken_bonds"), 100)
        self.assertSame(alone, self.run_whole("cube", scene, 5))

    def test_scenes(self):
        """grains in a box, grips, friction on a slope, faces, quasi-static loading, explicit damping have the same bytes on 2 ranks"""
        scenes = {name: ranks.gallery(name) for name in ("eight-grains", "cantilever-sag", "slow-tear", "three-point-bend", "slope-blocks", "cube-settling")}
        scenes["explicit"] = box(8, damping_step="explicit")
        scenes["viscous"] = box(8, friction_law="viscous", contact_surface="nodes")
        for name, scene in scenes.items():
            scene["time"]["duration"] *= 0.1
            self.assertSame(self.run_whole(name, scene, 0), self.run_whole(name, scene, 2))

    @staticmethod
    def members(process):
        """Processes of the ranks, in their order."""
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=True)
        return sorted(int(pid) for pid in listed.stdout.split())

    def stop_early(self, name, scene, count):
        """Directory of a run that was asked to stop once it had recorded a frame or two."""
        directory = ranks.prepare(self.folder / name, scene)
        process = ranks.begin(directory, count)
        deadline = time.monotonic() + PATIENCE
        while not (directory / "recording.scree").exists() or (directory / "recording.scree").stat().st_size < 30_000:
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll(), (directory / "log").read_text())
            time.sleep(0.02)
        os.kill(self.members(process)[0], signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 6, (directory / "log").read_text())
        self.assertTrue((directory / "checkpoint.scree").exists(), (directory / "log").read_text())
        return directory

    def test_checkpoint(self):
        """what 4 ranks had saved when they were stopped goes on with 1 process and 3 ranks, and ends with the same bytes"""
        scene = box(11, 20)
        alone = self.run_whole("whole", scene, 0)
        stopped = self.stop_early("stopped", scene, 4)
        self.assertLess((stopped / "recording.scree").stat().st_size, (alone / "recording.scree").stat().st_size)
        for count in (0, 3):
            again = Path(shutil.copytree(stopped, self.folder / f"again-{count}"))
            process = ranks.begin(again, count)
            self.assertEqual(process.wait(PATIENCE), 0, (again / "log").read_text())
            self.assertIn("continuing from a checkpoint", (again / "log").read_text())
            self.assertSame(alone, again)

    def test_killed(self):
        """a rank that is killed ends the others, and the next attempt goes on from the checkpoint to the same bytes"""
        scene = box(11, 20)
        alone = self.run_whole("whole", scene, 0)
        directory = ranks.prepare(self.folder / "killed", scene)
        process = ranks.begin(directory, 3, checkpoint_seconds=0.1)
        deadline = time.monotonic() + PATIENCE
        while not (directory / "checkpoint.scree").exists():
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll(), (directory / "log").read_text())
            time.sleep(0.02)
        os.kill(self.members(process)[-1], signal.SIGKILL)
        self.assertNotEqual(process.wait(PATIENCE), 0)
        again = ranks.begin(directory, 2)
        self.assertEqual(again.wait(PATIENCE), 0, (directory / "log").read_text())
        self.assertIn("continuing from a checkpoint", (directory / "log").read_text())
        self.assertSame(alone, directory)


def shared(scene, count=2):
    return {**scene, "run": {"ranks": count}}


class RefusalTest(unittest.TestCase):
    """Where Open MPI is absent as well."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="scree-ranks-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def refused(self, scene, words, **options):
        """What `scree check` says of run.ranks."""
        path = self.folder / "scene.json"
        path.write_text(json.dumps(scene))
        done = scree("check", path, "--json", **options)
        self.assertEqual(done.code, 4, done)
        problems = [one for one in done.json()["errors"] if one["pointer"] == "/run/ranks"]
        self.assertEqual(len(problems), 1, done)
        self.assertIn(words, problems[0]["detail"])

    def test_refused(self):
        """run.ranks is refused out of its range, with a device, for a method whose runs can't be shared, and where there is no mpirun"""
        scene = box(6)
        self.refused(shared(scene, 65), "64")
        self.refused({**scene, "run": {"ranks": 2, "device": "auto"}}, "run.ranks is 2 with run.device 'auto', but ranks compute on processors")
        rigid = json.loads(scree("check", "gallery:card-house", "--json").out)["scene"]
        self.refused(shared(rigid), "run.ranks is 2, but runs of method rigid can't be shared among processes: leave run.ranks out")
        self.refused(shared(scene), "run.ranks needs mpirun, which is not in this machine's PATH", prefix=("env", "PATH=/nowhere"))


@unittest.skipIf(ranks.missing(), ranks.missing())
class JobTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="scree-ranks-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.scene = box(12, 20)
        self.scene["time"]["duration"] = 1.2e-5
        self.scene["output"]["frame_interval"] = 2e-7

    @staticmethod
    def ranks_in(directory):
        """Ids of the ranks that work in a directory."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
            except OSError:
                continue
            if words[0:1] and words[0].endswith(b"scree-worker-mpi") and str(directory).encode() in words:
                found.append(int(entry.name))
        return sorted(found)

    def begun(self, lab, scene):
        """Number and directory of a job that has been started and has recorded frames."""
        number = lab.submit(scene)["id"]
        directory = Path(lab.data, "jobs", str(number))
        lab.wait_until(number, lambda job: job["state"] != "queued" and job["progress"]["step"] > 20)
        self.assertEqual(len(self.ranks_in(directory)), 2, (directory / "worker.log").read_text())
        return number, directory

    def assert_gone(self, directory):
        """No rank outlives its attempt."""
        deadline = time.monotonic() + PATIENCE
        while self.ranks_in(directory):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_jobs(self):
        """a job of 2 ranks goes on after a pause and the loss of a rank to the bytes of a plain run; one that lost who started its ranks is cancelled"""
        plain = ranks.prepare(self.folder / "plain", self.scene)
        self.assertEqual(ranks.begin(plain, 0).wait(PATIENCE), 0)
        recording = (plain / "recording.scree").read_bytes()
        with Lab("--slots", 1, "--threads", 2, "--checkpoint-seconds", 0.2) as lab:
            number, directory = self.begun(lab, shared(self.scene))
            self.assertEqual(lab.job(number)["threads"], 2)
            lab.json("POST", f"/api/v1/jobs/{number}/pause", expect=202)
            lab.wait_until(number, lambda job: job["state"] == "paused")
            self.assert_gone(directory)
            self.assertTrue((directory / "checkpoint.scree").exists(), (directory / "worker.log").read_text())
            self.assertFalse((directory / "ranks.socket").exists())
            lab.json("POST", f"/api/v1/jobs/{number}/resume", expect=202)
            lab.wait_until(number, lambda job: job["state"] == "running" and self.ranks_in(directory))
            os.kill(self.ranks_in(directory)[-1], signal.SIGKILL)
            self.assertEqual(lab.wait(number)["state"], "succeeded", (directory / "worker.log").read_text())
            self.assertIn("continuing from a checkpoint", (directory / "worker.log").read_text())
            self.assertTrue((directory / "recording.scree").read_bytes() == recording, "the job's recording differs from a plain run's")
            number, directory = self.begun(lab, shared(self.scene))
            before = self.ranks_in(directory)
            for worker in lab.worker_pids():
                os.kill(worker, signal.SIGKILL)
            lab.wait_until(number, lambda job: len(self.ranks_in(directory)) == 2 and not set(before) & set(self.ranks_in(directory)))
            lab.json("POST", f"/api/v1/jobs/{number}/cancel", expect=202)
            self.assertEqual(lab.wait(number)["state"], "cancelled")
            self.assert_gone(directory)
            number, directory = self.begun(lab, shared(self.scene))
            for worker in lab.worker_pids():
                os.kill(worker, signal.SIGKILL)
            self.assertEqual(lab.wait(number)["state"], "succeeded", (directory / "worker.log").read_text())
            status, _, body = lab.request("POST", "/api/v1/jobs", body=shared(self.scene, 3))
            self.assertEqual(status, 422, body)
            self.assertIn("3 ranks of 1 thread are asked for; this lab has 2 threads for all jobs together", body.decode())

    def test_bench(self):
        """bench measures 2 ranks beside threads, and says whether they are worth it; the check warns of ranks that gain little, by what is usual"""
        scene = self.folder / "scene.json"
        scene.write_text(json.dumps(box(8)))
        rows = scree("bench", scene, "--threads", 1, "--ranks", 2, "--seconds", 0.05, "--json").json()["rows"]
        self.assertEqual([row.get("ranks") for row in rows], [None, 2])
        self.assertGreater(rows[1]["step_seconds"], 0)
        self.assertIn("Ranks: 2 ", scree("bench", scene, "--threads", 1, "--ranks", 2, "--seconds", 0.05).out)
        scene.write_text(json.dumps(shared(box(6), 16)))
        warnings = [one["detail"] for one in scree("check", scene, "--json").json()["warnings"] if one["pointer"] == "/run/ranks"]
        self.assertEqual(len(warnings), 1)
        self.assertRegex(warnings[0], r"run.ranks is 16, but a step of about [0-9.e-]+ ms on one is [0-9.e-]+ times as quick on them, by what messages usually take")

    def test_fit(self):
        """bench measures cubes on 1 and 2 ranks and keeps the model that fits, if one does; checks of the command line and of a server go by what is kept"""
        kept = self.folder / "state" / "scree" / "machine.json"
        measured = scree("bench", "ranks", "--ranks", 2, "--seconds", 0.02, "--keep", kept, "--json")
        result = measured.json()
        self.assertEqual([(row["edge"], row["ranks"]) for row in result["rows"]], [(edge, count) for edge in (10, 16, 24) for count in (1, 2)])
        self.assertEqual((measured.code == 0, kept.exists()), (result["kept"], result["kept"]), measured)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps({"scree_machine": 1, "ranks": {"unevenness": 1.5, "message_seconds": 1e-4, "largest_error": 0.1,
                                                                  "measured": "2026-11-20", "processors": 2}}))
        state = ("env", f"XDG_STATE_HOME={self.folder / 'state'}")
        scene = self.folder / "scene.json"
        scene.write_text(json.dumps(box(8)))
        there = scree("check", scene, "--json", prefix=state).json()
        step = there["estimate"]["run_seconds"] / there["estimate"]["step_count"]
        with Lab("--slots", 1, "--threads", 4) as lab:  # which reads the state of the tests' user
            own = Path(os.environ["XDG_STATE_HOME"], "scree", "machine.json")
            usual = lab.json("POST", "/api/v1/scenes/check", box(8), expect=200)["sharing"]
            self.assertIsNone(usual["measured"])
            own.write_text(kept.read_text())
            self.addCleanup(own.unlink)
            fitted = lab.json("POST", "/api/v1/scenes/check", box(8), expect=200)["sharing"]
        self.assertEqual((fitted["measured"], [one["ranks"] for one in fitted["gains"]]), ("2026-11-20", [2, 4]))
        for one in fitted["gains"]:
            self.assertAlmostEqual(one["speedup"], step / (1.5 * step / one["ranks"] + 1e-4 * math.log2(one["ranks"])), 9)
        self.assertNotAlmostEqual(fitted["gains"][0]["speedup"], usual["gains"][0]["speedup"], 3)
        scene.write_text(json.dumps(shared(box(8), 2)))
        warnings = scree("check", scene, "--json", prefix=state).json()["warnings"]
        self.assertIn("as `scree bench ranks` measured here on 2026-11-20", json.dumps(warnings))

    def test_run_here(self):
        """`scree run` of a scene of 2 ranks, interrupted and gone on with, leaves the bytes of a plain run"""
        plain, scene, out = self.folder / "plain", self.folder / "scene.json", self.folder / "out"
        scene.write_text(json.dumps(self.scene))
        self.assertIn(scree("run", scene, "-o", plain).code, (0, 8))
        scene.write_text(json.dumps(shared(self.scene)))
        process = begin("run", scene, "-o", out)
        deadline = time.monotonic() + PATIENCE
        while not (out / "recording.scree").exists() or (out / "recording.scree").stat().st_size < 50_000:
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        self.assertEqual(len(self.ranks_in(out)), 2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        done = scree("run", scene, "-o", out)
        self.assertIn(done.code, (0, 8), done)
        self.assertIn("continuing from a checkpoint", done.err)
        self.assertTrue((out / "recording.scree").read_bytes() == (plain / "recording.scree").read_bytes(), "the recordings differ")


@unittest.skipIf(ranks.missing(), ranks.missing())
class MethodTest(unittest.TestCase):
    def test_other_methods(self):
        """scree-worker-mpi over 2 ranks refuses a method whose runs can't be shared, instead of running it twice"""
        with tempfile.TemporaryDirectory(prefix="scree-ranks-") as folder:
            rigid = json.loads(scree("check", "gallery:card-house", "--json").out)["scene"]
            directory = ranks.prepare(Path(folder) / "rigid", rigid)
            self.assertEqual(ranks.begin(directory, 2).wait(PATIENCE), 3, (directory / "log").read_text())
            self.assertIn("there are 2 ranks, but runs of method rigid can't be shared among processes", (directory / "log").read_text())
            self.assertFalse((directory / "recording.scree").exists())


if __name__ == "__main__":
    unittest.main()
