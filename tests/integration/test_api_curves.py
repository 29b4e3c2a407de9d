"""Curves and broken bonds are made while they are sent: bounded memory, whoever reads; parts of them, and fewer points without losing a peak."""
import contextlib
import json
import time
import unittest

import raw
from lab import PATIENCE, Lab


class Curves(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab("--no-auth", environment={"ASAN_OPTIONS": "quarantine_size_mb=1"}).start()  # memory is measured: a sanitized build must give back what is freed
        scene = Lab.small_scene(steps=6000, frames=10)
        scene["output"]["sample_interval"] = scene["time"]["time_step"]
        cls.job = cls.lab.submit(scene)["id"]
        cls.lab.wait(cls.job)
        cls.path = f"/api/v1/jobs/{cls.job}/curves"
        cls.all = cls.lab.json("GET", cls.path, expect=200)
        cls.names = [s["name"] for s in cls.all["series"]]

    @classmethod
    def tearDownClass(cls):
        cls.lab.close()

    def get(self, query, accept="application/json"):
        status, headers, body = self.lab.request("GET", self.path + query, headers={"Accept": accept})
        self.assertEqual(status, 200, body[:500])
        return headers, body

    def column(self, name):
        k = self.names.index(name)
        return [row[k] for row in self.all["samples"]]

    def test_series_and_times(self):
        """series=, from= and to= give those columns and samples, the time first, as JSON and as CSV"""
        force, times = self.names[3], self.column("time")
        low, high = times[400], times[900]
        _, body = self.get(f"?series={force}&from={low!r}&to={high!r}")
        part = json.loads(body)
        self.assertEqual([s["name"] for s in part["series"]], ["time", force])
        self.assertEqual(part["samples"], [list(row) for row in zip(times[400:901], self.column(force)[400:901])])
        self.assertNotIn("decimated", part)
        _, csv = self.get(f"?series={force}&from={low!r}&to={high!r}", "text/csv")
        lines = csv.decode().split("\r\n")
        self.assertEqual([[float(v) for v in line.split(",")] for line in lines[1:-1]], part["samples"])
        self.assertTrue(lines[0].startswith(f"time [s],{force} ["))
        for query in ("?series=nothing", "?from=x", "?to=nan", "?max_points=1", "?max_points=x"):
            status, _, body = self.lab.request("GET", self.path + query)
            self.assertEqual(status, 400, query)
            self.assertEqual(json.loads(body)["errors"][0]["pointer"], query[1:].split("=")[0])

    def test_fewer_points_keep_every_extreme(self):
        """max_points leaves at most so many rows, each one of the recorded, in order, with every curve's extremes, the first and the last; and says so"""
        rows = [tuple(row) for row in self.all["samples"]]
        known = set(rows)
        for points in (2 * len(self.names), 200, len(rows) - 1):
            headers, body = self.get(f"?max_points={points}")
            few = json.loads(body)
            got = [tuple(row) for row in few["samples"]]
            self.assertLessEqual(len(got), max(points, 2 * len(self.names)))
            self.assertGreater(len(got), points // 20)
            self.assertEqual(few["decimated"]["samples"], len(rows))
            self.assertIn(f"{len(rows)} samples", headers["scree-decimated"])
            self.assertLessEqual(set(got), known)
            self.assertEqual([row[0] for row in got], sorted(row[0] for row in got))
            self.assertEqual((got[0], got[-1]), (rows[0], rows[-1]))
            for k, name in enumerate(self.names):
                for extreme in (min, max):
                    self.assertEqual(extreme(row[k] for row in got), extreme(row[k] for row in rows), name)
        headers, body = self.get(f"?max_points={len(rows)}")
        self.assertEqual(json.loads(body), self.all)
        self.assertNotIn("scree-decimated", headers)

    def memory(self):
        with open(f"/proc/{self.lab.process.pid}/status", encoding="ascii") as f:
            return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmRSS"))

    def test_clients_that_do_not_read(self):
        """eight clients that ask for all curves and broken bonds and read nothing cost at most 1 MB each, however long the answer (2.8 MB here); others are answered"""
        size = len(self.get("")[1])
        self.assertGreater(size, 2e6)
        before = self.memory()
        with contextlib.ExitStack() as stack:
            for k in range(8):
                s = stack.enter_context(raw.connect(self.lab.port))
                what = "tables/breaks" if k % 3 == 0 else "curves"
                s.sendall(f"GET /api/v1/jobs/{self.job}/{what} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            time.sleep(1.0)
            grown = self.memory() - before
            print(f"# {grown / 1e6:.1f} MB for 8 clients; an answer has {size / 1e6:.1f} MB", flush=True)
            self.assertLess(grown, 8e6 * PATIENCE)
            begun = time.monotonic()
            self.assertEqual(self.lab.json("GET", self.path, expect=200), self.all)
            self.assertLess(time.monotonic() - begun, 60 * PATIENCE)


if __name__ == "__main__":
    unittest.main()
