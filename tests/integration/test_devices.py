"""Jobs on a device: the bytes of a run on the processor, within the limits that workers live in. On pocl; skipped where there is no OpenCL."""
import json
import os
import re
import signal
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import ranks
from command import begin, scree
from lab import BUILD, PATIENCE, SANITIZED, Lab
from scree import Lab as Client

TOPOLOGY, END = 2, 7


def records(path):
    """Type, time and payload of each record, without the kernels that are named and the digest that they are part of."""
    data, at = Path(path).read_bytes(), 8
    while at < len(data):
        size, kind, _, _, time, _, _ = struct.unpack_from("<IHHQdII", data, at)
        payload = data[at + 32:at + 32 + size]
        if kind in (TOPOLOGY, END):
            payload = {key: value for key, value in json.loads(payload).items() if key not in ("kernels", "digest")}
        yield kind, time, payload
        at += (32 + size + 7) // 8 * 8


def kernels(path):
    return next(json.loads(line) for line in re.findall(rb'"kernels":(\[.*?\])', Path(path).read_bytes()))


def device():
    listed = json.loads(scree("devices", "--json").out)
    usable = [one["name"] for one in listed["devices"] if one["usable"]]
    return (usable[0] if usable else None), "; ".join(listed["notes"])


class DevicesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="scree-test-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = Path(cls.folder.name)
        if SANITIZED:
            raise unittest.SkipTest("no drivers of devices under sanitizers")
        cls.name, why = device()
        if not cls.name:
            raise unittest.SkipTest(f"no device here: {why}")
        os.environ.setdefault("POCL_CACHE_DIR", str(Path(BUILD, "pocl-cache").resolve()))
        cls.scene = Lab.small_scene(steps=300, frames=6, name="device")
        cls.on_device = dict(cls.scene, run={"device": cls.name})
        cls.reference = cls.root / "reference"
        done = scree("run", cls.write("cpu", cls.scene), "-o", cls.reference)
        if done.code not in (0, 8):
            raise RuntimeError(f"the reference run failed: {done}")

    @classmethod
    def write(cls, name, scene):
        path = cls.root / f"{name}.json"
        path.write_text(json.dumps(scene))
        return path

    def assert_same(self, recording, reference=None):
        self.assertEqual(list(records(recording)), list(records((reference or self.reference) / "recording.scree")))

    def test_run(self):
        """`scree run` on a device records the bytes of a run on the processor but for the kernel's name, and says whose bits they are"""
        out = self.root / "run"
        self.assertIn(scree("run", self.write("device", self.on_device), "-o", out).code, (0, 8))
        self.assert_same(out / "recording.scree")
        mine, theirs = kernels(out / "recording.scree"), kernels(self.reference / "recording.scree")
        self.assertEqual(mine[0]["same_bits_as"], theirs[0]["variant"])
        self.assertNotEqual(mine[0]["variant"], theirs[0]["variant"])

    def test_breaking(self):
        """A hollow sphere that crumbles, its pieces pushing each other, records the bytes of a run on the processor, with each bond that breaks"""
        scene = Lab.small_scene(steps=900, frames=15, name="crumble")
        scene["materials"][0]["fracture_energy"] = 20
        scene["options"] = {"self_contact": True}
        here, there = self.root / "crumble-here", self.root / "crumble-there"
        self.assertIn(scree("run", self.write("crumble", scene), "-o", here).code, (0, 8))
        self.assertIn(scree("run", self.write("crumble-device", dict(scene, run={"device": self.name})), "-o", there).code, (0, 8))
        self.assert_same(there / "recording.scree", here)
        self.assertGreater(ranks.last(here, "broken_bonds"), 300)

    def test_refused(self):
        """A device that is not there is refused with what `scree devices` lists, and one for a method that has none by the check"""
        done = scree("run", self.write("absent", dict(self.scene, run={"device": "gpu:77"})), "-o", self.root / "absent")
        self.assertNotEqual(done.code, 0)
        self.assertIn("run.device is 'gpu:77', which can't be used here; `scree devices` lists:", done.err)
        self.assertIn(self.name, done.err)
        done = scree("check", "gallery:card-house", "--json")
        scene = dict(json.loads(done.out)["scene"], run={"device": "auto"})
        done = scree("check", self.write("rigid", scene))
        self.assertNotEqual(done.code, 0)
        self.assertIn("method rigid runs on the processor alone", done.out + done.err)

    def test_worker_within_little_memory(self):
        """A worker on a device is not held to the address space of others, which no driver fits into; its compiler's files are gone after it"""
        place = self.root / "worker"
        place.mkdir()
        (place / "scene.json").write_text(self.effective(self.on_device))
        done = subprocess.run([Path(BUILD, "scree-worker"), "--directory", place, "--memory-limit", "700000000"], capture_output=True, text=True,
                              check=False)
        self.assertIn(done.returncode, (0, 8), done.stderr)
        self.assert_same(place / "recording.scree")
        self.assertFalse((place / "kernels").exists())

    def test_moves(self):
        """A run interrupted on a device goes on on the processor, and the other way round, to the bytes of a run that stayed where it began"""
        scene = Lab.small_scene(steps=3000, frames=60, name="moves")
        on_device, whole = dict(scene, run={"device": self.name}), self.root / "whole"
        self.assertIn(scree("run", self.write("whole", scene), "-o", whole).code, (0, 8))
        for first, then in ((on_device, scene), (scene, on_device)):
            out = self.root / ("to-cpu" if then is scene else "to-device")
            process = begin("run", self.write("first", first), "-o", out)
            recording, end = out / "recording.scree", time.monotonic() + 60 * PATIENCE
            while process.poll() is None and time.monotonic() < end and (not recording.exists() or recording.stat().st_size < 60000):
                time.sleep(0.002)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60 * PATIENCE)
            self.assertEqual(process.returncode, 130)
            self.assertIn(scree("run", self.write("then", then), "-o", out).code, (0, 8))
            self.assert_same(recording, whole)

    def test_check(self):
        """`scree check` refuses a device that is not here, at its place in the scene, and takes one that is"""
        done = scree("check", self.write("absent", dict(self.scene, run={"device": "gpu:77"})), "--json")
        self.assertEqual(done.code, 4)
        self.assertEqual([one["pointer"] for one in done.json()["errors"]], ["/run/device"])
        self.assertEqual(scree("check", self.write("present", self.on_device)).code, 0)

    def test_bench(self):
        """`scree bench` has a row for a device and says what it is worth"""
        rows = scree("bench", self.write("bench", self.scene), "--threads", 1, "--seconds", 0.05, "--ranks", 1, "--device", self.name, "--json").json()["rows"]
        self.assertEqual([row.get("device") for row in rows][:2], [None, self.name])
        self.assertTrue(all(row["step_seconds"] > 0 for row in rows))
        told = scree("bench", self.write("bench", self.scene), "--threads", 1, "--seconds", 0.05, "--device", self.name)
        self.assertRegex(told.out, rf"\nDevices: {self.name} (steps|takes) ")

    def test_bench_of_what_a_device_can_not_step(self):
        """a device that can't step a scene says why in its row, and the other rows are there"""
        scene = {"scree": 1, "name": "implicit", "method": "bdem", "materials": [{"name": "m", "density": 1000, "young_modulus": 1e6}],
                 "specimens": [{"name": "b", "material": "m", "spacing": 0.02, "shape": {"type": "box", "size": [0.1, 0.04, 0.04]}}],
                 "rig": {"type": "none"}, "time": {"duration": 1}, "options": {"integrator": "implicit-euler", "constants_of": "bonds"}}
        call = ("bench", self.write("implicit", scene), "--threads", 1, "--seconds", 0.05, "--ranks", 1, "--device", self.name)
        rows = scree(*call, "--json").json()["rows"]
        self.assertGreater(rows[0]["step_seconds"], 0)
        self.assertEqual((rows[1]["device"], rows[1]["reason"]), (self.name, "implicit steps of method bdem are made on the processor"))
        told = scree(*call).out
        self.assertIn("implicit steps of method bdem are made on the processor\n", told)
        self.assertIn("\nDevices: none can step this scene, for the reason in its row.\n", told)

    def effective(self, scene):
        return json.dumps(json.loads(scree("check", self.write("effective", scene), "--json").out)["scene"])

    def test_job(self):
        """A job on a device ends as one on the processor, with the same bytes; it says what it is to run on, and lists of jobs do too"""
        with Lab() as lab:
            job = lab.submit(self.on_device)
            self.assertEqual(job["run"], {"ranks": 1, "device": self.name})
            self.assertEqual(lab.wait(job["id"])["state"], "succeeded")
            self.assert_same(Path(lab.data, "jobs", str(job["id"]), "recording.scree"))
            self.assertEqual(lab.wait(lab.submit(self.scene)["id"])["run"], {"ranks": 1, "device": "cpu"})
            listed = lab.json("GET", "/api/v1/jobs", expect=200)["jobs"]
            self.assertEqual([one["run"]["device"] for one in listed], ["cpu", self.name])

    def test_server(self):
        """A server lists the devices that `scree devices` lists on its machine, to programs, the command line and Python"""
        with Lab() as lab:
            listed = json.loads(scree("devices", "--json").out)
            self.assertEqual(lab.json("GET", "/api/v1/devices", expect=200), listed)
            self.assertEqual(json.loads(scree("devices", "--json", "--server", lab.url).out), listed)
            self.assertEqual(scree("devices", "--server", lab.url).out, scree("devices").out)
            self.assertRegex(scree("devices").out, rf"(?m)^{self.name}  .*, usable$")
            self.assertEqual(Client(lab.url, token=lab.token).devices(), listed)

    def test_server_refuses(self):
        """A server's check and its submission refuse a device that is not there before any work starts, with those that are"""
        with Lab() as lab:
            scene = dict(self.scene, run={"device": "gpu:77"})
            for path, there in (("/api/v1/scenes/check", ""), ("/api/v1/jobs", "")):
                [problem] = lab.json("POST", path, scene, expect=422)["errors"]
                self.assertEqual((problem["pointer"], problem["given"]), (f"{there}/run/device", "gpu:77"))
                self.assertIn(self.name, problem["allowed"].split(", "))
                self.assertIn("run.device is 'gpu:77', which can't be used here", problem["detail"])
            [problem] = lab.json("POST", "/api/v1/jobs", {"scene": scene}, expect=422)["errors"]
            self.assertEqual(problem["pointer"], "/scene/run/device")
            self.assertEqual(lab.json("GET", "/api/v1/jobs", expect=200)["jobs"], [])
            study = {"scree_study": 1, "name": "devices", "scene": self.on_device, "results": {"last": "final(energy.kinetic)"},
                     "factors": {"device": {"pointer": "/run/device", "values": ["cpu", "gpu:77"]}}}
            plan = lab.json("POST", "/api/v1/studies/check", study, expect=200)
            self.assertEqual((plan["rows"], plan["refused"]), (2, 1))
            self.assertIn("run.device is 'gpu:77'", json.dumps(plan["refusals"]))


