"""A data directory from before migration 0002: it opens, and its jobs are listed, found, played, continued and deleted as ever."""
import json
import sqlite3
import struct
import time
import unittest

from command import scree
from lab import ROOT, Lab

OLD = ("INSERT INTO job (id, name, title, method, priority, state, run_after, created, started, ended, attempt, max_attempts, token, node_count, bond_count, "
       "memory_bytes, time_step, time_step_rule, total_steps, frame_count, record_bytes, step, step_count, last_seq) "
       "VALUES (?, 'small', 'A small test', 'peridem', 0, ?, 0, ?, ?, ?, ?, 3, ?, 1, 1, 1e6, 2e-8, 'given', 300, 20, 1e6, ?, 300, ?)")


class OldStoreTest(unittest.TestCase):
    def age(self, lab, done):
        """Puts in the place of the store one that a program before migration 0002 could have left: a job that succeeded, with its files as they
        are; one queued; one running under a daemon that died; one cancelled."""
        path = lab.data / "scree.db"
        for file in lab.data.glob("scree.db*"):
            file.unlink()
        with sqlite3.connect(path) as db:
            db.executescript((ROOT / "migrations" / "0001_jobs.sql").read_text(encoding="utf-8"))
            db.execute("PRAGMA journal_mode = WAL")
            now = int(time.time() * 1000)
            db.execute(OLD, (1, "succeeded", now, now, now, 1, 0, 300, done["progress"]["last_seq"]))
            db.execute("UPDATE job SET peak_force = 41.5, broken_bonds = 7 WHERE id = 1")
            db.execute(OLD, (2, "queued", now, 0, 0, 0, 0, 0, 0))
            db.execute(OLD, (3, "running", now, now, 0, 1, 1, 0, 0))
            db.execute(OLD, (4, "cancelled", now, 0, now, 0, 0, 0, 0))
            db.execute("INSERT INTO attempt (token, job, number, started) VALUES (1, 3, 1, ?)", (now,))
            for number in range(1, 5):
                db.execute("INSERT INTO submission (job, key, scene) VALUES (?, ?, ?)", (number, "old key" if number == 1 else None, self.sent))
            db.execute(f"PRAGMA application_id = {0x53435245}")
            db.execute("PRAGMA user_version = 1")
        db.close()
        for number in (2, 3, 4):
            folder = lab.data / "jobs" / str(number)
            folder.mkdir()
            (folder / "scene.json").write_bytes((lab.data / "jobs" / "1" / "scene.json").read_bytes())

    def test_old_store(self):
        """A store from before opens: its jobs are listed, searched, played, continued and deleted, and its keys are known"""
        scene = Lab.small_scene()
        self.sent = json.dumps(scene)
        with Lab("--slots", 1) as lab:
            done = lab.wait(lab.submit(scene)["id"])
            recording = lab.request("GET", "/api/v1/jobs/1/recording")[2]
            lab.stop()
            self.age(lab, done)
            lab.start()
            page = lab.json("GET", "/api/v1/jobs", expect=200)
            self.assertEqual([job["id"] for job in page["jobs"]], [4, 3, 2, 1])
            old = page["jobs"][3]
            self.assertEqual((old["state"], old["doubts"], old["tags"], old["notes"], old["waiting"]), ("succeeded", [], {}, "", None))
            self.assertEqual([(h["label"], h["unit"], h["value"]) for h in old["progress"]["headlines"]], [("Peak force", "N", 41.5), ("Broken bonds", "1", 7)])
            self.assertEqual([(c["name"], c["label"], c["value"]) for c in old["estimate"]["counts"]], [("nodes", "Nodes", 1), ("bonds", "Bonds", 1)])
            self.assertIsNone(old["run"])  # what its scene says was not kept in the store
            self.assertIsNone(page["jobs"][2]["progress"] and page["jobs"][2]["progress"]["stage"])
            self.assertEqual(lab.request("GET", "/api/v1/jobs/1/recording")[2], recording)
            self.assertTrue(lab.json("GET", "/api/v1/jobs/1/frames", expect=200)["frames"])
            self.assertTrue(lab.json("GET", "/api/v1/jobs/1/curves", expect=200)["samples"])
            for number in (2, 3):
                self.assertEqual(lab.wait(number)["state"], "succeeded")
                self.assertEqual(lab.request("GET", f"/api/v1/jobs/{number}/recording")[2], recording)
            self.assertEqual(lab.json("GET", "/api/v1/jobs/4/scene", expect=200)["name"], "small")
            found = lab.json("GET", "/api/v1/jobs?q=small&state=succeeded&sort=ended", expect=200)
            self.assertEqual({job["id"] for job in found["jobs"]}, {1, 2, 3})
            self.assertEqual(found["totals"], {"queued": 0, "running": 0, "paused": 0, "ended": 4})
            headers = {"Idempotency-Key": "old key", "Content-Type": "application/json"}
            status, _, body = lab.request("POST", "/api/v1/jobs", self.sent.encode(), headers)
            self.assertEqual((status, json.loads(body)["id"]), (200, 1))
            self.assertEqual(lab.request("DELETE", "/api/v1/jobs/1")[0], 204)
            self.assertEqual(lab.request("POST", "/api/v1/jobs", self.sent.encode(), headers)[0], 410)
            self.assertEqual(lab.submit(scene)["id"], 5)

    def test_old_scenes(self):
        """The effective scenes of recordings from before scenes' blocks were methods' own are read, and written without what has retired"""
        for name in ("peridem", "bdem"):
            with self.subTest(name):
                data = (ROOT / "tests" / "data" / "old" / f"{name}.scree").read_bytes()
                size, kind = struct.unpack_from("<IH", data, 8)
                self.assertEqual(kind, 1)
                scene = json.loads(data[40:40 + size])["scene"]
                self.assertEqual("optimizer" in scene["options"], name == "bdem")
                checked = scree("check", "-", "--json", stdin=json.dumps(scene))
                self.assertEqual(checked.code, 0, checked)
                self.assertNotIn("optimizer", checked.json()["scene"]["options"])


if __name__ == "__main__":
    unittest.main()
