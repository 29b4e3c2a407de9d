"""The Python client over a network that breaks: nothing is lost, nothing comes twice, and what can't be had is said."""
import json
import socket
import tempfile
import threading
import time
import unittest
import unittest.mock
from pathlib import Path

import scree
from lab import PATIENCE, Lab
from proxy import Proxy


class Network(unittest.TestCase):
    def setUp(self):
        self.lab = Lab().start()
        self.addCleanup(self.lab.close)
        folder = tempfile.TemporaryDirectory(prefix="scree-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def through(self, cut):
        """A client whose requests go through a proxy, and the proxy."""
        proxy = Proxy(self.lab.port, cut)
        self.addCleanup(proxy.__exit__)
        return scree.Lab(proxy.url, timeout=20 * PATIENCE, token=self.lab.token), proxy

    def ended(self, **changes):
        """The number of a job that has ended, and its recording."""
        number = self.lab.wait(self.lab.submit(Lab.small_scene(**changes))["id"])["id"]
        return number, (self.lab.data / "jobs" / str(number) / "recording.scree").read_bytes()

    def test_fetch_goes_on(self):
        """a download of the recording that is cut off again and again goes on where it was, and is the recording byte for byte"""
        number, recording = self.ended(frames=60)
        piece = len(recording) // 5
        client, proxy = self.through(lambda _, head: piece if b"/recording" in head else None)
        client.job(number).fetch(self.folder)
        self.assertEqual((self.folder / "recording.scree").read_bytes(), recording)
        requests = proxy.requests(b"/recording")
        self.assertGreaterEqual(len(requests), 5)
        self.assertNotIn(b"Range: ", requests[0])
        begins = []
        for head in requests[1:]:
            self.assertIn(b"If-Range: ", head)
            begins.append(int(head.split(b"Range: bytes=")[1].split(b"-")[0]))
        self.assertEqual(begins, sorted(set(begins)))  # each began where the one before had ended
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["curves.csv", "plot.svg", "recording.scree", "scene.json"])

    def test_fetch_of_what_knows_no_ranges(self):
        """a download that is cut off and can't go on begins anew, and is whole"""
        number, _ = self.ended()
        lengths = [2000, 150]  # in the body, and in the head
        client, proxy = self.through(lambda _, head: lengths.pop() if b"text/csv" in head and lengths else None)
        client.job(number).fetch(self.folder)
        expected = self.lab.request("GET", f"/api/v1/jobs/{number}/curves", headers={"Accept": "text/csv"})[2]
        self.assertEqual((self.folder / "curves.csv").read_bytes(), expected)
        self.assertEqual(len(proxy.requests(b"text/csv")), 3)

    def test_fetch_while_it_grows(self):
        """a recording that has grown since its download was cut off comes from the start, as a whole"""
        job = self.lab.submit(Lab.small_scene(steps=20000, frames=1000))["id"]
        self.lab.wait_until(job, lambda j: j["progress"] and j["progress"]["last_seq"] > 20)

        def cut(_, head):
            if b"/recording" not in head:
                return None
            if len(proxy.requests(b"/recording")) > 1:
                seen = self.lab.job(job)["progress"]["last_seq"]  # the next answer is of a longer recording
                self.lab.wait_until(job, lambda j: j["progress"]["last_seq"] > seen + 2 or j["state"] != "running")
                return None
            return 3000

        client, proxy = self.through(cut)
        client.job(job).fetch(self.folder)
        self.lab.request("POST", f"/api/v1/jobs/{job}/cancel", b"")
        self.lab.wait(job)
        recording = (self.lab.data / "jobs" / str(job) / "recording.scree").read_bytes()
        fetched = (self.folder / "recording.scree").read_bytes()
        self.assertGreater(len(fetched), 3000)
        self.assertEqual(fetched, recording[:len(fetched)])

    def check_samples(self, client, number):
        live = list(client.job(number).samples())
        curves = client.job(number).curves()
        self.assertGreater(len(live), 10)
        self.assertEqual([sample["time"] for sample in live], curves["time"])
        self.assertEqual([sample["wall.z_max.force_z"] for sample in live], curves["wall.z_max.force_z"])

    def test_samples_without_a_stream(self):
        """where no WebSocket gets through, samples are asked for: each comes once, in order, while the job runs"""
        job = self.lab.submit(Lab.long_scene())["id"]  # until it has been asked for samples a third time, and has some

        def cut(_, head):
            if len(proxy.requests(b"/curves?after=")) == 3 and b"/curves?after=" in head:
                self.lab.wait_until(job, lambda j: j["progress"] and j["progress"]["step"] > 1000)
                self.lab.json("POST", f"/api/v1/jobs/{job}/cancel", b"", expect=202)
            return 0 if b"GET /ws" in head else None

        client, proxy = self.through(cut)
        with unittest.mock.patch.object(scree.job, "_POLL", 0.1):
            self.check_samples(client, job)
        self.assertGreaterEqual(len(proxy.requests(b"/curves?after=")), 3)
        self.assertGreaterEqual(len(proxy.requests(b"GET /ws")), 1)

    def test_samples_over_a_stream_that_breaks(self):
        """when the stream is cut off again and again, and can't be opened at times, no sample is missing and none comes twice"""
        lengths = {0: 3000, 1: 0, 2: 9000, 3: 0, 4: 20000}
        job = self.lab.submit(Lab.long_scene())["id"]  # until the stream has been asked for a sixth time

        def cut(_, head):
            if b"GET /ws" not in head:
                return None
            count = len(proxy.requests(b"GET /ws"))
            if count == 6:  # however slowly the run goes on this machine, there is something to be missed by then
                self.lab.wait_until(job, lambda j: j["progress"] and j["progress"]["last_seq"] > 40)
                self.lab.json("POST", f"/api/v1/jobs/{job}/cancel", b"", expect=202)
            return lengths.get(count - 1, 30000)

        client, proxy = self.through(cut)
        with unittest.mock.patch.multiple(scree.job, _PAUSE=0.02, _POLL=0.02):
            self.check_samples(client, job)
        self.assertGreaterEqual(len(proxy.requests(b"GET /ws")), 6)
        self.assertGreaterEqual(len(proxy.requests(b"/curves?after=")), 2)

    def test_samples_of_a_job_that_never_started(self):
        """a job cancelled in the queue has no samples, with and without a stream, and a deleted one is not found"""
        blocker = self.lab.submit(Lab.long_scene())["id"]
        self.lab.wait_until(blocker, lambda job: job["state"] == "running")
        waiting = self.lab.submit(Lab.small_scene())["id"]
        self.lab.json("POST", f"/api/v1/jobs/{waiting}/cancel", b"", expect=202)
        direct = scree.Lab(self.lab.url)
        without, _ = self.through(lambda _, head: 0 if b"GET /ws" in head else None)
        jobs = [client.job(waiting) for client in (direct, without)]
        for job in jobs:
            self.assertEqual(list(job.samples()), [])
        jobs[0].delete()
        for job in jobs:
            self.assertRaises(scree.NotFound, lambda job=job: list(job.samples()))

    def test_an_answer_that_stops_short(self):
        """an answer that is cut off raises ServerUnreachable, not half of what was asked for"""
        number, _ = self.ended()
        for length in (20, 150, 400, 2000):  # in the head and in the body
            client, _ = self.through(lambda _, head, length=length: length if b"/curves" in head else None)
            with self.subTest(length=length):
                self.assertRaises(scree.ServerUnreachable, client.job(number).curves)

    def test_a_server_that_is_busy(self):
        """503 is ServerUnreachable, with what the server says"""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def answer():
            connection, _ = listener.accept()
            body = json.dumps({"title": "Busy", "detail": "try again"}).encode()
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            time.sleep(0.1)
            connection.close()

        threading.Thread(target=answer, daemon=True).start()
        with self.assertRaisesRegex(scree.ServerUnreachable, "try again"):
            scree.Lab(f"http://127.0.0.1:{listener.getsockname()[1]}").gallery()


if __name__ == "__main__":
    unittest.main()
