"""Surfaces on request: what one costs is bounded, whatever the process that makes it does. A script stands in for that process."""
import json
import os
import tempfile
import threading
import time
import unittest
from pathlib import Path

from lab import BUILD, Lab

SCRIPT = """#!/bin/sh
for word in "$@"; do
  if [ "$word" = --surface ]; then . "{folder}/surface"; fi
done
exec "{worker}" "$@"
"""


class Surface(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="scree-surface-")
        script = Path(cls.folder.name) / "worker"
        script.write_text(SCRIPT.format(folder=cls.folder.name, worker=BUILD / "scree-worker"))
        script.chmod(0o755)
        cls.act("true")
        cls.lab = Lab("--worker", script).start()
        cls.job = cls.lab.submit(cls.lab.small_scene())["id"]
        cls.lab.wait(cls.job)
        _, _, body = cls.lab.request("GET", f"/api/v1/jobs/{cls.job}/frames")
        cls.path = f"/api/v1/jobs/{cls.job}/frames/{json.loads(body)['frames'][0]['seq']}/surface"

    @classmethod
    def tearDownClass(cls):
        cls.lab.close()
        cls.folder.cleanup()

    @classmethod
    def act(cls, commands):
        """What the process does instead of making a surface, as shell commands; "true": nothing, so it makes one."""
        (Path(cls.folder.name) / "surface").write_text(commands + "\n")

    def ask(self, expect):
        status, headers, body = self.lab.request("GET", self.path)
        self.assertEqual(status, expect, body[:300])
        return headers, body

    def test_a_reason(self):
        """a surface that is too large is 413 and says what is, with the process's own words"""
        self.act("printf 'a grid would have too many points'; exit 8")
        headers, body = self.ask(413)
        self.assertEqual(headers["content-type"], "application/problem+json")
        self.assertEqual(json.loads(body)["detail"], "a grid would have too many points")
        self.assertEqual(json.loads(body)["type"], "/problems/answer-too-large")

    def test_a_time_limit(self):
        """a process that used up its processor time is 413 too"""
        self.act("kill -XCPU $$")
        self.assertIn("scree export", json.loads(self.ask(413)[1])["detail"])

    def test_a_crash(self):
        """a process that crashes is an answer of 500, and the next request is served"""
        self.act("kill -SEGV $$")
        self.assertIn("signal 11", json.loads(self.ask(500)[1])["detail"])
        self.act("exit 1")
        self.assertIn("without a reason", json.loads(self.ask(500)[1])["detail"])
        self.act("true")
        self.assertTrue(self.ask(200)[1].startswith(b"ply\n"))

    def test_one_at_a_time(self):
        """while one is being made others are 503 with Retry-After, and everything else is answered"""
        self.act("echo > {0}/begun; while [ ! -e {0}/go ]; do sleep 0.05; done; rm {0}/go".format(self.folder.name))
        first = []
        waiting = threading.Thread(target=lambda: first.append(self.lab.request("GET", self.path)))
        waiting.start()
        begun = Path(self.folder.name) / "begun"
        late = time.monotonic() + 60
        while not begun.exists() and time.monotonic() < late:
            time.sleep(0.02)
        headers, body = self.ask(503)
        self.assertEqual(headers["retry-after"], "5")
        self.assertIn("one is made at a time", json.loads(body)["detail"])
        self.assertEqual(self.lab.request("GET", "/healthz")[0], 200)
        self.assertEqual(self.lab.request("GET", f"/api/v1/jobs/{self.job}/curves")[0], 200)
        (Path(self.folder.name) / "go").touch()
        waiting.join(30)
        self.assertEqual(first[0][0], 200)
        begun.unlink()

    def test_nothing_is_left(self):
        """no file stays behind in the job's folder"""
        self.act("exit 4")
        self.ask(500)
        self.act("true")
        self.ask(200)
        self.assertEqual([name for name in os.listdir(self.lab.data / "jobs" / str(self.job)) if name.startswith("surface")], [])

    def test_z_shutdown(self):
        """a shutdown does not wait for a surface"""
        begun = Path(self.folder.name) / "begun"
        self.act(f"echo > {begun}; sleep 600")
        answer = []
        waiting = threading.Thread(target=lambda: answer.append(self.lab.request("GET", self.path)))
        waiting.start()
        late = time.monotonic() + 60
        while not begun.exists() and time.monotonic() < late:
            time.sleep(0.02)
        at = time.monotonic()
        self.assertEqual(self.lab.stop(), 0)
        self.assertLess(time.monotonic() - at, 60)
        waiting.join(30)
        self.assertIn(answer[0][0], (503,))


if __name__ == "__main__":
    unittest.main()
