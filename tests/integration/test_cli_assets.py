"""Files that scenes refer to, on the command line and in Python: a path beside the scene for a run here, uploaded when it is submitted."""
import hashlib
import json
import tempfile
import unittest
from pathlib import Path

import scree as client
from command import scree
from lab import Lab
from test_api_assets import box_stl, mesh_scene


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab().start()
        cls.own = tempfile.TemporaryDirectory(prefix="scree-test-")
        cls.folder = Path(cls.own.name)
        cls.data = box_stl()
        cls.digest = hashlib.sha256(cls.data).hexdigest()
        (cls.folder / "meshes").mkdir()
        (cls.folder / "meshes" / "block.stl").write_bytes(cls.data)
        cls.scene = cls.folder / "scene.json"
        cls.scene.write_text(json.dumps(mesh_scene({"file": "meshes/block.stl"})))

    @classmethod
    def tearDownClass(cls):
        cls.own.cleanup()
        cls.lab.close()

    def test_run(self):
        """scree run reads the file beside the scene, wherever it is called from, and keeps it with the results, from which the scene runs again"""
        out, again = self.folder / "out", self.folder / "again"
        self.assertEqual(scree("check", self.scene).code, 0)
        result = scree("run", self.scene, "-o", out, cwd="/")
        self.assertEqual(result.code, 0, result)
        self.assertEqual((out / "assets" / self.digest).read_bytes(), self.data)
        self.assertEqual(json.loads((out / "scene.json").read_text())["obstacles"][0]["shape"]["file"], "sha256:" + self.digest)
        self.assertEqual(scree("run", self.scene, "-o", out).code, 0)
        result = scree("run", out / "scene.json", "-o", again)
        self.assertEqual(result.code, 0, result)
        self.assertEqual((again / "curves.csv").read_bytes(), (out / "curves.csv").read_bytes())

    def test_refused(self):
        """a path out of the scene's folder is refused with its pointer; from stdin and the gallery there is no folder"""
        bad = self.folder / "meshes" / "bad.json"
        for given in ("../meshes/block.stl", str(self.folder / "meshes" / "block.stl"), "none.stl"):
            bad.write_text(json.dumps(mesh_scene({"file": given})))
            result = scree("check", bad)
            self.assertEqual(result.code, 4)
            self.assertIn("/obstacles/0/shape/file", result.out)
        result = scree("submit", bad, server=self.lab.url)
        self.assertEqual(result.code, 4)
        self.assertIn("is not there", result.err)

    def test_submit(self):
        """scree submit uploads what the server lacks, once, and the job refers to it; scree assets lists, uploads and removes"""
        data, path = box_stl(7.0), self.folder / "sent.json"
        digest = hashlib.sha256(data).hexdigest()
        (self.folder / "sent.stl").write_bytes(data)
        path.write_text(json.dumps(mesh_scene({"file": "sent.stl"})))
        first = scree("submit", path, "--wait", server=self.lab.url)
        self.assertEqual(first.code, 0, first)
        self.assertIn("uploading sent.stl", first.err)
        second = scree("submit", path, server=self.lab.url)
        self.assertNotIn("uploading", second.err)
        job = int(second.out)
        self.lab.wait(job)
        self.assertEqual(self.lab.json("GET", f"/api/v1/jobs/{job}/scene")["obstacles"][0]["shape"]["file"], "sha256:" + digest)
        listed = scree("assets", server=self.lab.url)
        self.assertRegex(listed.out, rf"sha256:{digest} .*jobs?\s+sent\.stl")
        refused = scree("assets", "remove", "sha256:" + digest, server=self.lab.url)
        self.assertEqual(refused.code, 2)
        self.assertIn("need", refused.err)
        other = self.folder / "other.stl"
        other.write_bytes(box_stl(3.0))
        made = scree("assets", "upload", other, server=self.lab.url)
        self.assertEqual((made.code, made.out), (0, f"sha256:{hashlib.sha256(other.read_bytes()).hexdigest()}\n"))
        self.assertEqual(scree("assets", "remove", made.out.strip(), server=self.lab.url).code, 0)
        self.assertEqual(scree("assets", "upload", self.folder / "none", server=self.lab.url).code, 2)

    def test_python(self):
        """lab.upload gives the reference; lab.submit with a folder uploads the files that the scene refers to below it, and leaves the scene as it was"""
        lab = client.Lab(self.lab.url)
        self.assertEqual(lab.upload(self.folder / "meshes" / "block.stl"), "sha256:" + self.digest)
        self.assertEqual(lab.upload(b"some bytes", name="x"), "sha256:" + hashlib.sha256(b"some bytes").hexdigest())
        scene = json.loads(self.scene.read_text())
        job = lab.submit(scene, folder=self.folder)
        job.wait(120)
        self.assertEqual(scene["obstacles"][0]["shape"]["file"], "meshes/block.stl")
        self.assertEqual(self.lab.json("GET", f"/api/v1/jobs/{job.id}/scene")["obstacles"][0]["shape"]["file"], "sha256:" + self.digest)
        with self.assertRaises(client.SceneRefused):
            lab.submit(scene)
        for bad in ("../out/scene.json", "/etc/passwd"):
            with self.assertRaises(ValueError):
                lab.submit(mesh_scene({"file": bad}), folder=self.folder)


if __name__ == "__main__":
    unittest.main()
