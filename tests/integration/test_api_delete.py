"""Jobs that are deleted while others look at them."""
import collections
import threading
import time
import unittest

from lab import Lab

PATHS = ("", "/curves", "/frames", "/recording", "/integrity", "/scene", "/log", "/events", "/attempts", "/files", "/tables",
         "/frames/1/surface?format=stl", "/records/3")
READ_IN_TWO_STEPS = ("/scene", "/log", "/files", "/recording")  # a row of the store, then a file: a deletion may come between


class Delete(unittest.TestCase):
    def look_while_deleting(self, lab, count, paths, pause):
        """Six lookers at `count` jobs, each deleted `pause` seconds after they turned to it. Returns the statuses met, by path."""
        ids = [lab.submit(Lab.small_scene(steps=20, frames=3))["id"] for _ in range(count)]
        while any(lab.json("GET", f"/api/v1/jobs/{i}")["state"] not in ("succeeded", "failed") for i in ids):
            time.sleep(0.1)
        statuses, looked_at, over = collections.Counter(), [ids[0]], threading.Event()

        def look(first):
            turn = first
            while not over.is_set():
                path = paths[turn % len(paths)]
                statuses[lab.request("GET", f"/api/v1/jobs/{looked_at[0]}{path}")[0], path] += 1
                turn += 1

        lookers = [threading.Thread(target=look, args=(2 * k,)) for k in range(6)]
        for looker in lookers:
            looker.start()
        for i in ids:
            looked_at[0] = i
            time.sleep(pause)
            self.assertEqual(lab.request("DELETE", f"/api/v1/jobs/{i}")[0], 204)
        over.set()
        for looker in lookers:
            looker.join()
        return statuses

    def test_looking_meets_no_failure(self):
        """whoever looks at a job while it is deleted is told that it is there or that it is not, never that the laboratory failed"""
        with Lab() as lab:
            statuses = self.look_while_deleting(lab, 25, PATHS, 0.05)
            self.assertEqual([key for key in statuses if key[0] >= 500 and not (key[0] == 503 and "surface" in key[1])], [])
            for path in READ_IN_TWO_STEPS:
                statuses = self.look_while_deleting(lab, 12, (path,), 0.01)
                self.assertEqual([key for key in statuses if key[0] not in (200, 404)], [], path)


if __name__ == "__main__":
    unittest.main()
