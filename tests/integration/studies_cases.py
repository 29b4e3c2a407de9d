"""Cases of test_api.py: studies. Mixed into its class, so that what they see counts for the contract."""
import time

JSON = {"Content-Type": "application/json"}


class StudyCases:
    def ended_study(self, number):
        end = time.monotonic() + 300
        while (found := self.ask("GET", f"/api/v1/studies/{number}", expect=200)[2])["state"] != "finished":
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        return found

    def test_studies(self):
        """a study is checked, submitted once for each key, listed, read as JSON and CSV, extended, stopped, resumed, retried and deleted"""
        study = {"scree_study": 1, "name": "blocks", "scene": "gallery:sliding-block", "results": {"x": "final(first.x)"},
                 "factors": {"mu": {"pointer": "/contact/friction_coefficient", "values": [0.3, 0.4]}}}
        plan = self.ask("POST", "/api/v1/studies/check", study, expect=200)[2]
        self.assertEqual((plan["rows"], plan["checked"], plan["unchecked"], plan["refused"]), (2, 2, None, 0))
        many = study | {"factors": {"mu": {"pointer": "/contact/friction_coefficient", "range": {"from": 0.1, "to": 0.9, "steps": 500}}}}
        plan = self.ask("POST", "/api/v1/studies/check", many, expect=200)[2]
        self.assertEqual(plan["rows"], 500)
        self.assertLessEqual(plan["checked"], 24)
        self.assertIn(f"{500 - plan['checked']} of the 500 rows were not looked at", plan["unchecked"])
        made = self.ask("POST", "/api/v1/studies?user=Ada%20%26%20Co", study, {"Idempotency-Key": "study"}, expect=201)[2]
        self.assertEqual(made["user"], "Ada & Co")
        self.ask("POST", "/api/v1/studies?user=" + 65 * "x", study, expect=400)
        path = f"/api/v1/studies/{made['id']}"
        self.assertEqual(self.ask("POST", "/api/v1/studies", study, {"Idempotency-Key": "study"}, expect=200)[2]["id"], made["id"])
        self.ask("POST", "/api/v1/studies", study | {"name": "other"}, {"Idempotency-Key": "study"}, expect=422)
        self.assertIn(made["id"], [s["id"] for s in self.ask("GET", "/api/v1/studies?limit=200", expect=200)[2]["studies"]])
        self.ended_study(made["id"])
        page = self.ask("GET", f"{path}/rows?limit=1", expect=200)[2]
        self.assertEqual((page["rows"][0]["factors"], page["next"]), ({"mu": 0.3}, {"after": 1}))
        self.ask("GET", f"{path}/rows?changed=1&limit=1", expect=200)
        status, _, text = self.ask("GET", f"{path}/rows", headers={"Accept": "text/csv"}, expect=200)
        self.assertEqual(text.decode().splitlines()[0], "row,state,job,mu,x,reason")
        self.assertEqual(self.ask("GET", f"{path}/document", expect=200)[2]["scene"]["name"], "sliding-block")
        strength = self.ask("GET", f"{path}/strength?result=x&by=mu", expect=200)[2]
        self.assertEqual([(g["label"], g["rows"]) for g in strength["groups"]], [("0.3", 1), ("0.4", 1)])
        bands = self.ask("GET", f"{path}/bands?x=time&y=first.x&points=5", expect=200)[2]["groups"]
        self.assertEqual((bands[0]["rows"], bands[0]["reached"], len(bands[0]["curves"])), (2, [2] * 5, 2))
        effects = self.ask("GET", f"{path}/effects?result=x", expect=200)[2]
        self.assertEqual(([(f["name"], f["share"], len(f["levels"])) for f in effects["factors"]], effects["pairs"], effects["rest"]), ([("mu", 1, 2)], [], 0))
        for bad in ("effects", "effects?result=y", "strength", "strength?result=y", "strength?result=x&by=nu", "strength?result=x&level=2", "bands?x=time", "bands?x=time&y=max(", "bands?x=time&y=nothing"):
            self.ask("GET", f"{path}/{bad}", expect=400)
        for kind in ("effects?result=x", "strength?result=x", "bands?x=time&y=first.x"):
            self.ask("GET", f"/api/v1/studies/999999/{kind}", expect=404)
        self.assertEqual(self.ask("POST", f"{path}/rows", [{"mu": 0.5}], expect=202)[2]["rows"]["total"], 3)
        self.ended_study(made["id"])
        self.ask("POST", f"{path}/retry", expect=202)
        self.ask("POST", f"{path}/stop", expect=409)
        self.ask("POST", f"{path}/resume", expect=409)
        long = self.ask("POST", "/api/v1/studies", study | {"name": "long", "factors": {"t": {"pointer": "/time/duration", "values": [5000]}}}, expect=201)[2]["id"]
        self.ask("DELETE", f"/api/v1/studies/{long}", expect=409)
        self.ask("POST", f"/api/v1/studies/{long}/stop", expect=202)
        self.ask("POST", f"/api/v1/studies/{long}/resume", expect=202)
        self.ask("POST", f"/api/v1/studies/{long}/stop", expect=202)
        for number in (long, made["id"]):
            self.ask("DELETE", f"/api/v1/studies/{number}?runs=delete", expect=202)
        end = time.monotonic() + 300
        while self.ask("GET", path)[0] != 404:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        self.ask("GET", "/api/v1/gallery/studies", expect=200)

    def test_users_of_studies(self):
        """the runs of a study are of who submitted it"""
        study = {"scree_study": 1, "name": "users", "scene": "gallery:sliding-block", "results": {"x": "final(first.x)"},
                 "factors": {"mu": {"pointer": "/contact/friction_coefficient", "values": [0.371, 0.429]}}}  # which no other case runs
        made = self.ask("POST", "/api/v1/studies?user=Grace", study, expect=201)[2]
        self.ended_study(made["id"])
        runs = self.ask("GET", "/api/v1/jobs?user=Grace", expect=200)[2]["jobs"]
        self.assertEqual([(run["tags"]["study"], run["user"]) for run in runs], [(str(made["id"]), "Grace")] * 2)

    def test_calibrations(self):
        """a calibration is checked, run, read with its overlay while it has one point and more, and takes no rows"""
        study = {"scree_study": 1, "name": "calibration", "scene": "gallery:sliding-block",
                 "factors": {"mu": {"pointer": "/contact/friction_coefficient", "range": {"from": 0.2, "to": 0.6}}},
                 "design": {"kind": "calibrate", "method": "none", "start_points": 4, "targets": {
                     "curve": {"x": "time", "y": "first.velocity_x", "measured": {"x": [0, 0.3], "y": [2, 0.8]}, "points": 5, "distance": "path"},
                     "rest": {"expression": "final(first.x)", "value": 0.5, "scatter": 0.1}}}}
        self.assertEqual(self.ask("POST", "/api/v1/studies/check", study, expect=200)[2]["rows"], 4)
        path = f"/api/v1/studies/{self.ask('POST', '/api/v1/studies', study, expect=201)[2]['id']}"
        self.ask("GET", f"{path}/calibration", expect=200)
        self.ended_study(path.rsplit("/", 1)[1])
        found = self.ask("GET", f"{path}/calibration?level=0.8", expect=200)[2]
        self.assertEqual((found["points"]["known"], found["ended"], found["estimate"]["level"]), (4, True, 0.8))
        targets = self.ask("GET", f"{path}/overlay", expect=200)[2]["targets"]
        self.assertEqual([(t["kind"], t["band"]) for t in targets], [("curve", None), ("number", None)])
        for kind in ("calibration", "overlay"):
            self.ask("GET", f"{path}/{kind}?level=2", expect=400)
            self.ask("GET", f"/api/v1/studies/999999/{kind}", expect=404)
        self.ask("POST", f"{path}/rows", [{"mu": 0.3}], expect=422)

    def test_refused_studies(self):
        """what is no study, no row or no parameter is refused as documented"""
        elsewhere = {"Origin": "http://elsewhere.example"}
        for path in ("/api/v1/studies", "/api/v1/studies/check"):
            self.ask("POST", path, {"scree_study": 2}, expect=422)
            self.ask("POST", path, b"{", JSON, expect=400)
            self.ask("POST", path, b"{}", {"Content-Type": "text/plain"}, expect=415)
            self.ask("POST", path, {}, elsewhere, expect=403)
        self.ask("GET", "/api/v1/studies?limit=0", expect=400)
        self.ask("GET", "/api/v1/studies/1/rows?limit=0", expect=400)
        study = {"scree_study": 1, "name": "a", "scene": "gallery:sliding-block",
                 "factors": {"mu": {"pointer": "/contact/friction_coefficient", "values": [0.3]}}}
        number = self.ask("POST", "/api/v1/studies", study, expect=201)[2]["id"]
        self.ask("GET", f"/api/v1/studies/{number}/rows", headers={"Accept": "image/png"}, expect=406)
        self.ask("POST", f"/api/v1/studies/{number}/rows", [{"nu": 1}], expect=422)
        self.ask("POST", f"/api/v1/studies/{number}/rows", b"[", JSON, expect=400)
        self.ask("POST", f"/api/v1/studies/{number}/rows", b"[]", {"Content-Type": "text/plain"}, expect=415)
        self.ask("DELETE", f"/api/v1/studies/{number}?runs=some", expect=400)
        for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/document"), ("GET", "/rows"), ("POST", "/rows"), ("POST", "/stop"), ("POST", "/resume"), ("POST", "/retry")):
            body = [{"mu": 1}] if (method, path) == ("POST", "/rows") else None
            self.ask(method, f"/api/v1/studies/999999{path}", body, expect=404)
            if method != "GET":
                self.ask(method, f"/api/v1/studies/{number}{path}", body, elsewhere, expect=403)
        self.ended_study(number)
