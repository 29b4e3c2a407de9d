"""What goes wrong around `scree`: the message names it, the exit code tells it, and nothing is damaged."""
import json
import os
import resource
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from command import begin, environment, scree
from lab import BUILD, PATIENCE, Lab, quiet_port


def as_nobody():
    """A command that gives up root, which may write anywhere; nothing when the test is not root."""
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []


class FailureTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="scree-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.folder.chmod(0o755)
        self.scene = self.folder / "scene.json"
        self.scene.write_text(json.dumps(Lab.small_scene()))

    def test_unwritable_folder(self):
        """A folder that may not be written ends run, and export to a file, with 1 and the path"""
        closed = self.folder / "closed"
        closed.mkdir(mode=0o555)
        tool = self.folder / "scree"
        shutil.copy(BUILD / "scree", tool)  # where anybody may execute it
        for out in (closed, closed / "deeper"):
            process = subprocess.run([*as_nobody(), str(tool), "run", str(self.scene), "-o", str(out)], capture_output=True, text=True, check=False,
                                     env=environment(), timeout=60 * PATIENCE)
            self.assertEqual(process.returncode, 1, process.stderr)
            self.assertIn(str(closed), process.stderr)
            self.assertIn("Permission denied", process.stderr)
        self.assertEqual(list(closed.iterdir()), [])

    def test_folder_is_a_file(self):
        """A file where the folder should be ends run with 1 and is left as it was"""
        target = self.folder / "file"
        target.write_text("mine")
        for out in (target, target / "below"):
            result = scree("run", self.scene, "-o", out)
            self.assertEqual(result.code, 1, result)
            self.assertIn(str(target), result.err)
        self.assertEqual(target.read_text(), "mine")

    def test_no_room(self):
        """A recording that may not grow ends run with 1; with room again the same command goes on to the same bytes"""
        whole, out = self.folder / "whole", self.folder / "out"
        self.assertEqual(scree("run", self.scene, "-o", whole).code, 0)
        size = (whole / "recording.scree").stat().st_size
        # A file size limit fails writes as a full disk does, but needs no disk.
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2))  # noqa: E731
        result = scree("run", self.scene, "-o", out, preexec_fn=limit)
        self.assertEqual(result.code, 1, result)
        self.assertIn("recording.scree", result.err)
        self.assertIn("File too large", result.err)
        self.assertEqual(scree("run", self.scene, "-o", out).code, 0)
        self.assertEqual((out / "recording.scree").read_bytes(), (whole / "recording.scree").read_bytes())

    def test_stdout_is_full(self):
        """Results that stdout can't take end with 1 instead of being lost in silence"""
        with open("/dev/full", "w", encoding="ascii") as full:
            process = subprocess.run([str(BUILD / "scree"), "check", str(self.scene), "--json"], stdout=full, stderr=subprocess.PIPE, text=True,
                                     check=False, env=environment(), timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertIn("No space left", process.stderr)

    def test_two_runs_in_one_folder(self):
        """A second run in a folder that is in use ends with 2 at once, and the first goes on"""
        long = self.folder / "long.json"
        long.write_text(json.dumps(Lab.long_scene()))
        first = begin("run", long, "-o", self.folder / "out")
        try:
            end = time.monotonic() + 30 * PATIENCE
            while not (self.folder / "out" / "recording.scree").exists() and time.monotonic() < end:
                time.sleep(0.02)
            second = scree("run", long, "-o", self.folder / "out")
            self.assertEqual(second.code, 2, second)
            self.assertIn("in use by another process", second.err)
            self.assertIsNone(first.poll())
        finally:
            first.kill()
            first.communicate()

    def test_damaged_recording(self):
        """A foreign recording is refused by export; one cut short gives what is whole, says what is missing, and ends with 7"""
        out = self.folder / "out"
        self.assertEqual(scree("run", self.scene, "-o", out).code, 0)
        data = (out / "recording.scree").read_bytes()
        cut = self.folder / "cut.scree"
        cut.write_bytes(data[:len(data) * 2 // 3])
        cut_short = scree("export", cut, "--csv")
        self.assertEqual(cut_short.code, 7, cut_short)
        self.assertRegex(cut_short.err, r"unfinished: \d+ whole records and no end")
        rows = cut_short.out.splitlines()
        self.assertGreater(len(rows), 1)
        self.assertEqual(rows, scree("export", out, "--csv").out.splitlines()[:len(rows)])
        cut.write_bytes(b"PK\3\4" + data)
        self.assertEqual(scree("export", cut, "--csv").code, 2)

    def test_server_goes_away_for_a_while(self):
        """submit --wait says that the server is away, waits for it, and ends as the job does"""
        scene = self.folder / "longer.json"
        scene.write_text(json.dumps(Lab.small_scene(steps=15000, frames=50)))
        lab = Lab("--slots", 1, "--checkpoint-seconds", 0.1, "--port", quiet_port())
        with lab:
            process = begin("submit", scene, "--wait", "--json", server=lab.url)
            self.assertTrue(self.appears(lab))
            lab.wait_until(1, lambda job: job["state"] == "running")
            lab.kill()
            said = ""
            while "the server does not answer" not in said:
                line = process.stderr.readline()
                self.assertTrue(line, said)
                said += line
            lab.start()
            out, errors = process.communicate(timeout=240 * PATIENCE)
            self.assertEqual(process.returncode, 0, said + errors)
            self.assertEqual(json.loads(out)["state"], "succeeded")
            self.assertEqual(len(lab.json("GET", "/api/v1/jobs")["jobs"]), 1)

    @staticmethod
    def appears(lab):
        end = time.monotonic() + 30 * PATIENCE
        while time.monotonic() < end:
            if lab.json("GET", "/api/v1/jobs")["jobs"]:
                return True
            time.sleep(0.02)
        return False

    def test_no_scree_server(self):
        """A server that is no Scree server ends with 3 and says so"""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        port = listener.getsockname()[1]
        process = begin("jobs", "--server", f"http://127.0.0.1:{port}")
        connection, _ = listener.accept()
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi")
        connection.close()
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 3, errors)
        self.assertIn("Scree server", errors)


if __name__ == "__main__":
    unittest.main()
