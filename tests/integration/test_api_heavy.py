"""Scenes so large that checking them takes seconds hold up neither those who look at their jobs nor the end of screed."""
import json
import select
import time
import unittest

import raw
from lab import PATIENCE, ROOT, SANITIZED, Lab


def heavy_scene():
    """the gallery's plate from half a million small spheres (fewer where programs are sanitized)"""
    scene = json.loads((ROOT / "api/gallery/plate-drop.json").read_text())
    scene["specimens"][0]["spacing"] /= 3 if SANITIZED else 6
    return scene


class Heavy(unittest.TestCase):
    def begin_checks(self, lab, count):
        """Sends heavy checks at once and waits until screed has read them all. Returns their connections."""
        body = json.dumps(heavy_scene()).encode()
        head = (f"POST /api/v1/scenes/check HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {lab.token}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode()
        connections = []
        for _ in range(count):
            connections.append(raw.connect(lab.port, timeout=300 * PATIENCE))
            self.addCleanup(connections[-1].close)
            connections[-1].sendall(head + body)
        end = time.monotonic() + 60 * PATIENCE
        while lab.connections_read() < count:
            self.assertLess(time.monotonic(), end, "the checks never reached screed")
            time.sleep(0.01)
        return connections

    @staticmethod
    def answered(connections):
        return len(select.select(connections, [], [], 0)[0])

    @staticmethod
    def statuses(connections):
        return [int(raw.read_answer(s).split(b" ", 2)[1]) for s in connections]

    def test_looking_goes_on(self):
        """jobs and readiness are answered while heavy checks still wait"""
        with Lab() as lab:
            checks = self.begin_checks(lab, 6)
            for path in ("/api/v1/jobs", "/readyz"):
                self.assertEqual(lab.request("GET", path)[0], 200)
            self.assertLess(self.answered(checks), 6)
            self.assertEqual(self.statuses(checks), [200] * 6)

    def test_end_does_not_wait(self):
        """checks that wait when screed is told to end are answered with 503; only those under way are finished"""
        with Lab() as lab:
            checks = self.begin_checks(lab, 12)
            done = self.answered(checks)
            self.assertEqual(lab.stop(), 0)
            statuses = self.statuses(checks)
            self.assertLessEqual(set(statuses), {200, 503})
            self.assertGreaterEqual(statuses.count(503), 12 - done - 6)  # three are under way at a time; as many may end until the signal comes


if __name__ == "__main__":
    unittest.main()