class NoDeviceTest(unittest.TestCase):
    """Drivers that find nothing are played by an empty folder of theirs, so this needs no device."""

    def test_none(self):
        """Where there is no device a server says why, takes "auto", and refuses a name with that reason"""
        with tempfile.TemporaryDirectory(prefix="scree-test-") as nothing:
            with Lab(environment={"OCL_ICD_VENDORS": nothing, "CUDA_VISIBLE_DEVICES": ""}) as lab:
                listed = lab.json("GET", "/api/v1/devices", expect=200)
                self.assertEqual(listed["devices"], [])
                self.assertTrue(any(note.startswith("no OpenCL: ") for note in listed["notes"]))
                scene = Lab.small_scene(steps=30, frames=3)
                [problem] = lab.json("POST", "/api/v1/scenes/check", dict(scene, run={"device": "gpu:0"}), expect=422)["errors"]
                self.assertEqual((problem["pointer"], problem["allowed"]), ("/run/device", "cpu, auto"))
                self.assertIn(listed["notes"][0], problem["detail"])
                job = lab.submit(dict(scene, run={"device": "auto"}))
                self.assertEqual((lab.wait(job["id"])["state"], job["run"]["device"]), ("succeeded", "auto"))


if __name__ == "__main__":
    unittest.main()
