"""Clients that send or read a byte at a time: none keeps a connection for longer than its time, and patient ones are served."""
import json
import re
import socket
import time
import unittest

import raw
from lab import PATIENCE, Lab

LIMIT = 2.0 * PATIENCE  # --request-seconds of this lab
SLACK = 30.0 * PATIENCE  # how much later the end may be noticed on a loaded machine


class Slow(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab("--no-auth", "--request-seconds", LIMIT).start()

    @classmethod
    def tearDownClass(cls):
        cls.lab.close()

    def drip(self, head):
        """Sends the head, then a byte ten times in the limit, until the server ends it. Returns the answer and the seconds."""
        begun = time.monotonic()
        with raw.connect(self.lab.port) as s:
            s.sendall(head)
            s.settimeout(LIMIT / 10)
            answer = b""
            while time.monotonic() - begun < LIMIT + SLACK:
                try:
                    part = s.recv(4096)
                    if not part:
                        return answer, time.monotonic() - begun
                    answer += part
                except socket.timeout:
                    pass
                except ConnectionResetError:
                    return answer, time.monotonic() - begun
                try:
                    s.sendall(b"a")
                except (BrokenPipeError, ConnectionResetError):
                    pass
        self.fail(f"still open after {time.monotonic() - begun:.1f} s; the limit is {LIMIT} s")

    def test_slow_head(self):
        """a head that comes a byte at a time is cut off with 408 when its time is up, however steadily it comes"""
        for head in (b"GET /heal", b"GET /healthz HTTP/1.1\r\n", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Name: "):
            answer, seconds = self.drip(head)
            self.assertGreaterEqual(seconds, LIMIT * 0.9)
            self.assertTrue(answer.startswith(b"HTTP/1.1 408 "), answer)
            head, body = answer.split(b"\r\n\r\n")
            named = re.search(rb"X-Request-Id: (\S+)", head)[1].decode()
            self.assertEqual((json.loads(body)["type"], json.loads(body)["request_id"]), ("/problems/late", named))
            end = time.monotonic() + 60
            while named not in self.lab.errors() and time.monotonic() < end:
                time.sleep(0.05)  # the log is written by a thread of its own
            self.assertIn(named, self.lab.errors())

    def test_slow_body(self):
        """so is a body"""
        answer, seconds = self.drip(b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n")
        self.assertGreaterEqual(seconds, LIMIT * 0.9)
        self.assertTrue(answer.startswith(b"HTTP/1.1 408 "), answer)

    def test_many_slow(self):
        """a crowd of them keeps nobody out, and all are gone after their time"""
        crowd = [raw.connect(self.lab.port) for _ in range(150)]
        for s in crowd:
            s.sendall(b"GET /healthz HTTP/1.1\r\n")
        begun = time.monotonic()
        while time.monotonic() - begun < LIMIT + SLACK:
            self.assertEqual(self.lab.request("GET", "/healthz")[0], 200)
            for s in crowd:
                try:
                    s.sendall(b"X")
                except OSError:
                    s.close()
            crowd = [s for s in crowd if s.fileno() >= 0]
            if not crowd:
                return
            time.sleep(LIMIT / 10)
        self.fail(f"{len(crowd)} are still open")

    def test_kept_connection(self):
        """a connection that waits for longer than that between requests is served again"""
        request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        with raw.connect(self.lab.port) as s:
            for pause in (LIMIT * 1.5, 0):
                s.sendall(request)
                self.assertIn(b"200 OK", raw.read_answer(s))
                time.sleep(pause)

    def download(self, job, piece, pause):
        """Reads the job's recording in pieces with pauses for two limits, then what is left without any. Returns how many bytes came."""
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            s.settimeout(20 * PATIENCE)
            s.connect(("127.0.0.1", self.lab.port))
            s.sendall(f"GET /api/v1/jobs/{job}/recording HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            begun, received = time.monotonic(), 0
            while True:
                slowly = time.monotonic() - begun < LIMIT * 2 + 1
                try:
                    part = s.recv(piece if slowly else 1 << 20)
                except ConnectionResetError:
                    part = b""
                if not part:
                    return received
                received += len(part)
                if slowly:
                    time.sleep(pause)

    def test_slow_reader(self):
        """an answer that is read a few bytes at a time is cut off, one that is read slowly comes whole"""
        scene = Lab.small_scene(steps=4000, frames=4000)
        scene["output"]["sample_interval"] = scene["output"]["frame_interval"]  # a step: nothing shorter is taken
        job = self.lab.wait(self.lab.submit(scene)["id"])["id"]
        length = int(self.lab.request("HEAD", f"/api/v1/jobs/{job}/recording")[1]["content-length"])
        self.assertGreater(length, 8 << 20)  # more than the system takes from the server at once
        self.assertLess(self.download(job, 100, LIMIT / 20), length)
        self.assertGreater(self.download(job, 60000, LIMIT / 20), length)


if __name__ == "__main__":
    unittest.main()
