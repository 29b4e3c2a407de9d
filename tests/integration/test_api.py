"""The API against its contract, api/openapi.yaml: every documented answer occurs, and every answer is documented and fits."""
import gzip
import json
import os
import re
import signal
import socket
import struct
import time
import unittest

import raw
import ws
from contract import Contract, parse_answer
from jobs_cases import JobCases
from lab import ROOT, Lab
from measured_cases import MeasuredCases
from studies_cases import StudyCases


class Api(JobCases, StudyCases, MeasuredCases, unittest.TestCase):
    """One screed for all cases; the last case looks at what all of them saw."""

    @classmethod
    def setUpClass(cls):
        cls.contract = Contract()
        cls.lab = Lab("--viewers", 2, "--slots", 1, "--checkpoint-seconds", 1).start()
        cls.done = cls.lab.submit(cls.lab.small_scene())["id"]
        cls.lab.wait(cls.done)

    @classmethod
    def tearDownClass(cls):
        cls.lab.close()

    def ask(self, method, path, body=None, headers=None, expect=None, lab=None):
        """A request whose answer is held against the contract. Returns (status, headers, body), JSON parsed."""
        status, got, content = (lab or self.lab).request(method, path, body, headers)
        self.contract.check(method, path, status, got, content)
        if expect is not None:
            self.assertEqual(status, expect, f"{method} {path}: {content[:2000]!r}")
        if content and got.get("content-type", "").endswith("json"):
            content = json.loads(content)
        return status, got, content

    def ask_raw(self, method, path, data, expect):
        data = data.replace(b"Host: localhost\r\n", b"Host: localhost\r\nAuthorization: Bearer " + self.lab.token.encode() + b"\r\n", 1)
        status, headers, body = parse_answer(raw.exchange(self.lab.port, data))
        self.contract.check(method, path, status, headers, body)
        self.assertEqual(status, expect)
        return headers, json.loads(body)

    # ── service ──

    def test_health(self):
        """healthz and readyz answer with version, slots and counts"""
        self.assertEqual(self.ask("GET", "/healthz", expect=200)[2]["status"], "ok")
        ready = self.ask("GET", "/readyz", expect=200)[2]
        self.assertEqual(ready["slots"], 1)
        self.assertGreater(ready["disk_free_bytes"], 0)

    def test_executors(self):
        """where jobs run is listed: this machine, and a job that names another is refused"""
        [here] = self.ask("GET", "/api/v1/executors", expect=200)[2]["executors"]
        self.assertEqual((here["name"], here["available"], here["slots"], here["partitions"], here["queued"]), ("local", True, 1, [], None))
        for body in ({"executor": "slurm"}, {"executor": 1}, {"executor_options": {"partition": "main"}}, {"executor_options": {"time_limit": "x"}},
                     {"executor_options": []}, {"executor_options": {"nodes": 2}}):
            self.ask("POST", "/api/v1/jobs", {"scene": {"scree": 1}, **body}, expect=400)

    def test_devices(self):
        """devices that runs may name are listed, a check is made for an executor, and a job says on what it is to run"""
        listed = self.ask("GET", "/api/v1/devices", expect=200)[2]
        self.assertTrue(listed["devices"] or listed["notes"])
        scene = Lab.small_scene(steps=20, frames=2)
        self.ask("POST", "/api/v1/scenes/check?executor=local", scene, expect=200)
        self.ask("POST", "/api/v1/scenes/check?executor=nowhere", scene, expect=400)
        [problem] = self.ask("POST", "/api/v1/scenes/check", dict(scene, run={"device": "gpu:99"}), expect=422)[2]["errors"]
        self.assertEqual(problem["pointer"], "/run/device")
        made = self.ask("POST", "/api/v1/jobs", dict(scene, run={"device": "auto"}), expect=201)[2]
        self.assertEqual(made["run"], {"ranks": 1, "device": "auto"})

    def test_openapi(self):
        """/api/v1/openapi.json is api/openapi.yaml"""
        served = self.ask("GET", "/api/v1/openapi.json", expect=200)[2]
        self.assertEqual(served, json.loads(json.dumps(self.contract.document)))

    def test_dashboard(self):
        """the dashboard's files come with an entity tag, answer 304 to it, and unknown ones 404"""
        _, headers, page = self.ask("GET", "/", expect=200)
        self.assertIn(b"<html", page)
        self.ask("GET", "/", headers={"If-None-Match": headers["etag"]}, expect=304)
        self.ask("GET", "/assets/nothing.js", expect=404)
        folder = ROOT / "build" / "web" / "assets"
        name = sorted(p.name for p in folder.iterdir() if p.is_file())[0]
        _, headers, content = self.ask("GET", f"/assets/{name}", expect=200)
        self.assertEqual(content if isinstance(content, bytes) else None, (folder / name).read_bytes())
        self.ask("GET", f"/assets/{name}", headers={"If-None-Match": f'"x", {headers["etag"]}'}, expect=304)

    def test_pages(self):
        """the guide and the reference are pages for people, answered to everyone"""
        for path, text in (("/guide", b"A scene, explained"), ("/guide/study", b"Studies, explained"), ("/guide/calibration", b"distances and calibration"), ("/guide/methods", b"/guide/methods/fibre"), ("/guide/methods/fem", b"<math"),
                           ("/guide/validation/ROUND_ROBIN", b"Cylinder between platens"), ("/reference", b"fracture_energy")):
            _, headers, page = self.ask("GET", path, headers={"Authorization": None}, expect=200)
            self.assertEqual(headers["content-type"], "text/html; charset=utf-8")
            self.assertIn(text, page)
            self.assertNotIn(b"|---", page)
        self.assertIn(b"/assets/pages.css", page)
        for path in ("/guide/methods/none", "/guide/validation/none"):
            self.ask("GET", path, headers={"Authorization": None}, expect=404)
        self.ask("GET", "/assets/pages.css", expect=200)

    def test_compressed_dashboard(self):
        """a client that takes gzip gets the dashboard's files compressed, the same when unpacked, with an entity tag of their own"""
        name = max((p for p in (ROOT / "build" / "web" / "assets").iterdir()), key=lambda p: p.stat().st_size).name
        _, plain, content = self.ask("GET", f"/assets/{name}", headers={"Accept-Encoding": "gzip;q=0, br"}, expect=200)
        self.assertNotIn("content-encoding", plain)
        _, packed, body = self.ask("GET", f"/assets/{name}", headers={"Accept-Encoding": "br, gzip"}, expect=200)
        self.assertEqual((packed["content-encoding"], packed["vary"], plain["vary"]), ("gzip", "Accept-Encoding", "Accept-Encoding"))
        self.assertEqual(gzip.decompress(body), content)
        self.assertLess(len(body), 0.5 * len(content))
        self.assertNotEqual(packed["etag"], plain["etag"])
        for tag, coding, status in ((packed["etag"], "gzip", 304), (plain["etag"], "gzip", 200), (plain["etag"], "identity", 304)):
            self.ask("GET", f"/assets/{name}", headers={"Accept-Encoding": coding, "If-None-Match": tag}, expect=status)

    def test_head(self):
        """HEAD answers every GET route with the same headers and no body"""
        for path in ("/healthz", "/", "/api/v1/jobs", f"/api/v1/jobs/{self.done}/curves", f"/api/v1/jobs/{self.done}/recording",
                     f"/api/v1/jobs/{self.done}/scene", "/api/v1/methods", "/api/v1/jobs/999999"):
            get = self.ask("GET", path)
            head = self.ask("HEAD", path)
            self.assertEqual((head[0], head[2]), (get[0], b""), path)
            for name in ("content-type", "content-length", "etag", "accept-ranges"):
                self.assertEqual(head[1].get(name), get[1].get(name), f"{path} {name}")

    def test_security_headers(self):
        """every answer forbids framing, sniffing and foreign scripts"""
        for path in ("/", "/healthz", "/nothing", f"/api/v1/jobs/{self.done}/recording"):
            _, headers, _ = self.ask("GET", path)
            self.assertIn("default-src 'self'", headers["content-security-policy"], path)
            self.assertNotIn("unsafe-inline", headers["content-security-policy"])
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["x-frame-options"], "DENY")

    # ── reference ──

    def test_methods(self):
        """methods are listed with their options, and found by name"""
        methods = self.ask("GET", "/api/v1/methods", expect=200)[2]["methods"]
        self.assertIn("peridem", [m["name"] for m in methods])
        one = self.ask("GET", "/api/v1/methods/peridem", expect=200)[2]
        self.assertEqual(one, next(m for m in methods if m["name"] == "peridem"))
        self.ask("GET", "/api/v1/methods/alchemy", expect=404)

    def test_schema(self):
        """the scene's schema is a valid JSON Schema that takes the gallery and the effective scenes of its method"""
        import jsonschema
        scenes = [s["scene"] for s in self.ask("GET", "/api/v1/gallery", expect=200)[2]["scenes"]]
        self.assertTrue(scenes)
        scenes.append(self.ask("GET", f"/api/v1/jobs/{self.done}/scene", expect=200)[2])
        self.ask("GET", "/api/v1/schema?method=alchemy", expect=404)
        methods = {None, *(scene["method"] for scene in scenes)}  # None: the schema of them all
        for method in methods:
            schema = self.ask("GET", "/api/v1/schema" + (f"?method={method}" if method else ""), expect=200)[2]
            jsonschema.Draft202012Validator.check_schema(schema)
            others = {scene["method"]: scene for scene in scenes}.values()  # one of each
            for scene in [scene for scene in scenes if method == scene["method"] or scene in others]:
                valid = jsonschema.Draft202012Validator(schema).is_valid(scene)
                self.assertEqual(valid, method in (None, scene["method"]), (method, scene["name"]))

    def test_check(self):
        """checking a scene gives its effective form, which checks to itself, and what it will cost"""
        first = self.ask("POST", "/api/v1/scenes/check", Lab.small_scene(), expect=200)[2]
        again = self.ask("POST", "/api/v1/scenes/check", first["scene"], expect=200)[2]
        self.assertEqual(first, again)
        self.assertGreater(first["estimate"]["node_count"], 10)
        self.assertEqual(first["estimate"]["step_count"], 300)

    def test_need_beyond_numbers(self):
        """a spacing so small that no number holds the nodes is refused in words, by every method that has one"""
        methods = set()
        for entry in self.ask("GET", "/api/v1/gallery", expect=200)[2]["scenes"]:
            scene = entry["scene"]
            if scene["method"] in methods or scene["method"] == "rigid" or "spacing" not in scene["specimens"][0]:  # rigid bodies have none
                continue
            methods.add(scene["method"])
            for spacing in (1e-300, 1e-100):
                scene["specimens"][0]["spacing"] = spacing
                errors = self.ask("POST", "/api/v1/scenes/check", scene, expect=422)[2]["errors"]
                for error in errors:
                    self.assertNotRegex(error["detail"] + error["given"], r"\b(nan|inf)\b", (scene["name"], spacing))
        self.assertLessEqual({"peridem", "lsdem"}, methods)

    @staticmethod
    def unusual_scene():
        """A scene that can run, with one warning: its contacts are far softer than its bonds."""
        return {"scree": 1, "name": "unusual", "method": "bdem",
                "materials": [{"name": "m", "density": 1000, "young_modulus": 1e6}],
                "specimens": [{"name": "s", "material": "m", "spacing": 0.1, "shape": {"type": "box", "size": [0.4, 0.34641017, 0.32659864]}}],
                "time": {"duration": 0.01}, "options": {"contact_stiffness_factor": 0.001}}

    def test_warnings(self):
        """what is unusual about a scene that can run comes with its check and with the job it makes, and a usual scene has none"""
        pointers = lambda answer: [warning["pointer"] for warning in answer["warnings"]]
        self.assertEqual(pointers(self.ask("POST", "/api/v1/scenes/check", Lab.small_scene(spacing=1.6e-4), expect=200)[2]), [])
        checked = self.ask("POST", "/api/v1/scenes/check", self.unusual_scene(), expect=200)[2]
        self.assertEqual(pointers(checked), ["/options/contact_stiffness_factor"])
        job = self.ask("POST", "/api/v1/jobs", self.unusual_scene(), expect=201)[2]
        self.assertEqual(job["warnings"], checked["warnings"])
        self.assertNotIn("warnings", self.ask("GET", f"/api/v1/jobs/{job['id']}", expect=200)[2])

    # ── submitting ──

    def refusals(self, path):
        """What both routes that take a scene refuse in the same way."""
        scene = Lab.small_scene()
        self.ask("POST", path, b"{", {"Content-Type": "application/json"}, expect=400)
        self.ask("POST", path, b"", {"Content-Type": "application/json"}, expect=400)
        self.ask("POST", path, json.dumps(scene).encode(), {"Content-Type": "text/plain"}, expect=415)
        self.ask("POST", path, json.dumps(scene).encode(), {}, expect=415)
        self.ask("POST", path, scene, {"Origin": "http://evil.example"}, expect=403)
        self.ask("POST", path, scene, {"Sec-Fetch-Site": "cross-site"}, expect=403)
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode()
        headers, _ = self.ask_raw("POST", path, head + b"Content-Length: 99999999999\r\n\r\n{", 413)
        self.assertEqual(headers["connection"].lower(), "close")
        headers, problem = self.ask_raw("POST", path, head + b"Content-Length: 6000000\r\n\r\n" + b" " * 6000000, 413)  # read to its end, then answered
        self.assertEqual(headers["connection"].lower(), "close")
        self.assertIn("at most 4194304 bytes", problem["detail"])
        self.ask_raw("POST", path, head + b"Content-Length: 6000000\r\nExpect: 100-continue\r\n\r\n", 413)  # asks first, and is told before it sends
        chunks = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        self.ask_raw("POST", path, head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks * 5 + b"0\r\n\r\n", 413)
        _, _, problem = self.ask("POST", path, [1, 2, 3], expect=422)
        self.assertTrue(problem["errors"])

    def test_refusals_of_jobs(self):
        """a submission that is no JSON, too long, of another type or from another origin is refused with its own status"""
        self.refusals("/api/v1/jobs")
        self.ask("POST", "/api/v1/jobs?priority=many", Lab.small_scene(), expect=400)
        self.ask("POST", "/api/v1/jobs", Lab.small_scene(), {"Idempotency-Key": "k" * 256}, expect=400)

    def test_refusals_of_checks(self):
        """a scene to be checked is refused in the same ways"""
        self.refusals("/api/v1/scenes/check")

    def test_templates(self):
        """what a specimen is made into: numbers as the command line says, the surface, and modes that move it; refused as a check is, and where a method makes none"""
        scenes = {s["name"]: s["scene"] for s in self.ask("GET", "/api/v1/gallery", expect=200)[2]["scenes"]}
        made = self.ask("POST", "/api/v1/scenes/template", scenes["bend3"], expect=200)[2]
        template, shape = made["template"], made["shape"]
        self.assertAlmostEqual(template["mass"], 20000, delta=1e-6)
        count = template["nodes"]
        self.assertEqual((len(shape["vertices"]), [len(field) for field in shape["fields"]]), (3 * count, [3 * count]))
        self.assertEqual((len(shape["triangles"]), max(shape["triangles"])), (3 * template["triangles"], count - 1))
        self.assertAlmostEqual(max(shape["vertices"][0::3]), 80, delta=1e-4)
        self.assertAlmostEqual(min(shape["fields"][0][2::3]), -(1 - 2 / 3.14159265), delta=0.01)  # momentum-free: the sine less its mean
        other = self.ask("POST", "/api/v1/scenes/template?specimen=load-remap", scenes["lsupdate"], expect=200)[2]
        self.assertEqual((other["template"]["specimen"], other["shape"]["fields"]), ("load-remap", []))
        fine = json.loads(json.dumps(scenes["compact1"]))
        fine["specimens"][0].update(spacing=1.6e-4, grid_spacing=0.0004, largest_amplitude=0.0005)
        self.assertIsNone(self.ask("POST", "/api/v1/scenes/template", fine, expect=200)[2]["shape"])
        for query, scene, says in (("?specimen=none", scenes["bend3"], "no specimen 'none'"), ("", Lab.small_scene(), "methods that do: lsdem")):
            problem = self.ask("POST", f"/api/v1/scenes/template{query}", scene, expect=422)[2]
            self.assertEqual(problem["type"], "/problems/no-template")
            self.assertIn(says, problem["detail"])
        self.ask("POST", "/api/v1/scenes/template?colour=red", scenes["bend3"], expect=400)
        methods = self.ask("GET", "/api/v1/methods", expect=200)[2]["methods"]
        self.assertEqual([m["name"] for m in methods if m.get("templates")], ["lsdem"])

    def test_pictures(self):
        """a scene's picture has the records that its recording begins with, and frames in which the rig goes its way and the specimens stay"""
        def records(body):
            at, found = 0, []
            while at < len(body):
                size, kind, _, seq, time = struct.unpack_from("<IHHQd", body, at)
                found.append((kind, seq, time, body[at + 32:at + 32 + size]))
                at += 32 + (size + 7) // 8 * 8
            return found
        scene = next(s for s in self.ask("GET", "/api/v1/gallery", expect=200)[2]["scenes"] if s["name"] == "hollow-sphere-crush")["scene"]
        headers, body = self.ask("POST", "/api/v1/scenes/picture", scene, expect=200)[1:]
        self.assertEqual(headers["content-type"], "application/octet-stream")
        found = records(body)
        self.assertEqual([seq for _, seq, _, _ in found], list(range(1, len(found) + 1)))
        topology = json.loads(found[0][3])
        self.assertEqual([d["name"] for d in topology["drawables"]], ["grain", "box"])
        frames = [record for record in found if record[0] == 3]
        self.assertEqual(len(frames), 25)
        self.assertAlmostEqual(frames[-1][2], scene["time"]["duration"], delta=1e-12)
        def top_wall(payload):  # the sixth of the box's positions, float32, in the last block
            blocks, at = struct.unpack_from("<I", payload)[0], 8
            for _ in range(blocks):
                start, (_, _, _, size) = at, struct.unpack_from("<4I", payload, at)
                at += 16 + size
            return struct.unpack_from("<18f", payload, start + 16 + 64)[17]
        travel = top_wall(frames[-1][3]) - top_wall(frames[0][3])
        self.assertAlmostEqual(travel, -10 * scene["time"]["duration"], delta=1e-9)
        self.assertEqual(frames[0][3][:1000], frames[-1][3][:1000])  # the specimen stays
        self.assertEqual(self.ask("POST", "/api/v1/scenes/picture", Lab.small_scene(), expect=200)[2][8:16], struct.pack("<Q", 1))

    def test_refusals_of_pictures(self):
        """a scene whose picture is wanted is refused in the same ways"""
        self.refusals("/api/v1/scenes/picture")

    def test_refusals_of_templates(self):
        """a scene whose template is wanted is refused in the same ways"""
        self.refusals("/api/v1/scenes/template")

    def test_all_problems_at_once(self):
        """a bad scene is refused with every problem, each with pointer, given value and what is allowed"""
        scene = Lab.small_scene()
        scene["materials"][0]["density"] = -1
        scene["specimens"][0]["shape"]["inner_radius"] = 5
        scene["specimens"][0]["colour"] = "red"
        scene["time"]["duration"] = "long"
        del scene["specimens"][0]["spacing"]
        for path in ("/api/v1/jobs", "/api/v1/scenes/check"):
            _, _, problem = self.ask("POST", path, scene, expect=422)
            found = {e["pointer"]: e for e in problem["errors"]}
            for pointer in ("/materials/0/density", "/specimens/0/colour", "/time/duration", "/specimens/0/spacing"):
                self.assertIn(pointer, found)
            self.assertEqual(json.loads(found["/materials/0/density"]["given"]), -1)
            self.assertTrue(found["/materials/0/density"]["allowed"])
            self.assertEqual(problem["type"], "/problems/scene-refused")
            self.assertEqual(problem["instance"], path)

    def test_duplicate_keys(self):
        """a scene that says the same key twice is refused: readers of JSON disagree on which one counts"""
        text = json.dumps(Lab.small_scene())[:-1] + ', "scree": 1}'
        self.assertEqual(self.ask("POST", "/api/v1/scenes/check", text.encode(), {"Content-Type": "application/json"})[0], 422)

    def test_idempotency(self):
        """a key names one submission: repeated it gives the same job, with another scene it is refused"""
        scene = Lab.small_scene(name="keyed")
        key = {"Idempotency-Key": "a key of mine"}
        _, headers, first = self.ask("POST", "/api/v1/jobs", scene, key, expect=201)
        self.assertEqual(headers["location"], f"/api/v1/jobs/{first['id']}")
        _, headers, second = self.ask("POST", "/api/v1/jobs", scene, key, expect=200)
        self.assertEqual(second["id"], first["id"])
        self.assertEqual(headers["location"], f"/api/v1/jobs/{first['id']}")
        _, _, problem = self.ask("POST", "/api/v1/jobs", Lab.small_scene(name="other"), key, expect=422)
        self.assertEqual(problem["type"], "/problems/key-reused")
        self.assertNotEqual(self.ask("POST", "/api/v1/jobs", scene, expect=201)[2]["id"], first["id"])

    # ── listing and steering ──

    def test_list(self):
        """jobs are listed newest first, in pages, by state, with totals"""
        ids = [self.lab.submit(Lab.small_scene(name=f"page-{i}"))["id"] for i in range(3)]
        listed, before = [], None
        while True:
            page = self.ask("GET", "/api/v1/jobs?limit=2" + (f"&before={before}" if before else ""), expect=200)[2]
            listed += [job["id"] for job in page["jobs"]]
            before = page["next_before"]
            if before is None:
                break
        self.assertEqual(listed, sorted(listed, reverse=True))
        self.assertTrue(set(ids) <= set(listed))
        for number in ids:
            self.lab.wait(number)
        page = self.ask("GET", "/api/v1/jobs?state=succeeded&limit=200", expect=200)[2]
        self.assertTrue(set(ids) <= {job["id"] for job in page["jobs"]})
        self.assertEqual({job["state"] for job in page["jobs"]}, {"succeeded"})
        self.assertGreaterEqual(page["totals"]["ended"], 3)

    def test_list_parameters(self):
        """parameters that can't be meant are refused, all at once"""
        _, _, problem = self.ask("GET", "/api/v1/jobs?limit=0&before=-1&state=happy", expect=400)
        self.assertEqual({e["pointer"] for e in problem["errors"]}, {"limit", "before", "state"})
        for query in ("limit=201", "limit=1.5", "limit=", "before=99999999999999999999", "state=RUNNING"):
            self.ask("GET", f"/api/v1/jobs?{query}", expect=400)

    def test_steering(self):
        """a job is paused, resumed, cancelled and deleted; what its state does not allow is 409"""
        job = self.lab.submit(Lab.long_scene())["id"]
        path = f"/api/v1/jobs/{job}"
        self.lab.wait_until(job, lambda j: j["state"] == "running")
        self.ask("DELETE", path, expect=409)
        self.ask("POST", path + "/resume", expect=409)
        self.ask("POST", path + "/pause", expect=202)
        self.lab.wait_until(job, lambda j: j["state"] == "paused")
        self.ask("POST", path + "/resume", expect=202)
        self.lab.wait_until(job, lambda j: j["state"] == "running")
        self.ask("POST", path + "/cancel", expect=202)
        self.assertEqual(self.lab.wait(job)["state"], "cancelled")
        self.ask("POST", path + "/cancel", expect=202)
        self.ask("POST", path + "/pause", expect=409)
        for action in ("/cancel", "/pause", "/resume"):
            self.ask("POST", path + action, headers={"Origin": "http://evil.example"}, expect=403)
            self.ask("POST", "/api/v1/jobs/999999" + action, expect=404)
        self.ask("POST", f"/api/v1/jobs/{self.done}/cancel", expect=409)
        self.ask("DELETE", path, headers={"Origin": "null"}, expect=403)
        self.assertEqual(self.ask("GET", path, expect=200)[2]["state"], "cancelled")
        self.ask("DELETE", path, expect=204)
        self.ask("DELETE", path, expect=404)
        self.ask("GET", path, expect=404)

    def test_no_such_job(self):
        """ids that no job has, or could have, are 404 on every route"""
        for number in ("999999", "0", "-1", "01", "x", "1e3", "9223372036854775808", "%31%00"):
            for rest in ("", "/scene", "/curves", "/frames", "/records/1", "/recording"):
                status = self.ask("GET", f"/api/v1/jobs/{number}{rest}")[0]
                self.assertEqual(status, 400 if "%00" in number else 404, f"{number}{rest}")

    # ── what a queued job answers ──

    def test_nothing_recorded_yet(self):
        """a job that waits has a scene and empty lists; its recording and its plot are 404"""
        running = self.lab.submit(Lab.long_scene())["id"]
        waiting = self.lab.submit(Lab.small_scene(name="waiting"))["id"]
        path = f"/api/v1/jobs/{waiting}"
        job = self.ask("GET", path, expect=200)[2]
        self.assertEqual((job["state"], job["progress"], job["started"]), ("queued", None, None))
        self.ask("GET", path + "/scene", expect=200)
        self.assertEqual(self.ask("GET", path + "/curves", expect=200)[2], {"series": [], "samples": [], "last_seq": 0})
        self.assertEqual(self.ask("GET", path + "/frames", expect=200)[2], {"frames": [], "topology_seq": None})
        self.assertEqual(self.ask("GET", path + "/curves", headers={"Accept": "text/csv"}, expect=200)[2], b"")
        self.ask("GET", path + "/curves", headers={"Accept": "image/svg+xml"}, expect=404)
        self.ask("GET", path + "/records/1", expect=404)
        self.ask("GET", path + "/recording", expect=404)
        self.ask("POST", f"/api/v1/jobs/{running}/cancel", expect=202)
        self.ask("POST", path + "/cancel", expect=202)
        self.lab.wait(running)

    def test_unknown_parameters(self):
        """a parameter that a path does not have is 400 and the ones it has are told, so that no filter is lost by a slip"""
        _, _, problem = self.ask("GET", "/api/v1/jobs?stat=running&limit=1&x", expect=400)
        self.assertEqual([e["pointer"] for e in problem["errors"]], ["stat", "x"])
        self.assertIn("state, method, user, tag, q, sort, cursor, before, limit", problem["errors"][0]["allowed"])
        self.assertIn("it takes no parameters", self.ask("GET", f"/api/v1/jobs/{self.done}?full=1", expect=400)[2]["errors"][0]["allowed"])

    # ── who may ask ──

    def test_access(self):
        """links let a browser in once; whoever shows no token is 401"""
        self.ask("POST", "/api/v1/links", headers={"Origin": "http://evil.example"}, expect=403)
        link = self.ask("POST", "/api/v1/links", expect=201)[2]["link"]
        stranger = {"Authorization": None}
        self.ask("POST", "/api/v1/links", headers=stranger, expect=401)
        self.ask("GET", "/", headers=stranger, expect=401)
        self.ask("GET", link, headers=stranger, expect=303)
        self.ask("GET", link, headers=stranger, expect=403)
        self.ask("GET", "/api/v1/proof?nonce=0123456789abcdef", headers=stranger, expect=200)
        self.ask("GET", "/api/v1/proof?nonce=short", headers=stranger, expect=400)
        name = self.ask("GET", "/api/v1/sessions", expect=200)[2]["sessions"][0]["name"]
        self.ask("GET", "/api/v1/sessions", headers=stranger, expect=401)
        for path in (f"/api/v1/sessions/{name}", "/api/v1/sessions"):
            self.ask("DELETE", path, headers=stranger, expect=401)
            self.ask("DELETE", path, headers={"Origin": "http://evil.example"}, expect=403)
            self.assertEqual(self.ask("DELETE", path, expect=200)[2], {"ended": 1 if path.endswith(name) else 0})
        self.ask("DELETE", f"/api/v1/sessions/{name}", expect=404)
        self.upgrade(401, headers={"Authorization": None})

    def test_unclaimed(self):
        """every recording of this laboratory has its job, so there is none to be taken in"""
        stranger, foreign = {"Authorization": None}, {"Origin": "http://evil.example"}
        for method, path, answer in (("GET", "/api/v1/recordings/unclaimed", {"count": 0, "jobs": [], "next": None}),
                                     ("POST", "/api/v1/recordings/adopt", {"adopted": [], "refused": [], "next": None})):
            self.assertEqual(self.ask(method, path, expect=200)[2], answer)
            self.ask(method, path + "?after=-1", expect=400)
            self.ask(method, path, headers=stranger, expect=401)
        self.ask("POST", "/api/v1/recordings/adopt", headers=foreign, expect=403)

    # ── the stream's door ──

    def upgrade(self, expect, **options):
        with self.assertRaises(ws.Refused) as caught:
            ws.Stream(self.lab.port, **options).close()
        status, headers, body = parse_answer(caught.exception.head.encode("latin-1") + b"\r\n\r\n" + caught.exception.body)
        self.contract.check("GET", "/ws/v1", status, headers, body)
        self.assertEqual(status, expect)
        return headers

    def test_stream_door(self):
        """an upgrade is refused by subprotocol, origin, path and version, each with a problem document; a viewer too many by close code 1013"""
        self.upgrade(400, protocol="scree.v2")
        self.upgrade(400, protocol=None)
        self.upgrade(403, headers={"Origin": "http://evil.example"})
        self.upgrade(421, headers={"Host": "evil.example"})
        self.upgrade(404, path="/ws/v2")
        self.upgrade(404, path="/ws")
        self.assertEqual(self.upgrade(426, headers={"Sec-WebSocket-Version": "8"})["sec-websocket-version"], "13")
        self.upgrade(426, headers={"Upgrade": None, "Connection": None})
        port = self.lab.port
        with ws.Stream(port, headers={"Origin": f"http://127.0.0.1:{port}"}), ws.Stream(port, protocol="other, scree.v1") as second:
            self.assertIn("sec-websocket-protocol: scree.v1", second.head.lower())
            self.contract.seen.add(("get", "/ws/v1", "101"))
            with self.assertRaises(ws.Closed) as closed:
                ws.Stream(port)
            self.assertEqual(closed.exception.code, 1013)
        with raw.connect(port) as s:
            s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertIn(b"200 OK", raw.read_answer(s))
            s.sendall(b"GET /ws/v1 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
            status, headers, body = parse_answer(raw.read_answer(s))
            self.contract.check("GET", "/ws/v1", status, headers, body)
            self.assertEqual((status, headers["connection"].lower()), (421, "close"))

    # ── routing ──

    def test_no_such_route(self):
        """paths that are no route are 404, paths that are no paths 400, methods a path lacks 405 with Allow"""
        for path in ("/api", "/api/v1", "/api/v1/jobs/", "/api/v2/jobs", "//api/v1/jobs", "/healthz/", "/assets", "/assets/"):
            self.ask("GET", path, expect=404)
        for path in ("/%2e%2e/etc/passwd", "/assets/%2e%2e/index.html", "/assets/..%2findex.html", "/api/v1/jobs/1%00", "/" + "a" * 2000):
            self.ask("GET", path, expect=400)
        for method, path, allow in (("POST", "/healthz", "GET, HEAD"), ("PUT", "/api/v1/jobs", "GET, HEAD, POST"),
                                    ("PUT", f"/api/v1/jobs/{self.done}", "GET, HEAD, PATCH, DELETE"),
                                    ("GET", f"/api/v1/jobs/{self.done}/cancel", "POST"), ("OPTIONS", "/api/v1/jobs", "GET, HEAD, POST")):
            _, headers, _ = self.ask(method, path, expect=405)
            self.assertEqual(headers["allow"], allow)

    def test_results(self):
        """an ended job's curves, frames, records and recording agree with each other"""
        path = f"/api/v1/jobs/{self.done}"
        job = self.ask("GET", path, expect=200)[2]
        self.assertEqual((job["state"], job["progress"]["fraction"], job["error"]), ("succeeded", 1.0, None))
        _, headers, whole = self.ask("GET", path + "/recording", expect=200)
        self.assertEqual(self.ask("GET", path + "/integrity", expect=200)[2]["integrity"], "complete")
        self.ask("GET", "/api/v1/jobs/999/integrity", expect=404)
        self.ask("GET", path + "/recording", headers={"Range": "bytes=8-39"}, expect=206)
        self.ask("GET", path + "/recording", headers={"If-None-Match": headers["etag"]}, expect=304)
        self.ask("GET", path + "/recording", headers={"Range": f"bytes={len(whole)}-"}, expect=416)
        records, at = [], 8
        while at < len(whole):
            size = 32 + (ws.RECORD.unpack_from(whole, at)[0] + 7) // 8 * 8
            records.append(ws.parse_record(whole[at:at + size]))
            at += size
        self.assertEqual([r.seq for r in records], list(range(1, len(records) + 1)))
        self.assertEqual(records[-1].type, ws.END)
        listed = self.ask("GET", path + "/frames", expect=200)[2]
        self.assertEqual([(f["seq"], f["time"], f["bytes"]) for f in listed["frames"]],
                         [(r.seq, r.time, len(r.raw)) for r in records if r.type == ws.FRAME])
        half = listed["frames"][len(listed["frames"]) // 2]["seq"]
        self.assertEqual(self.ask("GET", f"{path}/frames?after={half}", expect=200)[2]["frames"], [f for f in listed["frames"] if f["seq"] > half])
        self.ask("GET", f"{path}/frames?after=x", expect=400)
        self.assertEqual(listed["topology_seq"], next(r.seq for r in records if r.type == ws.TOPOLOGY))
        for record in (records[0], records[len(records) // 2], records[-1]):
            _, headers, one = self.ask("GET", f"{path}/records/{record.seq}", expect=200)
            self.assertEqual(one, record.raw)
            self.ask("GET", f"{path}/records/{record.seq}", headers={"If-None-Match": headers["etag"]}, expect=304)
        self.ask("GET", f"{path}/records/{len(records) + 1}", expect=404)
        self.check_curves(path, records)

    def check_curves(self, path, records):
        import struct
        curves = self.ask("GET", path + "/curves", expect=200)[2]
        self.assertEqual(curves["last_seq"], len(records))
        rows = []
        for record in records:
            if record.type == ws.CURVE:
                _, samples, series = struct.unpack_from("<QII", record.payload)
                self.assertEqual(series, len(curves["series"]))
                values = struct.unpack_from(f"<{samples * series}d", record.payload, 16)
                rows += [list(values[i * series:(i + 1) * series]) for i in range(samples)]
        self.assertEqual(curves["samples"], rows)
        half = next(r.seq for r in records[len(records) // 2:] if r.type == ws.CURVE)
        rest = self.ask("GET", f"{path}/curves?after={half}", expect=200)[2]["samples"]
        self.assertEqual(rest, rows[len(rows) - len(rest):])
        self.assertLess(len(rest), len(rows))
        _, headers, csv = self.ask("GET", path + "/curves", headers={"Accept": "text/csv"}, expect=200)
        lines = csv.decode().strip().split("\r\n")
        self.assertEqual(lines[0].split(",")[0], "time [s]")
        self.assertEqual([[float(v) for v in line.split(",")] for line in lines[1:]], rows)
        self.assertEqual(headers["vary"], "Accept")
        picture = self.ask("GET", path + "/curves", headers={"Accept": "image/svg+xml,image/*;q=0.8"}, expect=200)[2]
        self.assertIn(b"<svg", picture)
        self.ask("GET", path + "/curves", headers={"Accept": "text/html"}, expect=406)
        self.ask("GET", path + "/curves?after=-1", expect=400)
        self.check_breaks(path, rows[-1][[series["name"] for series in curves["series"]].index("broken_bonds")])

    def check_breaks(self, path, broken):
        _, headers, csv = self.ask("GET", path + "/tables/breaks", headers={"Accept": "text/csv"}, expect=200)
        lines = csv.decode().strip().split("\r\n")
        self.assertTrue(headers["content-type"].startswith("text/csv"))
        self.assertEqual(lines[0], "time [s],step [1],a [1],b [1],mode,load [1],tension [Pa],shear [Pa],x [m],y [m],z [m]")
        self.assertEqual(len(lines) - 1, broken)
        self.ask("GET", path + "/tables/breaks", headers={"Accept": "text/html"}, expect=406)
        self.ask("GET", path + "/tables/breaks?after=x", expect=400)
        self.ask("GET", path + "9999/tables/breaks", expect=404)
        listed = self.ask("GET", path + "/tables", expect=200)[2]
        self.assertEqual([(table["name"], table["picture"]) for table in listed], [("breaks", False), ("fragments", True)])
        self.assertEqual(listed[0]["rows"], broken)
        rows = self.ask("GET", path + "/tables/breaks", expect=200)[2]
        self.assertEqual(rows["columns"][4], {"name": "mode", "unit": "1", "label": "Mode", "values": ["tension", "shear", "stretch"]})
        self.assertEqual([(row[4], row[6]) for row in rows["rows"]], [("stretch", None)] * int(broken))
        self.ask("GET", path + "/tables?after=x", expect=400)
        self.ask("GET", path + "9999/tables", expect=404)
        self.ask("GET", path + "/tables", headers={"Accept": "text/csv"}, expect=406)
        self.ask("GET", path + "/tables/nothing", expect=404)
        self.ask("GET", path + "/breaks", expect=404)
        table = self.ask("GET", path + "/tables/fragments", expect=200)[2]
        self.assertEqual([column["name"] for column in table["columns"]], ["time", "dust", "lower_mass", "upper_mass", "count", "mass"])
        lines = self.ask("GET", path + "/tables/fragments", headers={"Accept": "text/csv"}, expect=200)[2].decode().splitlines()
        self.assertEqual(len(lines), len(table["rows"]) + 1)
        self.assertIn(b"<svg", self.ask("GET", path + "/tables/fragments", headers={"Accept": "image/svg+xml"}, expect=200)[2])
        self.ask("GET", path + "/tables/fragments", headers={"Accept": "text/html"}, expect=406)
        self.ask("GET", path + "/tables/fragments?after=x", expect=400)
        self.ask("GET", path + "9999/tables/fragments", expect=404)

    def test_files(self):
        """files that a method made are listed and come as they are; test_api_files has the rest"""
        scene = {"scree": 1, "name": "arch", "method": "coarsening", "options": {"element": "plain", "modes": 1, "meshes": "6x1x1 8x1x1"},
                 "materials": [{"name": "m", "density": 1000, "young_modulus": 1e8, "poisson_ratio": 0.3}],
                 "specimens": [{"name": "bar", "material": "m", "divisions": [12, 1, 1], "shape": {"type": "box", "size": [0.1, 0.01, 0.01]}}],
                 "rig": {"type": "none"}, "time": {"duration": 1}}
        job = self.lab.submit(scene)["id"]
        self.lab.wait(job)
        path = f"/api/v1/jobs/{job}"
        files = self.ask("GET", path + "/files", expect=200)[2]["files"]
        self.assertEqual([file["name"] for file in files], ["coarsening/coarse.patch.json", "coarsening/mode-1.svg", "coarsening/report.md"])
        for file in files:
            self.ask("GET", f"{path}/files/{file['name']}", expect=200)
        self.ask("GET", path + "/files/coarsening/nothing", expect=404)
        self.ask("GET", path + "9999/files", expect=404)

    def test_surface(self):
        """the surfaces of a frame come as closed STL or PLY, of frames that are there only"""
        job = self.lab.submit(self.lab.small_scene())["id"]
        self.lab.wait(job)
        frames = self.ask("GET", f"/api/v1/jobs/{job}/frames", expect=200)[2]["frames"]
        path = f"/api/v1/jobs/{job}/frames/{frames[-1]['seq']}/surface"
        _, headers, ply = self.ask("GET", path, expect=200)
        self.assertIn(f'job-{job}-frame-{len(frames) - 1}.ply', headers["content-disposition"])
        self.assertTrue(ply.startswith(b"ply\nformat binary_little_endian 1.0\n"))
        faces = int(re.search(rb"element face (\d+)\n", ply)[1])
        _, headers, stl = self.ask("GET", path + "?format=stl", expect=200)
        self.assertEqual(headers["content-type"], "model/stl")
        self.assertEqual(len(re.findall(rb"^\s*facet normal", stl, re.M)), faces)
        corners = re.findall(rb"vertex (\S+ \S+ \S+)", stl)
        edges = [(a, b) for k in range(0, len(corners), 3) for a, b in zip(corners[k:k + 3], corners[k + 1:k + 3] + corners[k:k + 1])]
        self.assertEqual(sorted(edges), sorted((b, a) for a, b in edges), "every edge has a partner that runs the other way")
        self.ask("GET", path + "?format=obj", expect=400)
        for seq in (1, 10**9, 0, "x"):
            self.ask("GET", f"/api/v1/jobs/{job}/frames/{seq}/surface", expect=404)
        self.ask("GET", "/api/v1/jobs/9999/frames/3/surface", expect=404)

    def test_z1_draining(self):
        """on SIGTERM readyz is 503 and submissions are refused while workers checkpoint; then screed ends with 0"""
        with Lab("--drain-seconds", 30) as lab:
            job = lab.submit(Lab.long_scene())["id"]
            lab.wait_until(job, lambda j: j["progress"] and j["progress"]["step"] > 0)
            workers = lab.worker_pids()
            self.assertTrue(workers)
            for pid in workers:  # keeps the worker from checkpointing, so that draining takes as long as this test needs
                os.kill(pid, signal.SIGSTOP)
            lab.signal(signal.SIGTERM)
            end = time.monotonic() + 60
            while self.ask("GET", "/readyz", lab=lab)[0] != 503 and time.monotonic() < end:
                time.sleep(0.02)
            self.ask("GET", "/readyz", lab=lab, expect=503)
            _, headers, problem = self.ask("POST", "/api/v1/jobs", Lab.small_scene(), lab=lab, expect=503)
            self.assertEqual(problem["type"], "/problems/draining")
            self.assertIn("retry-after", headers)
            self.assertEqual(self.ask("GET", f"/api/v1/jobs/{job}", lab=lab, expect=200)[2]["id"], job)
            for pid in workers:
                os.kill(pid, signal.SIGCONT)
            self.assertEqual(lab.process.wait(timeout=60), 0)

    def test_z1_assets(self):
        """every answer about assets is as documented: uploaded, there already, empty, too long, listed, looked at, read, needed, removed"""
        def ask(method, path, body=None, expect=None):
            status, headers, content = self.lab.request(method, path, body)
            self.contract.check(method, path, status, headers, content)
            self.assertEqual(status, expect, (method, path, content[:500]))
            return content
        box = ("v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\n" + "".join(
            f"f {a} {b} {c}\n" for a, b, c in ((1, 5, 7), (1, 7, 3), (2, 4, 8), (2, 8, 6), (1, 2, 6), (1, 6, 5), (3, 7, 8), (3, 8, 4), (1, 3, 4), (1, 4, 2), (5, 6, 8), (5, 8, 7)))).encode()
        digest = json.loads(ask("POST", "/api/v1/assets?name=box.obj", box, 201))["digest"]
        ask("POST", "/api/v1/assets", box, 200)
        ask("POST", "/api/v1/assets", b"", 400)
        ask("GET", "/api/v1/assets?limit=0", expect=400)
        ask("GET", "/api/v1/assets", expect=200)
        self.assertEqual(ask("GET", f"/api/v1/assets/{digest}/content", expect=200), box)
        self.assertEqual(len(json.loads(ask("GET", f"/api/v1/assets/{digest}/preview", expect=200))["triangles"]) % 3, 0)
        ask("GET", f"/api/v1/assets/{digest}/preview?triangles=1", expect=400)
        ask("GET", f"/api/v1/assets/{'0' * 64}/preview", expect=404)
        scene = self.lab.small_scene(steps=40)
        scene["obstacles"] = [{"name": "block", "shape": {"type": "mesh", "scale": 1e-4, "file": f"sha256:{digest}"}, "position": [0, 0, -5e-3]}]
        job = self.lab.submit(scene)["id"]
        self.lab.wait(job)
        ask("GET", f"/api/v1/assets/{digest}", expect=200)
        ask("DELETE", f"/api/v1/assets/{digest}", expect=409)
        self.assertEqual(self.lab.request("DELETE", f"/api/v1/jobs/{job}")[0], 204)
        ask("DELETE", f"/api/v1/assets/{digest}", expect=204)
        for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/content")):
            ask(method, f"/api/v1/assets/{digest}{path}", expect=404)
        with socket.create_connection(("127.0.0.1", self.lab.port), timeout=30) as connection:
            connection.sendall(f"POST /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.lab.token}\r\nContent-Length: 999999999999\r\n\r\n".encode())
            data = b""
            while part := connection.recv(65536):
                data += part
        self.contract.check("POST", "/api/v1/assets", *parse_answer(data))
        self.assertIn(b" 413 ", data[:20])

    def test_z2_everything_documented_was_seen(self):
        """every route, method and status of openapi.yaml occurred in these tests"""
        self.assertEqual(sorted(self.contract.documented() - self.contract.seen), [])


if __name__ == "__main__":
    unittest.main()
