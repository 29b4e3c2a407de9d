"""Studies: a block slides to rest over a floor, for which Coulomb's law gives how far and how long. Rows of milliseconds, so that hundreds of them run
in a test; the daemon is killed while they do."""
import csv
import importlib.util
import io
import json
import os
import re
import sys
import tempfile
import time
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from command import scree
from lab import PATIENCE, ROOT, Lab, LabError

GRAVITY = 9.81


def block(duration=1.0, step=0.001):
    scene = json.loads((ROOT / "api/gallery/sliding-block.json").read_text(encoding="utf-8"))
    scene["time"] = {"duration": duration, "time_step": step}
    scene["output"] = {"frame_interval": duration, "sample_interval": max(step, duration / 100), "plots": scene["output"]["plots"]}
    return scene


def study(**changes):
    """Two speeds by three frictions; distance, time to rest, and a result that can't be."""
    return {
        "scree_study": 1, "name": "blocks", "scene": block(),
        "factors": {
            "mu": {"pointer": "/contact/friction_coefficient", "values": [0.3, 0.4, 0.5]},
            "speed": {"pointer": "/specimens/0/velocity/0", "values": [1, 2], "unit": "m/s"},
        },
        "results": {"distance": {"expression": "final(first.x)", "unit": "m"}, "rests": "first(first.velocity_x < 1e-6)",
                    "ratio": f"final(first.x) / (speed^2 / (2 * mu * {GRAVITY}))", "never": "first(first.x > 99)"},
    } | changes


def many(count):
    """`count` rows of a block that slides for a few steps, each with a speed of its own."""
    return {"scree_study": 1, "name": "many", "scene": block(0.004),
            "factors": {"speed": {"pointer": "/specimens/0/velocity/0", "range": {"from": 1, "to": 3, "steps": count}}},
            "results": {"x": "final(first.x)"}}


def wait(lab, number, states=("finished",), timeout=300):
    end = time.monotonic() + timeout * PATIENCE
    while True:
        found = lab.json("GET", f"/api/v1/studies/{number}", expect=200)
        if found["state"] in states:
            return found
        if time.monotonic() > end:
            raise LabError(f"study {number} is {found} after {timeout} s; log: {lab.errors()}")
        time.sleep(0.1)


def rows(lab, number, **query):
    """All rows of a study, page by page."""
    found, where = [], {"limit": 100} | query
    while where:
        page = lab.json("GET", f"/api/v1/studies/{number}/rows?" + "&".join(f"{k}={v}" for k, v in where.items()), expect=200)
        found += page["rows"]
        where = page["next"] and {"limit": 100} | page["next"]
    return found


def job_count(lab):
    return sum(lab.json("GET", "/api/v1/jobs?limit=1", expect=200)["totals"].values())


