"""The Python client reads frames of every kind: tests/data/kinds.scree, whose numbers tests/support/kinds.h says."""
import math
import struct
import unittest
import unittest.mock
from pathlib import Path

import scree

DATA = Path(__file__).resolve().parent.parent / "data"
HEADER = struct.Struct("<IHHQdII")


class FakeLab:
    """A server that has one recording."""

    def __init__(self, path):
        data, at, self.records = path.read_bytes(), 8, {}
        while at < len(data):
            size, kind, _, seq, time, _, _ = HEADER.unpack_from(data, at)
            end = at + HEADER.size + size + -size % 8
            self.records[seq] = (kind, time, data[at:end])
            at = end

    def _json(self, method, path):
        frames = [{"seq": seq, "time": time, "bytes": len(data)} for seq, (kind, time, data) in self.records.items() if kind == 3]
        return {"frames": frames, "topology_seq": next(seq for seq, (kind, _, _) in self.records.items() if kind == 2)}

    def _read(self, method, path, headers=None):
        return self.records[int(path.rsplit("/", 1)[1])][2]


class FramesTest(unittest.TestCase):
    def frames(self, name="kinds.scree"):
        return scree.Job(FakeLab(DATA / name), {"id": 1}).frames()

    def near(self, values, meant, within=1e-6):
        values = [list(map(float, row)) if hasattr(row, "__len__") else float(row) for row in values]
        self.assertEqual(len(values), len(meant))
        for row, wanted in zip(values, meant):
            for a, b in zip(row if isinstance(row, list) else [row], wanted if hasattr(wanted, "__len__") else [wanted]):
                self.assertLessEqual(abs(a - b), within, (values, meant))

    def both(self, check):
        """With NumPy, if it is there, and without"""
        if scree.frames._numpy is not None:
            check()
        with unittest.mock.patch.object(scree.frames, "_numpy", None):
            check()

    def test_points(self):
        """Points that come and go have ids, radii and fields of as many as the frame has; a skin has a name of its own"""
        def check():
            for k, frame in enumerate(self.frames()):
                ids = [k + i for i in range(4 + k)]
                self.assertEqual([int(i) for i in frame.ids], ids)
                self.near(frame.radii, [0.01 * (1 + i % 3) for i in ids])
                self.near(frame.positions, [(i / 10, k / 100, 0) for i in ids], 1e-5)
                self.near(frame.field("speed"), [i + k for i in ids], 1e-4)
                self.assertEqual([int(c) for c in frame.field("clump")], [i // 2 for i in ids])
                self.assertEqual(len(frame.drawables["grains.skin"]["corners"]), 4)
                self.assertEqual(frame.units("stones")["stress"], "Pa")
        self.both(check)

    def test_instances(self):
        """Instances come with shape, turn, scale, amplitudes and id, and their vertices are posed and blended from the modes"""
        def check():
            stones = self.frames()[1].instances["stones"]
            self.assertEqual([shape.name for shape in stones.shapes], ["tetrahedron", "cube"])
            self.assertEqual(len(stones), 3)
            self.assertEqual([int(i) for i in stones.ids], [100, 101, 102])
            self.assertEqual([int(s) for s in stones.shape], [0, 1, 0])
            self.near(stones.scales, [1, 1.5, 2])
            self.near(stones.orientations, [(0, 0, i * math.pi / 2) for i in range(3)])
            self.near(stones.amplitudes, [(0.1, 0), (0.1, -0.05), (0.1, -0.1)])
            self.near(stones.fields["stress"], [0, 1000, 2000], 0.02)
            self.near(stones.vertices(0), [(0, 1, 1), (1.1, 1, 1), (0, 2, 1), (0, 1, 2)])
            self.near(stones.vertices(2), [(2, 1, 1), (2 - 2.2, 1, 1), (2, -1, 1), (2, 1, 1 + 1.6)])
            self.near(stones.vertices(1)[:2], [(1, 1, 1), (1, 2.5, 1)])
            self.assertEqual([int(c) for c in stones.shapes[0].triangles[0]], [0, 2, 1])
        self.both(check)

    def test_surfaces_and_threads(self):
        """A surface has its vertices, triangles and reference; threads are lists of polylines with radii and scalars, also when there are none"""
        def check():
            frames = self.frames()
            membrane = frames[2].surfaces["membrane"]
            self.near(membrane.positions, [(v % 3, v // 3, 0.2 * (v % 3) * (v // 3)) for v in range(9)], 1e-4)
            self.near(membrane.reference, [(v % 3, v // 3, 0) for v in range(9)])
            self.near(membrane.fields["pressure"], [2 * v for v in range(9)])
            self.assertEqual([int(c) for c in membrane.triangles[7]], [4, 8, 7])
            fibres = frames[0].threads["fibres"]
            self.assertEqual([len(line) for line in fibres.positions], [3, 2])
            self.near(fibres.positions[1], [(0.3, 0, 0), (0.4, 0, 0)], 1e-5)
            self.near(fibres.radii[1], [0.004, 0.005])
            self.near(fibres.fields["tension"][0], [0, 1, 2], 1e-4)
            self.assertEqual([len(frame.threads["fibres"]) for frame in frames], [2, 1, 0])
        self.both(check)

    def test_grids(self):
        """Grids have places, middles and values of the cells that are there, and of all cells where none are named"""
        def check():
            for k, frame in enumerate(self.frames()):
                cells, slab = frame.grids["cells"], frame.grids["slab"]
                numbers = [k + 2 * i for i in range(3 + k)]
                places = [(n % 3, n // 3 % 2, n // 6) for n in numbers]
                self.assertEqual([int(n) for n in cells.cells], numbers)
                self.assertEqual([tuple(int(c) for c in place) for place in cells.places], places)
                self.near(cells.centres, [(0.15 + 0.1 * x, 0.3 + 0.2 * y, -0.35 + 0.3 * z) for x, y, z in places])
                self.near(cells.fields["temperature"], [300 + n for n in numbers], 1e-4)
                self.near(cells.fields["velocity"], [(n, k, -n) for n in numbers])
                self.assertEqual((len(slab), slab.counts, slab.spacing), (12, (4, 1, 3), (0.25, 0, 0.125)))
                self.near(slab.centres[:2], [(0.625, 1, 0.0625), (0.875, 1, 0.0625)])
                self.near(slab.fields["level"], [n / 4 + k for n in range(12)])
                self.assertEqual([int(n) for n in slab.fields["owner"]], [n % 5 for n in range(12)])
                self.assertEqual(frame.units("cells")["temperature"], "K")
        self.both(check)

    def test_old_recordings(self):
        """Frames of a recording from before have their points, and the skin no longer stands in their place"""
        def check():
            for name, points in (("bdem", 120), ("peridem", 54)):
                for frame in self.frames(f"old/{name}.scree"):
                    self.assertEqual(len(frame.positions), points)
                    self.assertEqual(len(frame.field("fragment")), points)
                    self.assertEqual((frame.instances, frame.surfaces, frame.threads), ({}, {}, {}))
                    self.assertTrue(all(float(radius) > 0 for radius in frame.radii))
        self.both(check)


if __name__ == "__main__":
    unittest.main()
