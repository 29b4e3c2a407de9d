"""Downloading recordings: ranges, validators, and a recording that grows while it is read."""
import time
import unittest

import ws
from lab import ENDED, Lab


def whole_records(data):
    """Whether bytes are the magic and whole records, nothing else."""
    at = 8
    while at < len(data):
        if at + 32 > len(data):
            return False
        at += 32 + (ws.RECORD.unpack_from(data, at)[0] + 7) // 8 * 8
    return at == len(data) and data[:5] == b"SCREE"


class Recording(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab().start()
        cls.job = cls.lab.submit(cls.lab.small_scene())["id"]
        cls.lab.wait(cls.job)
        cls.path = f"/api/v1/jobs/{cls.job}/recording"
        _, cls.headers, cls.whole = cls.lab.request("GET", cls.path)
        cls.size = len(cls.whole)

    @classmethod
    def tearDownClass(cls):
        cls.lab.close()

    def get(self, **headers):
        return self.lab.request("GET", self.path, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def test_whole(self):
        """the whole recording is whole records and says how to continue it"""
        self.assertTrue(whole_records(self.whole))
        self.assertEqual(self.headers["accept-ranges"], "bytes")
        self.assertEqual(int(self.headers["content-length"]), self.size)
        self.assertRegex(self.headers["etag"], rf'^"{self.job}-[0-9a-f]{{8}}-[0-9]+"$')
        self.assertIn(f"job-{self.job}.scree", self.headers["content-disposition"])

    def test_ranges(self):
        """a range gives exactly its bytes, cut at the end of the file"""
        n = self.size
        for text, first, last in (("0-7", 0, 7), ("8-", 8, n - 1), ("-10", n - 10, n - 1), (f"{n - 1}-", n - 1, n - 1),
                                  (f"5-{n + 1000}", 5, n - 1), (f"-{n + 5}", 0, n - 1), ("100-100", 100, 100)):
            status, headers, body = self.get(Range=f"bytes={text}")
            self.assertEqual((status, headers["content-range"]), (206, f"bytes {first}-{last}/{n}"), text)
            self.assertEqual(body, self.whole[first:last + 1], text)
            self.assertEqual(headers["etag"], self.headers["etag"])

    def test_no_ranges(self):
        """what is not one range of bytes is answered with everything"""
        for text in ("bytes=0-1,3-4", "bytes=9-3", "bytes=x", "lines=0-1", "bytes=", ""):
            status, _, body = self.get(Range=text)
            self.assertEqual((status, body), (200, self.whole), text)

    def test_behind_the_end(self):
        """a range behind the end is 416 and says how long the recording is"""
        for text in (f"{self.size}-", "99999999999999999999999-", "-0"):
            status, headers, _ = self.get(Range=f"bytes={text}")
            self.assertEqual((status, headers["content-range"]), (416, f"bytes */{self.size}"), text)

    def test_if_range(self):
        """If-Range lets a part through for the same tag only"""
        tag = self.headers["etag"]
        self.assertEqual(self.get(Range="bytes=0-7", If_Range=tag)[0], 206)
        for other in ('"1-8"', "W/" + tag, "Sat, 21 Nov 2026 02:56:01 GMT"):
            status, _, body = self.get(Range="bytes=0-7", If_Range=other)
            self.assertEqual((status, len(body)), (200, self.size), other)

    def test_if_none_match(self):
        """a client that has it is told so"""
        tag = self.headers["etag"]
        for text in (tag, "*", f'"a", W/{tag}'):
            status, headers, body = self.get(If_None_Match=text)
            self.assertEqual((status, headers["etag"], body), (304, tag, b""), text)
        self.assertEqual(self.get(If_None_Match='"other"')[0], 200)
        self.assertEqual(self.get(If_None_Match=tag, Range="bytes=0-7")[0], 304)

    def test_records_may_be_kept(self):
        """a record never changes, so it may be cached for good; what can still grow may not be cached"""
        self.assertIn("immutable", self.lab.request("GET", f"/api/v1/jobs/{self.job}/records/1")[1]["cache-control"])
        self.assertEqual(self.lab.request("GET", f"/api/v1/jobs/{self.job}/frames")[1]["cache-control"], "no-store")

    def test_resume_of_a_live_download(self):
        """a download begun while the run goes on is continued by Range and If-Range, under one tag as long as the recording grows, and after its end"""
        job = self.lab.submit(Lab.long_scene())["id"]
        self.lab.wait_until(job, lambda j: j["progress"] and j["progress"]["last_seq"] > 5)
        path = f"/api/v1/jobs/{job}/recording"
        status, first, got = self.lab.request("GET", path)
        tag = first["etag"]
        self.assertEqual((status, first["cache-control"]), (200, "no-store"))
        self.assertEqual(self.lab.request("GET", path, headers={"If-None-Match": tag})[0], 200, "it may have grown")
        parts = 0
        while True:
            ended = self.lab.job(job)["state"] in ENDED
            status, headers, body = self.lab.request("GET", path, headers={"Range": f"bytes={len(got)}-", "If-Range": tag})
            if status == 206:
                got += body
                parts += 1
                if parts == 3:
                    self.lab.json("POST", f"/api/v1/jobs/{job}/cancel", b"", expect=202)
                self.assertEqual(headers["etag"] == tag, not ended and headers["etag"].endswith('-live"'))
            else:
                self.assertEqual(status, 416)
            if ended:
                break
            time.sleep(0.05)
        self.assertGreater(parts, 1)
        self.assertEqual(got, self.lab.request("GET", path)[2])
        foreign = tag.replace(f'"{job}-', '"1-')
        self.assertEqual(self.lab.request("GET", path, headers={"Range": "bytes=8-", "If-Range": foreign})[0], 200)

    def test_growing(self):
        """a running job's recording always ends with a whole record, only grows, and can be continued by ranges"""
        job = self.lab.submit(Lab.long_scene())["id"]
        self.lab.wait_until(job, lambda j: j["progress"] and j["progress"]["last_seq"] > 5)
        path, got, grew = f"/api/v1/jobs/{job}/recording", b"", 0
        while True:
            state = self.lab.job(job)["state"]
            status, headers, body = self.lab.request("GET", path, headers={"Range": f"bytes={len(got)}-"})
            if status == 206:
                self.assertTrue(headers["content-range"].startswith(f"bytes {len(got)}-"))
                got += body
                grew += 1
                if grew == 3:
                    self.lab.json("POST", f"/api/v1/jobs/{job}/cancel", b"", expect=202)
                self.assertTrue(whole_records(got))
            else:
                self.assertEqual((status, headers["content-range"]), (416, f"bytes */{len(got)}"))
            if state in ENDED:
                break
            time.sleep(0.02)
        self.assertGreater(grew, 1)
        self.assertEqual(got, self.lab.request("GET", path)[2])


if __name__ == "__main__":
    unittest.main()
