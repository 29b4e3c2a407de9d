"""Scenes so large that checking them takes seconds hold up neither those who look at their jobs nor the end of screed."""
import json
import threading
import time
import unittest

from lab import PATIENCE, ROOT, SANITIZED, Lab

CHECKS = 6


def heavy_scene():
    """the gallery's plate from half a million small spheres (fewer where programs are sanitized)"""
    scene = json.loads((ROOT / "api/gallery/plate-drop.json").read_text())
    scene["specimens"][0]["spacing"] /= 3 if SANITIZED else 6
    return scene


class Heavy(unittest.TestCase):
    def begin_checks(self, lab):
        """Sends CHECKS heavy checks at once. Returns their threads and the list that receives their answers' statuses."""
        statuses = []
        body = json.dumps(heavy_scene()).encode()

        def check():
            statuses.append(lab.request("POST", "/api/v1/scenes/check", body, {"Content-Type": "application/json"}, timeout=300)[0])

        threads = [threading.Thread(target=check) for _ in range(CHECKS)]
        for t in threads:
            t.start()
        time.sleep(0.2 * PATIENCE)  # until they are all received
        return threads, statuses

    def test_looking_goes_on(self):
        """jobs and readiness are answered while most of six heavy checks still wait"""
        with Lab() as lab:
            threads, statuses = self.begin_checks(lab)
            for path in ("/api/v1/jobs", "/readyz"):
                self.assertEqual(lab.request("GET", path)[0], 200)
            self.assertLess(len(statuses), CHECKS // 2)
            for t in threads:
                t.join()
            self.assertEqual(statuses, [200] * CHECKS)

    def test_end_does_not_wait(self):
        """checks that wait when screed is told to end are answered with 503; only those under way are finished"""
        with Lab() as lab:
            threads, statuses = self.begin_checks(lab)
            self.assertEqual(lab.stop(), 0)
            for t in threads:
                t.join()
            self.assertEqual(len(statuses), CHECKS)
            self.assertLessEqual(set(statuses), {200, 503})
            self.assertGreaterEqual(statuses.count(503), CHECKS - 3)


if __name__ == "__main__":
    unittest.main()
