"""Assets: files that scenes refer to, uploaded once, named by what is in them, and the only files of the server that a scene can reach."""
import hashlib
import http.client
import json
import math
import struct
import threading
import time
import unittest
from pathlib import Path

from contract import Contract
from lab import PATIENCE, Lab


def box_stl(size=1.0):
    """A cube as binary STL, corners at +-size/2."""
    h = size / 2
    corners = [(x, y, z) for z in (-h, h) for y in (-h, h) for x in (-h, h)]
    faces = [(0, 4, 6), (0, 6, 2), (1, 3, 7), (1, 7, 5), (0, 1, 5), (0, 5, 4), (2, 6, 7), (2, 7, 3), (0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6)]
    data = b"a cube".ljust(80) + struct.pack("<I", len(faces))
    for face in faces:
        data += struct.pack("<3f", 0, 0, 0) + b"".join(struct.pack("<3f", *corners[c]) for c in face) + b"\0\0"
    return data


def mesh_scene(shape, steps=120, name="meshed"):
    """The small scene with an obstacle of that shape far from everything that moves."""
    scene = Lab.small_scene(steps=steps, frames=4, name=name)
    scene["obstacles"] = [{"name": "block", "shape": {"type": "mesh", "scale": 1e-4} | shape, "position": [0, 0, -5e-3]}]
    return scene


