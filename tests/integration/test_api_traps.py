"""What lies in the data directory and is no file of ours: a pipe holds nobody, a link leads nowhere, a strange number stays the folder's own."""
import json
import os
import subprocess
import threading
import time
import unittest

from lab import BUILD, ENDED, PATIENCE, Lab

NAMES = ("worker.log", "recording.scree", "recording.index", "checkpoint.scree", "scene.json")
ASKED = ("", "/log", "/scene", "/curves", "/frames", "/recording", "/integrity", "/tables", "/files")


class Traps(unittest.TestCase):
    def answer(self, lab, path, seconds=30):
        """Status and body, or a failure: nothing may wait for what lies in a folder."""
        found = []
        asking = threading.Thread(target=lambda: found.append(lab.request("GET", path)), daemon=True)
        asking.start()
        asking.join(seconds * PATIENCE)
        self.assertTrue(found, f"{path} is not answered")
        return found[0][0], found[0][2]

    def trap(self, lab, folder, name, kind):
        """Puts a pipe, a link to a secret, or a folder in the place of one of a job's files."""
        place, secret = folder / name, lab.data.parent / "secret"
        secret.write_text("a secret\n" * 5)
        if place.exists() or place.is_symlink():
            place.unlink()
        if kind == "pipe":
            os.mkfifo(place)
        elif kind == "link":
            place.symlink_to(secret)
        else:
            place.mkdir()

    def test_finished_jobs(self):
        """a pipe, a link or a folder in the place of a file of a finished job: every route answers, nothing behind a link comes out, and screed ends"""
        for kind in ("pipe", "link", "folder"):
            with Lab() as lab:
                jobs = {name: lab.wait(lab.submit(Lab.small_scene(steps=20, frames=3))["id"])["id"] for name in NAMES}
                for name, job in jobs.items():
                    self.trap(lab, lab.data / "jobs" / str(job), name, kind)
                for name, job in jobs.items():
                    for path in ASKED:
                        status, body = self.answer(lab, f"/api/v1/jobs/{job}{path}")
                        self.assertIn(status, (200, 404, 500), (kind, name, path))
                        self.assertNotIn(b"a secret", body, (kind, name, path))
                self.assertEqual(lab.stop(), 0)

    def test_running_jobs(self):
        """a pipe, a link or a folder in the place of a file of a job that is to go on: the others run, its end is told, nothing is written behind a link"""
        for kind in ("pipe", "link", "folder"):
            with Lab("--max-attempts", 1) as lab:
                jobs = {name: lab.submit(Lab.small_scene(steps=3000000, frames=3))["id"] for name in NAMES}
                for name, job in jobs.items():
                    folder = lab.data / "jobs" / str(job)
                    while not (folder / "recording.scree").exists():
                        time.sleep(0.02)
                    lab.request("POST", f"/api/v1/jobs/{job}/pause")
                    while lab.job(job)["state"] != "paused":
                        time.sleep(0.02)
                    self.trap(lab, folder, name, kind)
                for job in jobs.values():
                    lab.request("POST", f"/api/v1/jobs/{job}/resume")
                other = lab.submit(Lab.small_scene(steps=20, frames=3))["id"]
                deadline = time.monotonic() + 60 * PATIENCE
                while lab.job(other)["state"] not in ENDED:
                    self.assertEqual(lab.request("GET", "/healthz")[0], 200)
                    self.assertLess(time.monotonic(), deadline, f"{kind}: nothing runs any more")
                    for job in jobs.values():
                        lab.request("POST", f"/api/v1/jobs/{job}/cancel")
                    time.sleep(0.05)
                self.assertEqual((lab.data.parent / "secret").read_text(), "a secret\n" * 5, kind)
                for job in jobs.values():
                    self.assertNotIn("a secret", json.dumps(lab.job(job)))
                self.assertEqual(lab.stop(), 0)

    def test_folders_without_a_job(self):
        """recordings of strange folders: links and numbers beyond 1e15 are not taken for jobs', scenes that are no file are refused at once, new jobs get sound numbers"""
        with Lab() as lab:
            first = lab.wait(lab.submit(Lab.small_scene(steps=20, frames=3))["id"])["id"]
            lab.stop()
            for file in lab.data.glob("scree.db*"):
                file.unlink()
            jobs = lab.data / "jobs"
            (jobs / "900").symlink_to(jobs / str(first))
            for number in (901, 902, 903, 9223372036854775807):
                (jobs / str(number)).mkdir()
                (jobs / str(number) / "recording.scree").write_bytes(b"x")
            os.mkfifo(jobs / "901" / "scene.json")
            (jobs / "902" / "scene.json").mkdir()
            (jobs / "903" / "scene.json").symlink_to("/etc/passwd")
            lab.start()
            self.assertEqual(lab.json("GET", "/api/v1/recordings/unclaimed")["jobs"], [first, 901, 902, 903])
            said = subprocess.run([BUILD / "scree", "admin", "adopt", "--server", lab.url, "--json"], capture_output=True, text=True, check=False,
                                  timeout=30 * PATIENCE, env={"SCREE_TOKEN": lab.token, "PATH": "/usr/bin:/bin"})
            answer = json.loads(said.stdout)
            self.assertEqual((answer["adopted"], [one["job"] for one in answer["refused"]]), ([first], [901, 902, 903]), said)
            self.assertEqual(lab.submit(Lab.small_scene())["id"], 904)
            self.assertEqual(lab.stop(), 0)


if __name__ == "__main__":
    unittest.main()