class StudiesTest(unittest.TestCase):
    def test_a_grid_gives_what_coulomb_says(self):
        """the rows of a grid slide as far as v^2 / (2 mu g) says, and what can't be computed says why"""
        with Lab("--slots", 2, "--threads", 1) as lab:
            plan = lab.json("POST", "/api/v1/studies/check", study(), expect=200)
            self.assertEqual((plan["rows"], plan["checked"], plan["refused"]), (6, 6, 0))
            self.assertGreater(plan["record_bytes"], 6 * 1000)
            made = lab.json("POST", "/api/v1/studies", study(), expect=201)
            self.assertEqual(wait(lab, made["id"])["rows"] | {"total": 6, "succeeded": 6}, lab.json("GET", f"/api/v1/studies/{made['id']}")["rows"])
            table = rows(lab, made["id"])
            self.assertEqual([(r["factors"]["mu"], r["factors"]["speed"]) for r in table], [(m, v) for m in (0.3, 0.4, 0.5) for v in (1, 2)])
            for row in table:
                self.assertAlmostEqual(row["results"]["ratio"], 1, delta=0.01)
                self.assertAlmostEqual(row["results"]["rests"], row["factors"]["speed"] / (row["factors"]["mu"] * GRAVITY), delta=0.015)
                self.assertIsNone(row["results"]["never"])
                self.assertIn("never holds", row["reasons"]["never"])
            status, headers, body = lab.request("GET", f"/api/v1/studies/{made['id']}/rows", headers={"Accept": "text/csv"})
            lines = list(csv.DictReader(io.StringIO(body.decode())))
            self.assertEqual([line["mu"] for line in lines], ["0.3", "0.3", "0.4", "0.4", "0.5", "0.5"])  # not 0.29999999999999999
            self.assertEqual([float(line["distance [m]"]) for line in lines], [row["results"]["distance"] for row in table])
            strength = lab.json("GET", f"/api/v1/studies/{made['id']}/strength?result=distance&by=speed", expect=200)["groups"]
            bands = lab.json("GET", f"/api/v1/studies/{made['id']}/bands?x=time&y=1000*first.x&by=speed&points=11&level=0.5", expect=200)["groups"]
            for group, band, speed in zip(strength, bands, (1, 2)):
                of = sorted(row["results"]["distance"] for row in table if row["factors"]["speed"] == speed)
                self.assertEqual((group["label"], group["rows"], group["weibull"]["broken"]), (str(speed), 3, 3))
                self.assertAlmostEqual(group["mean"], sum(of) / 3, places=12)
                self.assertAlmostEqual(group["median"], of[1], places=12)
                self.assertLess(group["weibull"]["scale_low"], group["weibull"]["scale"])
                self.assertEqual((band["label"], band["reached"], len(band["curves"])), (str(speed), [3] * 11, 3))
                self.assertAlmostEqual(band["median"][-1], 1000 * of[1], places=6)
                self.assertAlmostEqual(band["high"][-1], 1000 * (of[1] + of[2]) / 2, places=6)  # the quantile 0.75 of three lies midway
            job = lab.job(table[0]["job"])
            self.assertEqual((job["tags"]["study"], job["name"]), (str(made["id"]), "blocks-1"))

    def test_effects_of_factors(self):
        """effects of a grid are shares of the variance of v^2 / (2 mu g), computed here by hand; seeds and what does not vary are no factors"""
        with Lab("--slots", 2, "--threads", 1) as lab:
            document = study(factors=study()["factors"] | {"same": {"pointer": "/title", "values": ["a"]},
                                                            "seed": {"pointer": "/specimens/0/velocity/1", "seeds": 2}},
                             results={"energy": "speed^2 / mu + 0 * seed", "flat": "1"})
            made = lab.json("POST", "/api/v1/studies", document, expect=201)
            wait(lab, made["id"])
            found = lab.json("GET", f"/api/v1/studies/{made['id']}/effects?result=energy", expect=200)
            y = {(mu, speed): speed**2 / mu for mu in (0.3, 0.4, 0.5) for speed in (1, 2)}
            mean = sum(y.values()) / 6
            total = sum((value - mean) ** 2 for value in y.values())
            of_mu = {mu: (y[mu, 1] + y[mu, 2]) / 2 for mu in (0.3, 0.4, 0.5)}
            of_speed = {speed: sum(y[mu, speed] for mu in of_mu) / 3 for speed in (1, 2)}
            shares = {"mu": sum(2 * (m - mean) ** 2 for m in of_mu.values()) / total, "speed": sum(3 * (m - mean) ** 2 for m in of_speed.values()) / total}
            self.assertEqual((found["method"], found["rows"], found["predicted"]), ("grid", 12, None))
            self.assertEqual([f["name"] for f in found["factors"]], ["mu", "speed"])
            for factor in found["factors"]:
                self.assertAlmostEqual(factor["share"], shares[factor["name"]], places=12)
            self.assertAlmostEqual(found["pairs"][0]["share"], 1 - sum(shares.values()), places=12)
            self.assertAlmostEqual(found["mean"], mean, places=12)
            self.assertEqual([(l["value"], l["rows"]) for l in found["factors"][1]["levels"]], [(1, 6), (2, 6)])
            self.assertAlmostEqual(found["factors"][1]["levels"][1]["mean"], of_speed[2], places=12)
            self.assertLess(found["factors"][0]["correlation"], 0)
            self.assertIn("does not vary", lab.json("GET", f"/api/v1/studies/{made['id']}/effects?result=flat", expect=400)["detail"])

    def test_runs_are_taken_over(self):
        """a row that was run before with the same scene and build is taken over, with results of its own"""
        with Lab("--slots", 2, "--threads", 1) as lab:
            first = lab.json("POST", "/api/v1/studies", study(), expect=201)
            wait(lab, first["id"])
            second = lab.json("POST", "/api/v1/studies", study(results={"half": "final(first.x) / 2"}), expect=201)
            wait(lab, second["id"])
            self.assertEqual(job_count(lab), 6)
            for a, b in zip(rows(lab, first["id"]), rows(lab, second["id"])):
                self.assertEqual((a["job"], a["taken_over"], b["taken_over"], b["results"]["half"]), (b["job"], False, True, a["results"]["distance"] / 2))

    def test_rows_are_added_refused_and_retried(self):
        """added rows run; one whose scene can't be is refused with the reason, and again after a retry"""
        with Lab("--slots", 2, "--threads", 1) as lab:
            made = lab.json("POST", "/api/v1/studies", study(), expect=201)
            wait(lab, made["id"])
            path = f"/api/v1/studies/{made['id']}"
            refused = lab.json("POST", f"{path}/rows", [{"mu": 1, "nu": 2}], expect=422)
            self.assertEqual({e["pointer"] for e in refused["errors"]}, {"/0/nu", "/0/speed"})
            lab.json("POST", f"{path}/rows", [{"mu": 0.6, "speed": 1}, {"mu": -1, "speed": 1}], expect=202)
            self.assertEqual(wait(lab, made["id"])["rows"]["refused"], 1)
            lab.json("POST", f"{path}/retry", expect=202)
            self.assertEqual(wait(lab, made["id"])["rows"]["refused"], 1)
            table = rows(lab, made["id"])
            self.assertEqual((table[6]["state"], table[7]["state"]), ("succeeded", "refused"))
            self.assertIn("friction_coefficient", table[7]["reason"])
            self.assertIsNone(table[7]["job"])

    def test_changes_come_by_version(self):
        """asking for what changed after a version gives each change once, and nothing when nothing changed"""
        with Lab("--slots", 2, "--threads", 1) as lab:
            made = lab.json("POST", "/api/v1/studies", many(20), expect=201)
            known, version = {}, 1
            end = time.monotonic() + 120 * PATIENCE
            while time.monotonic() < end:
                state = lab.json("GET", f"/api/v1/studies/{made['id']}")
                for row in rows(lab, made["id"], changed=version, limit=7):
                    known[row["number"]] = row
                    version = max(version, row["version"])
                if state["state"] == "finished":
                    break
            self.assertEqual(len(known), 20)
            self.assertEqual({r["state"] for r in known.values()}, {"succeeded"})
            self.assertEqual(rows(lab, made["id"], changed=version), [])

    def test_stopping_and_resuming(self):
        """a stopped study starts no row and pauses its jobs; a resumed one ends with every row"""
        with Lab("--slots", 1, "--threads", 1) as lab:
            document = study(scene=block(6.0, 0.0005), factors={"mu": {"pointer": "/contact/friction_coefficient", "values": [0.3, 0.35, 0.4]}},
                             results={"x": "final(first.x)"}, limits={"at_once": 1})
            made = lab.json("POST", "/api/v1/studies", document, expect=201)
            path = f"/api/v1/studies/{made['id']}"
            self.assertEqual(lab.request("DELETE", path)[0], 409)
            end = time.monotonic() + 60 * PATIENCE
            while not rows(lab, made["id"])[0]["job"] and time.monotonic() < end:
                time.sleep(0.02)
            lab.json("POST", f"{path}/stop", expect=202)
            job = lab.wait_until(rows(lab, made["id"])[0]["job"], lambda j: j["state"] in ("paused", "succeeded"))
            while job["state"] == "succeeded" and lab.json("GET", path)["rows"]["succeeded"] == 0 and time.monotonic() < end:
                time.sleep(0.02)  # it was quicker than the stop: its results are read now
            before = lab.json("GET", path)["rows"]
            time.sleep(0.5)
            self.assertEqual(lab.json("GET", path)["rows"], before)
            self.assertEqual(before["waiting"], 2)
            self.assertEqual(lab.json("GET", path)["state"], "stopped", job)
            lab.json("POST", f"{path}/resume", expect=202)
            self.assertEqual(wait(lab, made["id"])["rows"]["succeeded"], 3)

    def test_deletion_keeps_or_takes_the_runs(self):
        """a deleted study leaves its jobs, or takes those it made along, also those that still run"""
        with Lab("--slots", 2, "--threads", 1) as lab:
            kept = lab.json("POST", "/api/v1/studies", study(), expect=201)["id"]
            wait(lab, kept)
            lab.json("DELETE", f"/api/v1/studies/{kept}", expect=202)
            self.gone(lab, kept)
            self.assertEqual(job_count(lab), 6)
            taken = lab.json("POST", "/api/v1/studies", study(name="long", scene=block(200.0, 0.0002)), expect=201)["id"]
            end = time.monotonic() + 60 * PATIENCE
            while lab.json("GET", f"/api/v1/studies/{taken}")["rows"]["running"] < 2 and time.monotonic() < end:
                time.sleep(0.02)
            lab.json("POST", f"/api/v1/studies/{taken}/stop", expect=202)
            lab.json("DELETE", f"/api/v1/studies/{taken}?runs=delete", expect=202)
            self.gone(lab, taken)
            self.assertEqual(job_count(lab), 6)

    def gone(self, lab, number):
        end = time.monotonic() + 60 * PATIENCE
        while lab.request("GET", f"/api/v1/studies/{number}")[0] != 404:
            self.assertLess(time.monotonic(), end, "the study is still there")
            time.sleep(0.05)

    def test_limits_hold(self):
        """a row over the limit of time is refused, a study over its limit of disk stops and says so"""
        with Lab("--slots", 2, "--threads", 1) as lab:
            slow = lab.json("POST", "/api/v1/studies", study(limits={"run_seconds": 1e-9}), expect=201)["id"]
            self.assertEqual(wait(lab, slow)["rows"]["refused"], 6)
            self.assertIn("run_seconds", rows(lab, slow)[0]["reason"])
            one = lab.json("POST", "/api/v1/studies/check", study(), expect=200)["record_bytes"] / 6
            full = lab.json("POST", "/api/v1/studies", study(limits={"disk_bytes": 2.5 * one}), expect=201)["id"]
            stopped = wait(lab, full, ("stopped",))
            self.assertIn("disk_bytes", stopped["reason"])
            lab.wait_until(2, lambda job: job["state"] == "succeeded")
            self.assertEqual(job_count(lab), 2)

    def test_every_row_runs_once_though_the_daemon_is_killed(self):
        """of 60 rows each has one job and its result, though the daemon is killed four times meanwhile; of 150, eight times, as a slow test"""
        count, kills = (150, 8) if os.environ.get("SCREE_SLOW") else (60, 4)
        lab = Lab("--slots", 4, "--threads", 1).start()
        try:
            number = lab.json("POST", "/api/v1/studies", many(count), expect=201)["id"]
            for kill in range(kills):
                end = time.monotonic() + 60 * PATIENCE
                while lab.json("GET", f"/api/v1/studies/{number}")["rows"]["succeeded"] < count * (kill + 1) // (kills + 2):
                    self.assertLess(time.monotonic(), end, lab.errors())
                    time.sleep(0.01)
                lab.kill()
                lab.start()
            wait(lab, number)
            table = rows(lab, number)
            self.assertEqual([row["number"] for row in table], list(range(1, count + 1)))
            self.assertEqual(Counter(row["state"] for row in table), {"succeeded": count})
            self.assertEqual(len({row["job"] for row in table}), count)
            self.assertEqual(job_count(lab), count)
            for row in table:
                speed = row["factors"]["speed"]
                self.assertAlmostEqual(row["results"]["x"], 0.004 * speed, delta=0.004 * 0.03)
        finally:
            lab.close()

    def test_a_flood_of_studies_is_borne(self):
        """forty studies at once from eight clients are all taken in and finished; the same key gives the same study"""
        with Lab("--slots", 4, "--threads", 1) as lab:
            def submit(k):
                document = study(name=f"flood-{k // 2}", factors={"mu": {"pointer": "/contact/friction_coefficient", "values": [0.3, 0.4]}}, results={})
                status, _, body = lab.request("POST", "/api/v1/studies", document, {"Idempotency-Key": f"key-{k // 2}"})
                while status == 503:
                    time.sleep(0.2)
                    status, _, body = lab.request("POST", "/api/v1/studies", document, {"Idempotency-Key": f"key-{k // 2}"})
                return status, json.loads(body)["id"]

            with ThreadPoolExecutor(8) as pool:
                answers = list(pool.map(submit, range(40)))
            self.assertEqual({status for status, _ in answers}, {200, 201})
            self.assertEqual(len({number for _, number in answers}), 20)
            for number in {number for _, number in answers}:
                self.assertEqual(wait(lab, number)["rows"]["succeeded"], 2)

    def test_damaged_input_is_refused(self):
        """what is no study is refused with every reason and a pointer to each, and changes nothing"""
        with Lab() as lab:
            bad = study(factors={"mu": {"pointer": "/contact/friction_coefficient", "values": []}}, results={"a": "max(", "b": "1 +"}, design={"kind": "magic"})
            answer = lab.json("POST", "/api/v1/studies", bad, expect=422)
            self.assertEqual(answer["type"], "/problems/study-refused")
            self.assertEqual({e["pointer"] for e in answer["errors"]}, {"/factors/mu/values", "/results/a", "/results/b", "/design/kind"})
            nowhere = study(factors={"mu": {"pointer": "/contacts/mu", "values": [1]}})
            self.assertIn("/contacts/mu", lab.json("POST", "/api/v1/studies/check", nowhere, expect=422)["errors"][0]["pointer"])
            wrong = study(factors={"mu": {"pointer": "/contact/friction_coefficient", "values": [-1, -2]}})
            self.assertIn("/rows/1/contact/friction_coefficient", lab.json("POST", "/api/v1/studies", wrong, expect=422)["errors"][0]["pointer"])
            some = study(factors={"mu": {"pointer": "/contact/friction_coefficient", "values": [0.3, -2]}}, results={})
            self.assertEqual(lab.json("POST", "/api/v1/studies/check", some, expect=200)["refusals"][0]["pointer"], "/rows/2/contact/friction_coefficient")
            misspelt = study(results={"a": "max(first.xx) + mu + pi", "b": "final(first.y)", "c": "first.xx * nothing"})
            errors = lab.json("POST", "/api/v1/studies", misspelt, expect=422)["errors"]
            self.assertEqual([(e["pointer"], e["given"]) for e in errors], [("/results/a", '"first.xx"'), ("/results/c", '"nothing"')])
            self.assertIn('did you mean "first.x"?', errors[0]["detail"])
            for body in (b"", b"[", b"null", b'{"scree_study":1}', b"[" * 100000, b'{"a":' * 3000):
                self.assertIn(lab.request("POST", "/api/v1/studies", body, {"Content-Type": "application/json"})[0], (400, 413, 422))
            self.assertEqual(lab.json("GET", "/api/v1/studies", expect=200), {"studies": [], "next_before": None})

    def test_the_gallery_can_run(self):
        """every study of the gallery passes its check: no row is refused, and all of it takes minutes and less than 300 MB"""
        with Lab("--slots", 2, "--threads", 1) as lab:
            studies = lab.json("GET", "/api/v1/gallery/studies", expect=200)["studies"]
            self.assertEqual({entry["name"] for entry in studies}, {path.stem for path in (ROOT / "api/studies").glob("*.json")})
            self.assertGreaterEqual(len(studies), 5)
            for entry in studies:
                plan = lab.json("POST", "/api/v1/studies/check", entry["study"], expect=200)
                self.assertEqual((plan["refused"], plan["refusals"]), (0, []), entry["name"])
                self.assertGreater(plan["rows"], 5, entry["name"])
                self.assertLess(plan["run_seconds"], 600, entry["name"])
                self.assertLess(plan["record_bytes"], 300e6, entry["name"])
                self.assertTrue(entry["title"] and entry["description"], entry["name"])

    def test_the_guide_runs_from_the_shell_and_python(self):
        """the guide's example runs by its own commands, and the Python client's README by its own lines: both slide as far as Coulomb says"""
        text = (ROOT / "api/docs/study.md").read_text(encoding="utf-8")
        example = re.search(r"## An example.*?\n((?:    [^\n]*\n)+)", text, re.S)[1]
        sys.path.insert(0, str(ROOT / "api/clients/python"))
        import scree as client  # pylint: disable=import-outside-toplevel
        with Lab("--slots", 2, "--threads", 1) as lab, tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "blocks.json"
            path.write_text(example, encoding="utf-8")
            server = ("--server", lab.url)
            checked = scree("study", "check", path, *server, "--json")
            self.assertEqual((checked.code, checked.json()["rows"]), (0, 6), checked)
            ended = scree("study", "submit", path, "--wait", *server)
            self.assertEqual(ended.code, 0, ended)
            self.assertIn("6 of 6", ended.out)
            table = scree("study", "table", "1", *server)
            rows_by_shell = list(csv.DictReader(io.StringIO(table.out)))
            self.assertEqual([float(row["mu"]) for row in rows_by_shell], [0.3, 0.3, 0.4, 0.4, 0.5, 0.5])
            self.assertTrue(all(abs(float(row["ratio"]) - 1) < 0.01 for row in rows_by_shell))
            self.assertEqual(len(scree("study", "table", "1", "--json", *server).json()["rows"]), 6)
            self.assertEqual(scree("study", "status", "9", *server).code, 2)
            self.assertEqual(scree("study", "explode", *server).code, 2)
            self.assertEqual(scree("study", "stop", "1", *server).code, 2)
            readme = re.search(r"```python\n(study = .*?)```", (ROOT / "api/clients/python/README.md").read_text(encoding="utf-8"), re.S)[1]
            space = {"lab": client.Lab(lab.url), "print": lambda *_: None}
            exec(compile(readme, "README.md", "exec"), space)  # pylint: disable=exec-used
            found = space["study"].table("dicts")
            self.assertEqual([row["distance"] for row in found], [float(row["distance [m]"]) for row in rows_by_shell])
            self.assertEqual([s.id for s in space["lab"].studies()], [2, 1])
            for kind in ("csv", "json"):
                space["study"].save(str(Path(folder) / f"table.{kind}"))
            self.assertEqual([row["distance"] for row in json.loads((Path(folder) / "table.json").read_text())], [row["distance"] for row in found])
            self.assertEqual(len((Path(folder) / "table.csv").read_text().splitlines()), 1 + len(found))
            with self.assertRaises(ValueError):
                space["study"].save("table.txt")
            if importlib.util.find_spec("pandas") is None:
                self.assertRaises(client.ScreeError, space["study"].save, str(Path(folder) / "table.parquet"))
            with self.assertRaises(client.SceneRefused) as refused:
                space["lab"].study("gallery:sliding-block", vary={"/contact/friction_coefficient": []}, results={"x": "final("})
            self.assertEqual({p["pointer"] for p in refused.exception.problems}, {"/factors/friction_coefficient/values", "/results/x"})
            self.assertEqual(scree("study", "delete", "1", "--runs", *server).code, 0)


if __name__ == "__main__":
    unittest.main()
