"""Shapes reach every viewer behind the topology and before anything else, also where a recording has only begun."""
import time
import unittest
from pathlib import Path

import scree
import ws
from lab import PATIENCE, Lab
from ws import END, FRAME, GEOMETRY, SCENE, TOPOLOGY, Stream, is_record

KINDS = Path(__file__).resolve().parent.parent / "data" / "kinds.scree"
HEAD = [SCENE, TOPOLOGY, GEOMETRY, GEOMETRY, GEOMETRY]


def records(data):
    """The records of a file, whole as they lie there."""
    found, at = [], 8
    while at < len(data):
        size = 32 + (ws.RECORD.unpack_from(data, at)[0] + 7) // 8 * 8
        found.append(data[at:at + size])
        at += size
    return found


class GeometryTest(unittest.TestCase):
    def setUp(self):
        self.lab = Lab().start()
        self.addCleanup(self.lab.close)

    def follow(self, job, start):
        """All records a viewer gets until the end, as they are in the file."""
        stream = Stream(self.lab.port, timeout=60 * PATIENCE)
        self.addCleanup(stream.close)
        stream.send(type="subscribe", stream=3, job=job, **{"from": start}, window=8, max_fps=60)
        found = []
        while not found or found[-1].type != END:
            message = stream.message()
            if is_record(message):
                found.append(message)
                if message.type == FRAME:
                    stream.send(type="ack", stream=3, seq=message.seq)
        return found

    def put(self, job, data):
        """Lays bytes where a job's recording is; nobody has it open."""
        folder = self.lab.data / "jobs" / str(job)
        (folder / "recording.index").unlink(missing_ok=True)
        (folder / "recording.scree").write_bytes(data)

    def test_replay(self):
        """Whoever comes to a recording with shapes gets them once, byte for byte, wherever he begins; the Python client draws with them"""
        job = self.lab.submit(self.lab.small_scene(steps=20, frames=2))["id"]
        self.lab.wait(job)
        self.put(job, KINDS.read_bytes())
        there = records(KINDS.read_bytes())
        for start in (0, 4, 7, "live"):
            found = self.follow(job, start)
            self.assertEqual([r.type for r in found[:5]], HEAD, start)
            self.assertEqual([r.seq for r in found[:5]], [1, 2, 3, 4, 5])
            self.assertNotIn(GEOMETRY, [r.type for r in found[5:]])
            self.assertEqual(found[-2].type, FRAME)
            for record in found:
                self.assertEqual(ws.as_in_file(record), there[record.seq - 1])
        frames = scree.Lab(f"http://127.0.0.1:{self.lab.port}").job(job).frames()
        self.assertEqual([len(frame.instances["stones"]) for frame in frames], [2, 3, 4])
        self.assertEqual(len(frames[2].instances["stones"].vertices(3)), 8)

    def let_go(self, job):
        """Waits until the feed has let go of the file, so that the next one is looked at afresh."""
        end = time.monotonic() + 60 * PATIENCE
        while any(name.endswith(f"/jobs/{job}/recording.scree") for name in self.lab.open_files()):
            self.assertLess(time.monotonic(), end, "the recording is still open")
            time.sleep(0.02)

    def test_beginning(self):
        """Of a recording that ends anywhere in its head a viewer gets what is there, in order, and the first frame comes after the last shape"""
        job = self.lab.submit(self.lab.small_scene(steps=20, frames=2))["id"]
        self.lab.wait(job)
        whole, sizes = KINDS.read_bytes(), [len(r) for r in records(KINDS.read_bytes())]
        for parts in range(1, 7):
            at = 8 + sum(sizes[:parts])
            self.put(job, whole[:at])
            stream = Stream(self.lab.port, timeout=60 * PATIENCE)
            stream.send(type="subscribe", stream=1, job=job, **{"from": 0})
            found = []
            while len(found) < parts:
                message = stream.message()
                if is_record(message):
                    found.append(message)
            self.assertEqual([r.type for r in found], (HEAD + [FRAME])[:parts])
            stream.close()
            self.let_go(job)


if __name__ == "__main__":
    unittest.main()
