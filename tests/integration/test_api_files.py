"""Files that a job's method made: listed and handed out by the API, brought home by `scree fetch` and the Python client, and nothing else is."""
import json
import os
import tempfile
import unittest
from pathlib import Path

import scree as client
from command import scree
from lab import Lab

SCENE = {
    "scree": 1, "name": "bar", "method": "coarsening", "options": {"element": "plain", "modes": 2, "meshes": "6x1x1 8x1x1", "basis": True},
    "materials": [{"name": "steel", "density": 7800, "young_modulus": 2e11, "poisson_ratio": 0.3}],
    "specimens": [{"name": "bar", "material": "steel", "divisions": [12, 1, 1], "shape": {"type": "box", "size": [0.1, 0.01, 0.008]}, "placement": {"type": "single"}}],
    "rig": {"type": "none"}, "time": {"duration": 1}, "output": {},
}
MADE = ["coarsening/coarse.patch.json", "coarsening/mode-1.svg", "coarsening/mode-2.svg", "coarsening/modes.basis", "coarsening/report.md"]


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab().start()
        cls.job = cls.lab.submit(SCENE)["id"]
        cls.state = cls.lab.wait(cls.job)["state"]
        cls.folder = cls.lab.data / "jobs" / str(cls.job)

    @classmethod
    def tearDownClass(cls):
        cls.lab.close()

    def get(self, path):
        return self.lab.request("GET", f"/api/v1/jobs/{self.job}{path}")[:3]

    def test_list_and_content(self):
        """what a coarsening job made is listed by name with size and media type, and comes as it lies on the disk; a job without such files has an empty list, one that is not there none"""
        self.assertIn(self.state, ("succeeded", "failed"))
        files = self.lab.json("GET", f"/api/v1/jobs/{self.job}/files")["files"]
        self.assertEqual([file["name"] for file in files], MADE)
        for file in files:
            status, headers, body = self.get(f"/files/{file['name']}")
            self.assertEqual(status, 200)
            self.assertEqual(body, (self.folder / file["name"]).read_bytes())
            self.assertEqual(len(body), file["bytes"])
            self.assertEqual(headers["content-type"], file["type"])
        other = self.lab.submit(self.lab.small_scene())["id"]
        self.lab.wait(other)
        self.assertEqual(self.lab.json("GET", f"/api/v1/jobs/{other}/files"), {"files": []})
        self.assertEqual(self.lab.request("GET", "/api/v1/jobs/99999/files")[0], 404)

    def test_nothing_else(self):
        """the service's own files, links, pipes, files half written, folders and paths out of the job are neither listed nor handed out, and none of them hangs"""
        inside = self.folder / "coarsening"
        (inside / "link").symlink_to("/etc/passwd")
        (self.folder / "away").symlink_to("/etc")
        os.mkfifo(inside / "pipe")
        (inside / "deep").mkdir()
        (inside / "half.tmp-0a1b2c").write_text("half")
        names = [file["name"] for file in self.lab.json("GET", f"/api/v1/jobs/{self.job}/files")["files"]]
        self.assertEqual(names, MADE)
        for path in ("coarsening/link", "away/passwd", "coarsening/pipe", "coarsening/deep", "coarsening/half.tmp-0a1b2c", "coarsening/none", "coarsening/.",
                     "coarsening/..", "../scene.json", "%2e%2e/scree.db", "coarsening/%2e%2e", "coarsening%2f..%2f../scree.db", "scene.json", "./scene.json"):
            self.assertIn(self.get(f"/files/{path}")[0], (400, 404), path)

    def test_brought_home(self):
        """`scree fetch` and the Python client save them beside the curves, the same bytes; the client reads one by its name"""
        with tempfile.TemporaryDirectory(prefix="scree-test-") as own:
            result = scree("fetch", self.job, "-o", Path(own) / "a", server=f"http://127.0.0.1:{self.lab.port}")
            self.assertEqual(result.code, 0, result)
            job = client.Lab(f"http://127.0.0.1:{self.lab.port}").job(self.job)
            saved = job.fetch(Path(own) / "b")
            self.assertEqual(job.files(), MADE)
            for name in MADE:
                here = (self.folder / name).read_bytes()
                self.assertEqual((Path(own) / "a" / name).read_bytes(), here)
                self.assertEqual((Path(own) / "b" / name).read_bytes(), here)
                self.assertIn(Path(own) / "b" / name, saved)
            self.assertTrue(all("op" in change for change in json.loads(job.file("coarsening/coarse.patch.json"))))
            self.assertRaises(client.NotFound, job.file, "coarsening/none")


if __name__ == "__main__":
    unittest.main()
