"""`scree render` and `scree film`: pictures and films of a job by the page's own code, in Chromium where it is installed, bounded in time and memory."""
import os
import shutil
import stat
import struct
import tempfile
import unittest
import zlib
from pathlib import Path

from command import scree
from lab import Lab

CHROMIUM = os.environ.get("SCREE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


def read_png(path):
    """Width, height and pixels [y][x] (red, green, blue, alpha) of a PNG of 8 bits per channel with alpha."""
    data, at, packed = Path(path).read_bytes(), 8, b""
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert (depth, kind) == (8, 6), (depth, kind)
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + size] if name == b"IDAT" else b""
        at += 12 + size
    raw, rows, above = zlib.decompress(packed), [], bytes(4 * width)
    for y in range(height):
        begin = y * (4 * width + 1)
        row, how = bytearray(raw[begin + 1:begin + 1 + 4 * width]), raw[begin]
        for i, value in enumerate(row):
            left, up, corner = (row[i - 4] if i >= 4 else 0), above[i], (above[i - 4] if i >= 4 else 0)
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda v, g=guess: abs(g - v))
            row[i] = (value + (0, left, up, (left + up) // 2, nearest)[how]) & 255
        rows.append([tuple(row[4 * x:4 * x + 4]) for x in range(width)])
        above = row
    return width, height, rows


def browsers_of(folder):
    """Processes that run with a profile in the folder."""
    found = []
    for one in Path("/proc").iterdir():
        if one.name.isdigit():
            try:
                command = (one / "cmdline").read_bytes()
            except OSError:
                continue
            if str(folder).encode() in command:
                found.append(command)
    return found


class DrawTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab().start()
        cls.addClassCleanup(cls.lab.close)
        cls.job = cls.lab.submit(cls.lab.small_scene())["id"]
        cls.lab.wait(cls.job)
        cls.server = f"http://127.0.0.1:{cls.lab.port}"

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="scree-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def draw(self, *arguments, chromium=None):
        """Runs it with a temporary folder of its own; afterwards nothing of a browser may be left."""
        given = chromium or os.environ.get("SCREE_CHROMIUM")
        prefix = ["env", f"TMPDIR={self.folder}", f"SCREE_TOKEN={self.lab.token}", *([f"SCREE_CHROMIUM={given}"] if given else [])]
        result = scree(*arguments, server=self.server, prefix=prefix)
        self.assertEqual(list(self.folder.glob("scree-draw-*")), [])
        self.assertEqual(browsers_of(self.folder), [])
        return result

    def fake(self, lines):
        path = self.folder / "browser"
        path.write_text(f"#!/bin/sh\n{lines}\n", encoding="ascii")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    @unittest.skipUnless(CHROMIUM, "Chromium is not installed")
    def test_picture(self):
        """render draws a frame in the size asked for, on white or on nothing, from a side, with the colours of a field and its bar"""
        white = self.folder / "white.png"
        result = self.draw("render", self.job, "--frame", 10, "--size", "320x240", "-c", "speed", "-o", white, "--json")
        self.assertEqual(result.code, 0, result)
        told = result.json()
        frames = self.lab.json("GET", f"/api/v1/jobs/{self.job}/frames", expect=200)["frames"]
        self.assertEqual([told[key] for key in ("file", "width", "height", "frames", "bytes")], [str(white), 320, 240, 1, white.stat().st_size])
        self.assertAlmostEqual(told["time"], frames[10]["time"], delta=1e-9)
        width, height, rows = read_png(white)
        self.assertEqual((width, height, rows[0][0]), (320, 240, (255, 255, 255, 255)))
        dark = [(x, y) for y in range(60) for x in range(200, 320) if max(rows[y][x][:3]) < 60]
        self.assertGreater(len(dark), 10, "letters of the key")
        self.assertGreater(len({rows[y][x] for y in range(60) for x in range(200, 320)}), 60, "colours of its bar")
        clear = self.folder / "clear.png"
        result = self.draw("render", self.job, "--size", "320x240", "--transparent", "--view", "-y", "--parallel", "-c", "none", "-o", clear)
        self.assertEqual(result.code, 0, result)
        _, _, other = read_png(clear)
        self.assertEqual(other[0][0], (0, 0, 0, 0))
        body = [(x, y) for y in range(240) for x in range(320) if other[y][x][3] == 255 and max(other[y][x][:3]) - min(other[y][x][:3]) > 8]
        self.assertGreater(len(body), 500)
        columns, turned = [x for x, _ in body], [319 - x for x, _ in body]
        self.assertAlmostEqual(sum(columns) / len(body), sum(turned) / len(body), delta=4, msg="from the front the grain is symmetric")

    @unittest.skipUnless(CHROMIUM, "Chromium is not installed")
    def test_parts(self):
        """render shows half of a body where a box is asked for, nothing of what is hidden by name, fixed colours whatever the values are, and arrows of velocities"""
        pictures = []
        for k, words in enumerate(([], ["--clip", "x=0.5:1"], ["--hide", "grain"], ["--range", "1e9:2e9"], ["--shade"], ["--arrows", "velocity"])):
            path = self.folder / f"{k}.png"
            result = self.draw("render", self.job, "--frame", 10, "--size", "200x160", "--view", "-y", "-c", "speed", *words, "-o", path)
            self.assertEqual(result.code, 0, result)
            pictures.append(read_png(path)[2])
        inner = [[(x, y) for y in range(60, 140) for x in range(200) if max(rows[y][x][:3]) - min(rows[y][x][:3]) > 8] for rows in pictures]
        rig = set(inner[2])
        self.assertLess(len(rig), 0.1 * len(inner[0]), "of a picture without the grain the box's outlines are left")
        inner = [[place for place in places if place not in rig] for places in inner]
        self.assertGreater(len(inner[0]), 300)
        self.assertAlmostEqual(len(inner[1]) / len(inner[0]), 0.5, delta=0.12)
        self.assertGreater(sum(x for x, _ in inner[1]) / len(inner[1]), 5 + sum(x for x, _ in inner[0]) / len(inner[0]), "the right half")
        colours = [{rows[y][x][:3] for x, y in inner[0]} for rows in pictures]
        self.assertLess(len(colours[3]), len(colours[0]), "below the range all have the colour of its lower end")
        light = [sum(sum(rows[y][x][:3]) for x, y in inner[0]) for rows in pictures]
        self.assertLess(light[4], 0.97 * light[0], "corners are darker")
        self.assertGreater(sum(rows != other for rows, other in zip(pictures[5], pictures[0])), 5, "arrows over the body")
        result = self.draw("render", self.job, "--arrows", "wind", "-o", self.folder / "a.png")
        self.assertRegex(result.err, 'no vectors are called "wind". There are: velocity')
        result = self.draw("render", self.job, "--hide", "gravel", "-o", self.folder / "a.png")
        self.assertEqual(result.code, 2, result)
        self.assertRegex(result.err, 'nothing is called "gravel". There are: .*grain')

    @unittest.skipUnless(CHROMIUM, "Chromium is not installed")
    def test_film(self):
        """film draws all frames into a WebM file whose length is theirs at the rate asked for"""
        path = self.folder / "run.webm"
        result = self.draw("film", self.job, "--size", "160x120", "--rate", 10, "-o", path, "--json")
        self.assertEqual(result.code, 0, result)
        frames = self.lab.json("GET", f"/api/v1/jobs/{self.job}/frames", expect=200)["frames"]
        self.assertEqual(result.json()["frames"], len(frames))
        film = path.read_bytes()
        self.assertEqual(film[:4], bytes.fromhex("1a45dfa3"))
        length = struct.unpack(">d", film[film.index(bytes.fromhex("4489")) + 10:][:8])[0]
        self.assertAlmostEqual(length, 1000 * len(frames) / 10, delta=1)

    @unittest.skipUnless(CHROMIUM, "Chromium is not installed")
    def test_unknown(self):
        """render names the fields where one is unknown, the frames where one is not there, and leaves no file"""
        path = self.folder / "a.png"
        for words, said in ((["-c", "colour of money"], r'no field is called "colour of money"\. There are: damage, .*none'), (["--frame", 5000], "has no frame 5000: they are numbered 0 to")):
            result = self.draw("render", self.job, *words, "-o", path)
            self.assertEqual(result.code, 2, result)
            self.assertRegex(result.err, said)
        self.assertFalse(path.exists())

    def test_no_job(self):
        """render of a job that is not there ends with 2 before any browser is started"""
        mark = self.folder / "started"
        result = self.draw("render", 4711, "-o", self.folder / "a.png", chromium=self.fake(f"touch {mark}"))
        self.assertEqual(result.code, 2, result)
        self.assertIn("4711", result.err)
        self.assertFalse(mark.exists())

    def test_no_browser(self):
        """without Chromium render and film end with 1 and say how to get it"""
        for command, name in (("render", "a.png"), ("film", "a.webm")):
            result = self.draw(command, self.job, "-o", self.folder / name, chromium="/nowhere/chromium")
            self.assertEqual(result.code, 1, result)
            self.assertRegex(result.err, "needs Chromium.*apt install chromium.*SCREE_CHROMIUM")

    def test_bounds(self):
        """a browser that hangs is killed with its children when its time is over, one that takes too much memory at once"""
        hangs = self.fake(f"sleep 1000 & exec sleep 1001 {self.folder}")
        result = self.draw("render", self.job, "-o", self.folder / "a.png", "--timeout", 1, chromium=hangs)
        self.assertEqual(result.code, 6, result)
        self.assertIn("longer than 1 s", result.err)
        eats = self.fake(f"exec /usr/bin/python3 -c 'import time; held = b\"x\" * 400000000; time.sleep(1000)' {self.folder}")
        result = self.draw("render", self.job, "-o", self.folder / "a.png", "--memory", 0.25, "--timeout", 100, chromium=eats)
        self.assertEqual(result.code, 1, result)
        self.assertIn("are allowed", result.err)

    def test_token(self):
        """the token is neither on the browser's command line nor in its environment"""
        seen = self.folder / "seen"
        self.draw("render", self.job, "-o", self.folder / "a.png", chromium=self.fake(f'printf "%s\\n" "$@" > {seen}; env >> {seen}'))
        text = seen.read_text(encoding="utf-8")
        self.assertIn("--remote-debugging-pipe", text)
        self.assertNotIn(self.lab.token, text)


if __name__ == "__main__":
    unittest.main()
