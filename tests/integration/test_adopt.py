"""A store that was lost: its recordings are said at the start, and taken in again on request."""
import json
import subprocess
import time
import unittest

from lab import BUILD, Lab

ENDED = ("succeeded", "failed", "cancelled")


def wait(lab, ids):
    while any(lab.json("GET", f"/api/v1/jobs/{i}")["state"] not in ENDED for i in ids):
        time.sleep(0.1)


class Adopt(unittest.TestCase):
    def command(self, lab, *words):
        return subprocess.run([BUILD / "scree", *words, "--server", lab.url, "--json"], capture_output=True, text=True, timeout=240,
                              env={"SCREE_TOKEN": lab.token, "PATH": "/usr/bin:/bin"}, check=False)

    def test_recordings_come_back(self):
        """finished runs come back with number, name, verdict, curves and bytes, a run that was interrupted goes on; what can't be told is refused, and kept"""
        with Lab() as lab:
            ids = [lab.submit({**Lab.small_scene(steps=40, frames=4), "name": f"run-{k}"})["id"] for k in range(3)]
            wait(lab, ids)
            before = {i: (lab.json("GET", f"/api/v1/jobs/{i}"), lab.request("GET", f"/api/v1/jobs/{i}/curves")[2],
                          lab.request("GET", f"/api/v1/jobs/{i}/recording")[2]) for i in ids}
            long = lab.submit({**Lab.small_scene(steps=3000000, frames=4), "name": "long"})["id"]
            while lab.json("GET", f"/api/v1/jobs/{long}")["state"] != "running" or not (lab.data / "jobs" / str(long) / "checkpoint.scree").exists():
                time.sleep(0.05)
            lab.stop()
            for file in lab.data.glob("scree.db*"):
                file.unlink()
            (lab.data / "jobs" / str(ids[2]) / "scene.json").unlink()
            lab.start()
            self.assertEqual(lab.json("GET", "/api/v1/jobs")["jobs"], [])
            self.assertIn("recordings_without_job count=4", lab.errors())
            self.assertEqual(lab.json("GET", "/api/v1/recordings/unclaimed"), {"count": 4, "jobs": [*ids, long], "next": None})
            self.assertEqual(lab.json("GET", f"/api/v1/recordings/unclaimed?after={ids[1]}")["jobs"], [ids[2], long])
            said = self.command(lab, "admin", "adopt")
            answer = json.loads(said.stdout)
            self.assertEqual((said.returncode, answer["adopted"]), (1, [ids[0], ids[1], long]), said)
            self.assertEqual([one["job"] for one in answer["refused"]], [ids[2]])
            self.assertIn("scene.json", answer["refused"][0]["reason"])
            wait(lab, ids[:2])
            for i in ids[:2]:
                job, curves, recording = before[i]
                now = lab.json("GET", f"/api/v1/jobs/{i}")
                for key in ("name", "state", "method", "doubts"):
                    self.assertEqual(now.get(key), job.get(key), key)
                self.assertEqual(lab.request("GET", f"/api/v1/jobs/{i}/curves")[2], curves)
                self.assertEqual(lab.request("GET", f"/api/v1/jobs/{i}/recording")[2], recording)
            while not (lab.json("GET", f"/api/v1/jobs/{long}")["progress"] or {}).get("step"):
                time.sleep(0.05)  # goes on
            lab.request("POST", f"/api/v1/jobs/{long}/cancel")
            self.assertTrue((lab.data / "jobs" / str(ids[2]) / "recording.scree").exists())
            self.assertGreater(lab.submit(Lab.small_scene())["id"], long)
            self.assertEqual(json.loads(self.command(lab, "admin", "adopt").stdout)["adopted"], [])

    def test_larger_than_allowed(self):
        """a run that has ended comes back into a laboratory that would not take its scene any more; one that has not ended is refused"""
        with Lab() as lab:
            ended, long = lab.submit(Lab.small_scene())["id"], lab.submit(Lab.small_scene(steps=3000000, frames=4))["id"]
            wait(lab, [ended])
            while lab.json("GET", f"/api/v1/jobs/{long}")["state"] != "running":
                time.sleep(0.05)
            before = lab.request("GET", f"/api/v1/jobs/{ended}/recording")[2]
            lab.stop()
            for file in lab.data.glob("scree.db*"):
                file.unlink()
            lab.options += ["--memory", "1M"]
            lab.start()
            answer = json.loads(self.command(lab, "admin", "adopt").stdout)
            self.assertEqual((answer["adopted"], [one["job"] for one in answer["refused"]]), ([ended], [long]))
            self.assertIn("memory", answer["refused"][0]["reason"])
            wait(lab, [ended])
            self.assertEqual(lab.json("GET", f"/api/v1/jobs/{ended}")["state"], "succeeded")
            self.assertEqual(lab.request("GET", f"/api/v1/jobs/{ended}/recording")[2], before)

    def test_words(self):
        """another word is refused with the one that there is"""
        with Lab() as lab:
            said = subprocess.run([BUILD / "scree", "admin", "addopt", "--server", lab.url], capture_output=True, text=True, timeout=240,
                                  env={"SCREE_TOKEN": lab.token, "PATH": "/usr/bin:/bin"}, check=False)
            self.assertEqual(said.returncode, 2)
            self.assertIn("scree admin adopt", said.stderr)


if __name__ == "__main__":
    unittest.main()
