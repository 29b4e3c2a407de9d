"""The image of the gallery's triaxial tests: eight grains as a CT scan of them would be segmented, seeded, so that it can be made again.

    python3 tests/data/ct_grains.py > image.txt      # NRRD, gzip, in base64: the key `text` of an image

Each grain is a star about the middle of a cell of 18 voxels: an ellipsoid of random axes and turn, a radius of 6 voxels by volume, with random waves on it. A voxel has the grain's
label where its middle is within the surface, give or take a third of a voxel at random, as noise of a scan would have it."""
import base64
import gzip
import math
import random
import sys

CELL, RADIUS, ACROSS, SEED = 18, 6.0, 2, 2026
NOISE = 0.33  # voxels


def unit(draw):
    z, a = draw.uniform(-1, 1), draw.uniform(0, 2 * math.pi)
    s = math.sqrt(1 - z * z)
    return (s * math.cos(a), s * math.sin(a), z)


def frame(draw):
    """Three directions at right angles, turned at random."""
    x, y = unit(draw), unit(draw)
    d = sum(a * b for a, b in zip(x, y))
    y = [b - d * a for a, b in zip(x, y)]
    n = math.sqrt(sum(b * b for b in y))
    y = [b / n for b in y]
    z = (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])
    return x, y, z


class Grain:
    def __init__(self, draw):
        elongation, flatness = draw.uniform(0.7, 0.95), draw.uniform(0.7, 0.95)
        half = [1, elongation, elongation * flatness]
        scale = RADIUS / (half[0] * half[1] * half[2]) ** (1 / 3)
        self.half = [h * scale for h in half]
        self.axes = frame(draw)
        # waves cos(k n.e + p): k of 3 to 6 round the grain, weaker the shorter they are
        self.waves = [(0.16 / k, k, unit(draw), draw.uniform(0, 2 * math.pi)) for k in (3, 3, 4, 4, 5, 5, 6, 6)]

    def radius(self, n):
        along = [sum(a * b for a, b in zip(n, axis)) for axis in self.axes]
        r = 1 / math.sqrt(sum((a / h) ** 2 for a, h in zip(along, self.half)))
        return r * (1 + sum(w * math.cos(k * sum(a * b for a, b in zip(n, e)) + p) for w, k, e, p in self.waves))


def label(draw, grains, i, j, k):
    cell = [v // CELL for v in (i, j, k)]
    at = [v % CELL - (CELL - 1) / 2 for v in (i, j, k)]
    r = math.sqrt(sum(a * a for a in at))
    number = (cell[2] * ACROSS + cell[1]) * ACROSS + cell[0]
    return 1 + number if r < grains[number].radius([a / r for a in at]) + draw.uniform(-NOISE, NOISE) else 0


def image():
    draw = random.Random(SEED)
    grains = [Grain(draw) for _ in range(ACROSS ** 3)]
    edge = CELL * ACROSS
    voxels = bytes(label(draw, grains, i, j, k) for k in range(edge) for j in range(edge) for i in range(edge))
    head = f"NRRD0004\ntype: uchar\ndimension: 3\nsizes: {edge} {edge} {edge}\nencoding: gzip\n\n"
    return head.encode() + gzip.compress(voxels, 9, mtime=0)


if __name__ == "__main__":
    sys.stdout.write(base64.b64encode(image()).decode())