class Assets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab("--asset-bytes", "1M", "--asset-quota", "3M").start()
        cls.contract = Contract()

    @classmethod
    def tearDownClass(cls):
        cls.lab.close()

    def ask(self, method, path, body=None, expect=None, lab=None, headers=None):
        status, answered, content = (lab or self.lab).request(method, path, body, headers)
        self.contract.check(method, path, status, answered, content)
        if expect is not None:
            self.assertEqual(status, expect, content[:1000])
        return json.loads(content) if content and "json" in answered.get("content-type", "") else content

    def upload(self, data, name="part.stl", expect=None, lab=None):
        return self.ask("POST", f"/api/v1/assets?name={name}", data, expect, lab, {"Content-Type": "model/stl"})

    def test_life(self):
        """uploaded, listed, looked at, read, removed; the name is the digest; the same bytes again are the same asset"""
        data = box_stl()
        digest = hashlib.sha256(data).hexdigest()
        made = self.upload(data, expect=201)
        self.assertEqual((made["digest"], made["asset"], made["bytes"], made["name"], made["media"], made["job_count"]),
                         (digest, "sha256:" + digest, len(data), "part.stl", "model/stl", 0))
        self.assertEqual(self.upload(data, name="other.stl", expect=200)["name"], "part.stl")
        self.assertEqual(self.ask("GET", f"/api/v1/assets/{digest}", expect=200)["jobs"], [])
        self.assertEqual(self.ask("GET", f"/api/v1/assets/sha256:{digest}", expect=200)["bytes"], len(data))
        self.assertEqual(self.lab.request("HEAD", f"/api/v1/assets/{digest}")[0], 200)
        self.assertEqual(self.ask("GET", f"/api/v1/assets/{digest}/content", expect=200), data)
        listed = self.ask("GET", "/api/v1/assets", expect=200)
        self.assertIn(digest, [a["digest"] for a in listed["assets"]])
        self.assertEqual((listed["quota"], listed["file_limit"]), (3 << 20, 1 << 20))
        self.assertEqual((self.lab.data / "assets" / digest).read_bytes(), data)
        self.ask("DELETE", f"/api/v1/assets/{digest}", expect=204)
        self.assertFalse((self.lab.data / "assets" / digest).exists())
        for path in (f"/api/v1/assets/{digest}", f"/api/v1/assets/{digest}/content", "/api/v1/assets/x", "/api/v1/assets/sha256:..%2f..%2fetc%2fpasswd"):
            self.assertIn(self.lab.request("GET", path)[0], (400, 404), path)
        self.ask("DELETE", f"/api/v1/assets/{digest}", expect=404)

    def test_preview(self):
        """a mesh, an image and points are shown as triangles with what they measure; anything else is refused with the reason; so is a mesh's fault told"""
        def preview(data, name, expect=200, query=""):
            digest = self.upload(data, name=name)["digest"]
            return self.ask("GET", f"/api/v1/assets/{digest}/preview{query}", expect=expect)

        box = preview(box_stl(2.0), "box.stl")
        self.assertEqual((box["kind"], box["grains"], box["whole_triangles"], box["problems"]), ("mesh", 1, 12, []))
        self.assertEqual((box["low"], box["high"], len(box["vertices"]), len(box["triangles"])), ([-1, -1, -1], [1, 1, 1], 24, 36))
        self.assertAlmostEqual(box["volume"], 8)
        open_box = bytearray(box_stl(2.0)[:-50])
        open_box[80:84] = struct.pack("<I", 11)
        told = preview(bytes(open_box), "open.stl")
        self.assertIsNone(told["volume"])
        self.assertTrue(any("edge" in p["detail"] for p in told["problems"]), told["problems"])
        labels = [2 if i < 5 else 7 if i > 6 else 0 for k in range(6) for j in range(6) for i in range(12)]
        image = preview(b"NRRD0004\ntype: uchar\ndimension: 3\nsizes: 12 6 6\nencoding: raw\n\n" + bytes(labels), "ct.nrrd")
        self.assertEqual((image["kind"], image["grains"], set(image["parts"]), image["volume"]), ("image", 2, {0, 1}, 360))
        ball = [(1 - (2 * k + 1) / 4000, 2.399963229728653 * k) for k in range(4000)]
        cloud = "".join(f"{(1 - z * z) ** 0.5 * math.cos(a):.6f} {(1 - z * z) ** 0.5 * math.sin(a):.6f} {z:.6f}\n" for z, a in ball)
        points = preview(cloud.encode(), "scan.xyz", query="?triangles=500")
        self.assertEqual((points["kind"], points["problems"]), ("points", []))
        self.assertLess(abs(points["volume"] / (4 / 3 * math.pi) - 1), 0.03)
        self.assertTrue(100 < len(points["triangles"]) // 3 <= 500 < points["whole_triangles"])
        self.assertIn("not a mesh", preview(b"just words", "words.txt", expect=422)["detail"])
        self.assertEqual(self.ask("GET", "/api/v1/assets/" + "0" * 64 + "/preview")["status"], 404)

    def test_pages(self):
        """a list goes on from page to page"""
        made = sorted(self.upload(b"page %d" % i, expect=201)["digest"] for i in range(5))
        seen, after = [], ""
        while after is not None:
            page = self.ask("GET", f"/api/v1/assets?limit=2&after={after}", expect=200)
            seen += [a["digest"] for a in page["assets"]]
            after = page["next"]
        self.assertEqual([d for d in seen if d in made], made)
        self.assertEqual(seen, sorted(set(seen)))

    def test_limits(self):
        """too long, empty, over the quota, with a name that is none: each is said, and nothing stays behind"""
        before = self.ask("GET", "/api/v1/assets", expect=200)["bytes"]
        for more in (1, 1 << 20, 2900000):  # of a file that is too long all is read, or its sender would meet a broken connection instead of the reason
            self.upload(b"x" * ((1 << 20) + more), expect=413)
        self.upload(b"", expect=400)
        self.ask("POST", "/api/v1/assets?name=..%2fpasswd", b"abc", 400)
        connection = http.client.HTTPConnection("127.0.0.1", self.lab.port, timeout=60)
        try:  # without a length in advance it is counted while it comes
            connection.request("POST", "/api/v1/assets", iter([b"y" * 65536] * 20), {"Authorization": f"Bearer {self.lab.token}"}, encode_chunked=True)
            self.assertEqual(connection.getresponse().status, 413)
        finally:
            connection.close()
        full = [self.upload(data, expect=201)["digest"] for data in (b"\x01" * (1 << 20), b"\x02" * (1 << 20), b"a little")]
        problem = self.upload(b"\xff" * (1 << 20), expect=503)
        self.assertIn("all assets together", problem["detail"])
        for digest in full:
            self.ask("DELETE", f"/api/v1/assets/{digest}", expect=204)
        self.assertEqual(self.ask("GET", "/api/v1/assets", expect=200)["bytes"], before)
        self.assertEqual([p.name for p in (self.lab.data / "assets").iterdir() if p.name.startswith(".")], [])

    def test_a_scene_of_an_asset(self):
        """a mesh by its digest runs as the same mesh by its lists; it can't be removed while a job needs it; scenes keep the digest"""
        reference = self.upload(box_stl(2.0), expect=201)["asset"]
        scene = mesh_scene({"file": reference})
        checked = self.ask("POST", "/api/v1/scenes/check", scene, 200)
        self.assertEqual(checked["scene"]["obstacles"][0]["shape"]["file"], reference)
        job = self.lab.submit(scene)["id"]
        self.assertEqual(self.lab.wait(job)["state"], "succeeded")
        self.assertEqual(self.lab.json("GET", f"/api/v1/jobs/{job}/scene")["obstacles"][0]["shape"]["file"], reference)
        problem = self.ask("DELETE", f"/api/v1/assets/{reference}", expect=409)
        self.assertIn(f"({job})", problem["detail"])
        self.assertEqual(self.ask("GET", f"/api/v1/assets/{reference}", expect=200)["jobs"], [job])
        rerun = self.lab.submit(self.lab.json("GET", f"/api/v1/jobs/{job}/scene"))["id"]
        self.lab.wait(rerun)
        curves = [self.lab.request("GET", f"/api/v1/jobs/{number}/curves", headers={"Accept": "text/csv"})[2] for number in (job, rerun)]
        self.assertEqual(curves[0], curves[1])
        for number in (job, rerun):
            self.assertEqual(self.lab.request("DELETE", f"/api/v1/jobs/{number}")[0], 204)
        self.ask("DELETE", f"/api/v1/assets/{reference}", expect=204)

    def test_no_other_file(self):
        """whatever a scene says, nothing but uploaded assets is read: paths, links, digests with something else in them are problems at their place"""
        secret = self.lab.data / "token"
        link = self.lab.data / "assets" / ("e" * 64)
        link.symlink_to(secret)
        try:
            for given in ("sha256:../../etc/passwd", "sha256:" + "../" * 20 + "etc/passwd", "/etc/passwd", "../token", "part.stl", str(secret), "sha256:" + "f" * 64,
                          "sha256:" + "e" * 64, "sha256:" + "F" * 64, "sha256:", "file:///etc/passwd", "http://127.0.0.1/x"):
                for method, path in (("POST", "/api/v1/scenes/check"), ("POST", "/api/v1/jobs")):
                    problem = self.ask(method, path, mesh_scene({"file": given}), 422)
                    self.assertEqual([e["pointer"] for e in problem["errors"]], ["/obstacles/0/shape/file"], given)
                    self.assertNotIn("scree_", problem["errors"][0]["detail"])
        finally:
            link.unlink()
        missing = self.ask("POST", "/api/v1/scenes/check", mesh_scene({"file": "sha256:" + "f" * 64}), 422)
        self.assertIn("upload the file first", missing["errors"][0]["detail"])

    def test_resume_after_a_kill(self):
        """a job whose worker and whose daemon are killed goes on with its asset"""
        with Lab("--checkpoint-seconds", "0.2") as lab:
            reference = self.upload(box_stl(3.0), expect=201, lab=lab)["asset"]
            job = lab.submit(mesh_scene({"file": reference}, steps=4000, name="killed"))["id"]
            lab.wait_until(job, lambda j: j["ended"] or (j["progress"] and j["progress"]["step"] > 100))
            lab.kill()
            lab.start()
            lab.wait_until(job, lambda j: j["state"] != "queued")
            self.assertEqual(lab.wait(job, 300)["state"], "succeeded")

    def test_age(self):
        """an asset that no job needs is removed after its days; one that a job needs stays"""
        with Lab("--asset-days", 2 / 86400) as lab:
            status = 0
            until = time.monotonic() + 90 * PATIENCE
            while status != 201:  # again where the file was too old before the job that needs it was there
                self.assertLess(time.monotonic(), until)
                needed = self.upload(box_stl(4.0), lab=lab)
                status, _, body = lab.request("POST", "/api/v1/jobs", mesh_scene({"file": needed["asset"]}))
            job = json.loads(body)["id"]
            lone = self.upload(b"nobody's", expect=201, lab=lab)
            until = time.monotonic() + 90 * PATIENCE
            while lab.request("GET", f"/api/v1/assets/{lone['digest']}")[0] == 200:
                self.assertLess(time.monotonic(), until)
                time.sleep(0.5)
            self.assertEqual(lab.request("GET", f"/api/v1/assets/{needed['digest']}")[0], 200)
            self.assertFalse((lab.data / "assets" / lone["digest"]).exists())
            lab.wait(job)
            self.assertIn("asset_removed", lab.errors())

    def test_left_overs(self):
        """an upload that was cut off by a kill leaves nothing after the next start"""
        with Lab() as lab:
            part = lab.data / "assets" / ".part-77"
            part.write_bytes(b"half of it")
            stray = lab.data / "assets" / ("a" * 64)
            stray.write_bytes(b"without a row")
            lab.kill()
            lab.start()
            self.assertEqual(list((lab.data / "assets").iterdir()), [])

    def test_at_once(self):
        """the same file from eight clients at once, while another removes it: afterwards row and file are both there or both not"""
        data = b"z" * 200000
        digest = hashlib.sha256(data).hexdigest()
        statuses = []

        def work(remove):
            for _ in range(6):
                statuses.append(self.lab.request("DELETE", f"/api/v1/assets/{digest}")[0] if remove
                                else self.lab.request("POST", "/api/v1/assets", data)[0])

        threads = [threading.Thread(target=work, args=(i % 4 == 3,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(statuses) - {200, 201, 204, 404, 503}, set())
        there = self.lab.request("GET", f"/api/v1/assets/{digest}")[0] == 200
        self.assertEqual((self.lab.data / "assets" / digest).exists(), there)
        if there:
            self.assertEqual((self.lab.data / "assets" / digest).read_bytes(), data)
            self.lab.request("DELETE", f"/api/v1/assets/{digest}")

    def test_workers_see_their_assets_alone(self):
        """the worker of a job may read the assets that its scene refers to, and none beside them (where the kernel confines it)"""
        reference = self.upload(box_stl(5.0), expect=201)["asset"]
        job = self.lab.submit(mesh_scene({"file": reference}, steps=400000, name="seen"))["id"]
        self.lab.wait_until(job, lambda j: j["progress"] and j["progress"]["step"] > 0)  # before, the child may not be the worker yet
        commands = [Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") for pid in self.lab.worker_pids()]
        mine = [c for c in commands if str(self.lab.data / "jobs" / str(job)).encode() in c]
        self.assertEqual(len(mine), 1)
        self.assertEqual(mine[0][mine[0].index(b"--asset-names") + 1].decode(), reference.removeprefix("sha256:"))
        self.lab.request("POST", f"/api/v1/jobs/{job}/cancel")
        self.lab.wait(job)


if __name__ == "__main__":
    unittest.main()
