"""A recording that is not all there is never presented as whole: answers, exit codes and job say what is missing and where."""
import json
import struct
import time
import unittest

from command import scree
from lab import PATIENCE, Lab

RESULTS = ("recording", "frames", "curves", "tables")


class Damage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab().start()
        cls.job = cls.lab.submit(cls.lab.small_scene())["id"]
        cls.lab.wait(cls.job)
        cls.file = cls.lab.data / "jobs" / str(cls.job) / "recording.scree"
        cls.index = cls.file.with_suffix(".index")
        cls.whole, cls.index_bytes = cls.file.read_bytes(), cls.index.read_bytes()
        cls.starts, at = [], 8
        while at < len(cls.whole):
            cls.starts.append(at)
            at += 32 + (struct.unpack_from("<I", cls.whole, at)[0] + 7) // 8 * 8
        cls.curves = cls.get(cls, "curves")[2]

    @classmethod
    def tearDownClass(cls):
        cls.lab.close()

    def put(self, data, index=True):
        """Makes the recording hold other bytes; the server forgets what it has open, as after a restart"""
        self.lab.stop()
        self.file.write_bytes(data)
        self.index.write_bytes(self.index_bytes if index else b"")
        self.lab.start()

    def get(self, what, query=""):
        return self.lab.request("GET", f"/api/v1/jobs/{self.job}/{what}{query}")

    def assert_damage(self, number, behind):
        """every answer from the recording is 500 `damaged` and names the record; with damaged=accept what lies before is given, and says so"""
        for what in RESULTS[:1] if number is None else RESULTS:
            status, _, body = self.get(what)
            self.assertEqual(status, 500, what)
            problem = json.loads(body)
            self.assertEqual(problem["type"], "/problems/damaged")
            self.assertRegex(problem["detail"], rf"record {number} of {len(self.starts)} is damaged|ends after record {number - 1} of")
            status, headers, body = self.get(what, "?damaged=accept")
            self.assertEqual(status, 200, what)
            self.assertIn(str(len(self.starts)), headers["scree-damage"])
            if what == "recording":
                self.assertEqual(body, self.whole[:self.starts[number - 1]])
        found = json.loads(self.get("integrity")[2])
        self.assertEqual((found["integrity"], found["records"], found["expected"], found["damaged"], found["offset"], found["behind"]),
                         ("damaged", number - 1, len(self.starts), number, self.starts[number - 1], behind))
        verified = scree("verify", self.job, "--json", server=self.lab.url)
        self.assertEqual((verified.code, verified.json()), (7, found))

    def test_flipped_bits(self):
        """one flipped bit, anywhere: in a header, in a payload, with and without the index"""
        try:
            last = len(self.starts)
            for number, place, index in ((1, 40, True), (2, 0, False), (last // 3, 9, False), (last // 2, 33, False), (last - 1, 17, True), (last, 45, False)):
                data = bytearray(self.whole)
                data[self.starts[number - 1] + place] ^= 4
                self.put(data, index)
                if index:  # only its content is damaged for all that the index tells: found by whoever reads that record, or all of it
                    self.assertEqual(self.get("recording")[0], 500)
                    self.assertEqual(self.get(f"records/{number}")[0], 500)
                    self.assertEqual(json.loads(self.get("integrity")[2])["damaged"], number)
                else:
                    self.assert_damage(number, last - number)
        finally:
            self.put(self.whole)

    def test_cut_off(self):
        """a file cut off in the middle, at a record's border, empty, and of five bytes"""
        try:
            half = len(self.starts) // 2
            for size, number in ((self.starts[half] + 13, half + 1), (self.starts[half], half + 1)):
                self.put(self.whole[:size])
                self.assert_damage(number, 0)
            for size in (0, 5):
                self.put(self.whole[:size])
                for what in RESULTS:
                    status, _, body = self.get(what)
                    self.assertEqual((status, json.loads(body)["type"]), (500, "/problems/damaged"), what)
            self.put(self.whole)
            self.file.unlink()
            for what in RESULTS:
                self.assertEqual(self.get(what)[0], 500, what)
        finally:
            self.put(self.whole)
        self.assertEqual(self.get("recording")[2], self.whole)
        self.assertEqual(self.get("curves")[2], self.curves)

    def test_files(self):
        """scree verify and export end with 7 for a damaged, cut, empty or five-byte file, and 0 for a whole one"""
        folder = self.lab.data.parent
        path = folder / "copy.scree"
        flipped = bytearray(self.whole)
        flipped[self.starts[9] + 40] ^= 1
        for data, said in ((self.whole, ""), (bytes(flipped), "record 10 of"), (self.whole[:self.starts[20] + 3], "20 whole records and no end"),
                           (b"", "no record"), (b"SCREE", "no record")):
            path.write_bytes(data)
            for command in (("verify", path), ("export", path, "--csv")):
                result = scree(*command)
                self.assertEqual(result.code, 7 if said else 0, result)
                self.assertIn(said, result.err)
        whole = scree("verify", self.file.parent)
        self.assertEqual(whole.code, 0)
        self.assertRegex(whole.out, rf"^{len(self.starts)} records, complete\ndigest [0-9a-f]{{64}}\n$")
        self.assertEqual(scree("verify", self.job, server=self.lab.url).out, whole.out)


class Background(unittest.TestCase):
    """A daemon reads finished recordings over by itself, here every few seconds instead of days."""

    def job_when(self, lab, job, marked, seconds=60):
        until = time.monotonic() + seconds * PATIENCE
        while True:
            found = json.loads(lab.request("GET", f"/api/v1/jobs/{job}")[2])
            if (found["damage"] is not None) == marked:
                return found
            self.assertLess(time.monotonic(), until, "the mark neither came nor went")
            time.sleep(0.1)

    def test_a_flipped_bit_is_found_told_and_forgiven(self):
        """a bit of a finished recording turns: the job is marked, with the count of sound records, an event, a line of the log, and in the command line; the file put back takes the mark away"""
        with Lab("--verify-days", 2 / 86400) as lab:
            other, job = [lab.submit(lab.small_scene())["id"] for _ in range(2)]
            lab.wait(other)
            lab.wait(job)
            self.assertIsNone(lab.job(job)["damage"])
            file = lab.data / "jobs" / str(job) / "recording.scree"
            whole = file.read_bytes()
            bad = bytearray(whole)
            bad[len(whole) // 2] ^= 16
            file.write_bytes(bad)
            damage = self.job_when(lab, job, True)["damage"]
            self.assertRegex(damage["message"], r"^record \d+ of \d+ is damaged")
            self.assertLess(damage["sound"], damage["expected"])
            events = json.loads(lab.request("GET", f"/api/v1/jobs/{job}/events")[2])["events"]
            self.assertEqual([e["text"] for e in events if e["type"] == "recording_damaged"], [damage["message"]])
            until = time.monotonic() + 60 * PATIENCE
            while "recording_damaged" not in lab.errors() and time.monotonic() < until:
                time.sleep(0.05)  # the log is written by a thread of its own
            shown = scree("jobs", job, server=lab.url)
            self.assertIn("succeeded, damaged since", shown.out)
            self.assertIn(damage["message"], shown.out)
            self.assertIn("damaged since", scree("jobs", server=lab.url).out)
            time.sleep(3)  # read over again meanwhile: found once, told once
            again = json.loads(lab.request("GET", f"/api/v1/jobs/{job}")[2])["damage"]
            self.assertEqual(again, damage)
            self.assertEqual(lab.errors().count("recording_damaged"), 1)
            self.assertIsNone(lab.job(other)["damage"])
            file.write_bytes(whole)
            self.job_when(lab, job, False)
            events = json.loads(lab.request("GET", f"/api/v1/jobs/{job}/events")[2])["events"]
            self.assertEqual([e["type"] for e in events if e["type"].startswith("recording_")], ["recording_damaged", "recording_sound"])

    def test_a_recording_that_is_gone_or_another(self):
        """a recording that is not there any more, and one that another job's was put in place of, whole in itself"""
        with Lab("--verify-days", 2 / 86400) as lab:
            other, job = [lab.submit(lab.small_scene(steps=steps))["id"] for steps in (300, 200)]
            lab.wait(other)
            lab.wait(job)
            file = lab.data / "jobs" / str(job) / "recording.scree"
            file.write_bytes((lab.data / "jobs" / str(other) / "recording.scree").read_bytes())
            self.assertIn("the file was replaced", self.job_when(lab, job, True)["damage"]["message"])
            file.unlink()
            self.job_when(lab, other, False)
            until = time.monotonic() + 60 * PATIENCE
            while "replaced" in lab.job(job)["damage"]["message"] and time.monotonic() < until:
                time.sleep(0.1)
            self.assertIn("is missing", self.job_when(lab, job, True)["damage"]["message"])

    def test_it_can_be_turned_off(self):
        """with --verify-days 0 nothing is read"""
        with Lab("--verify-days", 0) as lab:
            job = lab.submit(lab.small_scene())["id"]
            lab.wait(job)
            file = lab.data / "jobs" / str(job) / "recording.scree"
            file.write_bytes(file.read_bytes()[:100])
            time.sleep(3)
            self.assertIsNone(lab.job(job)["damage"])


if __name__ == "__main__":
    unittest.main()
