"""Clients that stall, lie or talk nonsense: everybody else is still answered, and nothing breaks."""
import json
import random
import socket
import threading
import time
import unittest

import raw
import ws
from lab import PATIENCE, Lab


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab("--viewers", 8, "--no-auth").start()

    @classmethod
    def tearDownClass(cls):
        cls.lab.close()

    def assert_well(self):
        begun = time.monotonic()
        status, _, body = self.lab.request("GET", "/healthz")
        self.assertEqual((status, json.loads(body)["status"]), (200, "ok"))
        self.assertLess(time.monotonic() - begun, 60 * PATIENCE)  # it hung, or not

    def assert_closed_within(self, s, seconds):
        s.settimeout(seconds * PATIENCE)
        try:
            self.assertEqual(s.recv(1), b"")
        except ConnectionResetError:
            pass

    def test_silent(self):
        """a connection that sends fewer than 8 bytes is closed after 5 seconds; meanwhile others are answered"""
        with raw.connect(self.lab.port) as silent, raw.connect(self.lab.port) as short:
            short.sendall(b"GET")
            self.assert_well()
            self.assert_closed_within(silent, 60)
            self.assert_closed_within(short, 60)

    def test_connect_and_leave(self):
        """a thousand connections that come and go leave no trace"""
        for _ in range(1000):
            raw.connect(self.lab.port).close()
        self.assert_well()

    def test_many_silent(self):
        """more silent connections than may wait do not keep anybody out"""
        crowd = [raw.connect(self.lab.port) for _ in range(300)]
        self.assert_well()
        for s in crowd:
            s.close()
        self.assert_well()

    def test_slow_stream_heads_keep_nobody_waiting(self):
        """while more unfinished upgrade requests are open than the stream's library has places for, a viewer is served at once"""
        crowd = [raw.connect(self.lab.port) for _ in range(200)]
        try:
            for s in crowd:
                s.sendall(b"GET /ws/v1 HTTP/1.1\r\nHost: localhost\r\nX: ")
            begun = time.monotonic()
            for _ in range(5):
                with ws.Stream(self.lab.port) as stream:
                    self.assertEqual(stream.hello["type"], "hello")
            served = time.monotonic() - begun
            still = sum(not self.is_closed(s) for s in crowd)
            if still == len(crowd):  # on a machine so slow that some had their time meanwhile nothing is known
                self.assertLess(served, 5)
        finally:
            for s in crowd:
                s.close()

    @staticmethod
    def is_closed(s):
        s.setblocking(False)
        try:
            return s.recv(1) == b""
        except BlockingIOError:
            return False
        except ConnectionResetError:
            return True

    def test_upgrade_byte_by_byte(self):
        """an upgrade whose head comes in parts is served like any other"""
        head = (b"GET /ws/v1 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: scree.v1\r\n\r\n")
        with raw.connect(self.lab.port) as s:
            for i in range(0, len(head), 7):
                s.sendall(head[i:i + 7])
                time.sleep(0.001)
            self.assertIn(b"101 Switching Protocols", s.recv(4096))

    def test_strange_codings(self):
        """a body in a coding that is not known, or that is named twice, is refused at once; so is a head with a zero byte or a bare line feed"""
        head = b"POST /api/v1/scenes/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for wrong in (b"Transfer-Encoding: xchunked\r\n\r\n", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                      b"Transfer-Encoding: gzip, chunked\r\n\r\n", b"X: a\0b\r\n\r\n", b"X: a\nY: b\r\n\r\n"):
            begun = time.monotonic()
            answer = raw.exchange(self.lab.port, head + wrong + b"0\r\n\r\n")
            self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), (wrong, answer[:100]))
            self.assertIn(b"application/problem+json", answer, wrong)
            self.assertLess(time.monotonic() - begun, 20 * PATIENCE, wrong)  # libmicrohttpd's silence lasts for 30 s
        self.assert_well()

    def test_zero_bytes_and_codings_anywhere(self):
        """a zero byte and a strange coding are refused too where the head comes in two parts, and in the second request of a connection"""
        fine = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        head = b"POST /api/v1/scenes/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for wrong in (b"X: a\0b\r\n\r\n", b"Transfer-Encoding: xchunked\r\n\r\n", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                      b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n"):
            for before in (b"", fine):
                with raw.connect(self.lab.port) as s:
                    if before:
                        s.sendall(before)
                        self.assertIn(b"200 OK", raw.read_answer(s))
                    s.sendall(head[:20])
                    time.sleep(0.05)  # the first part is read by itself; where it is not, this is the case above
                    s.sendall(head[20:] + wrong)
                    answer = raw.read_answer(s)
                self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), (before, wrong, answer[:100]))
                self.assertIn(b"application/problem+json", answer, wrong)
        self.assert_well()

    def test_heads_after_the_first(self):
        """what other programs may read in another way is refused in every head of a connection, and after bodies that have the same bytes"""
        fine = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        body = b'{"a":\n\n2}\n'
        post = (b"POST /api/v1/scenes/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)) + body
        for line in (b"X: a\nY: b", b"X: a\rY: b", b"X: a\r\n b", b"X : a", b"Content-Length: 0, 0", b"Content-Length: +0"):
            wrong = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + line + b"\r\n\r\n"
            for before, status in ((b"", b""), (fine, b"200"), (post, b"422")):
                for apart in (True, False) if before else (True,):
                    with raw.connect(self.lab.port) as s:
                        if before and apart:
                            s.sendall(before)
                            self.assertTrue(raw.read_answer(s).startswith(b"HTTP/1.1 " + status), before)
                        s.sendall(wrong if apart else before + wrong)
                        answer = b""
                        while chunk := self.receive(s):
                            answer += chunk
                    self.assertIn(b"HTTP/1.1 400 ", answer, (line, before, apart))
                    self.assertIn(b"application/problem+json", answer, line)
                    self.assertLessEqual(answer.count(b"HTTP/1.1 200 "), 0 if apart else 1, (line, before))
        self.assert_well()

    @staticmethod
    def receive(s):
        try:
            return s.recv(65536)
        except ConnectionResetError:
            return b""

    def test_no_request_after_chunks(self):
        """a request with a body in chunks is answered, and is its connection's last: no second one hides behind the end of the body"""
        head = (b"POST /api/v1/scenes/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Transfer-Encoding: chunked\r\n\r\n3\r\n{ }\r\n0\r\n\r\n")
        with raw.connect(self.lab.port) as s:
            s.sendall(head + b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while chunk := self.receive(s):
                answer += chunk
        self.assertTrue(answer.startswith(b"HTTP/1.1 422 "), answer[:100])
        self.assertIn(b"\r\nConnection: close\r\n", answer)
        self.assertEqual(answer.count(b"HTTP/1.1 "), 1, answer)

    def test_what_the_library_cannot_read(self):
        """chunks that are none, chunks' heads without end, and heads and targets beyond the library's memory get problem documents too, and one each"""
        fine = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        head = (b"POST /api/v1/scenes/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Transfer-Encoding: chunked\r\n\r\n")
        cases = [
            (head + b"zz\r\nabc\r\n0\r\n\r\n", (400,)),
            (head + b"3\r\nabcXY\r\n0\r\n\r\n", (400,)),
            (head + b"-3\r\nabc\r\n0\r\n\r\n", (400,)),
            (head + b"3;" + b"x" * 400000 + b"\r\nabc\r\n0\r\n\r\n", (400, 413, 503)),
            (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 400000 + b"\r\n\r\n", (431,)),
            (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X: aaaaaaaaaaaa\r\n" * 40000 + b"\r\n", (431,)),
            (b"GET /" + b"a" * 400000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", (414,)),
        ]
        for wrong, allowed in cases:
            for before in (b"", fine):
                with raw.connect(self.lab.port) as s:
                    if before:
                        s.sendall(before)
                        self.assertIn(b"200 OK", raw.read_answer(s))
                    try:
                        s.sendall(wrong)
                    except (BrokenPipeError, ConnectionResetError):
                        pass  # refused before all was sent; the answer is there
                    answer = raw.read_answer(s)
                head_of, _, body = answer.partition(b"\r\n\r\n")
                self.assertIn(int(answer.split(b" ", 2)[1]), allowed, (wrong[:150], answer[:100]))
                self.assertIn(b"\r\nContent-Type: application/problem+json\r\n", head_of, wrong[:150])
                self.assertNotIn(b"<html>", answer.lower(), wrong[:150])
                self.assertEqual(json.loads(body)["status"], int(answer.split(b" ", 2)[1]), wrong[:150])
        self.assert_well()

    def test_slow_stream_heads(self):
        """unfinished upgrade requests do not keep viewers out for longer than their time"""
        crowd = [raw.connect(self.lab.port) for _ in range(80)]
        for s in crowd:
            s.sendall(b"GET /ws/v1 HTTP/1.1\r\nHost: localhost\r\nX: ")
        self.assert_well()
        for s in crowd[:3]:
            self.assert_closed_within(s, 30)
        for s in crowd:
            s.close()
        with ws.Stream(self.lab.port) as stream:
            self.assertEqual(stream.hello["type"], "hello")

    def test_split_request(self):
        """a request that comes byte by byte is answered like any other"""
        with raw.connect(self.lab.port) as s:
            for byte in b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n":
                s.sendall(bytes([byte]))
            self.assertIn(b"200 OK", raw.read_answer(s))

    def test_split_version(self):
        """a request whose first part ends in the midst of its version is answered like any other"""
        request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for k in range(60):  # the first part is there when the connection is taken, or it comes after: each happens in some of these
            end = request.index(b"1.1") + k % 3
            with raw.connect(self.lab.port) as s:
                s.sendall(request[:end])
                self.lab.request("GET", "/healthz")  # the server has taken the connection by now
                s.sendall(request[end:])
                self.assertIn(b"200 OK", raw.read_answer(s), request[:end])

    def test_keep_alive_and_pipelining(self):
        """requests sent together on one connection are answered in order"""
        one = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        two = b"GET /api/v1/jobs/77 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        with raw.connect(self.lab.port) as s:
            s.sendall(one + one + two)
            data = b""
            while chunk := s.recv(65536):
                data += chunk
        self.assertEqual([part[:12] for part in data.split(b"HTTP/1.1 ")[1:]][0][:3], b"200")
        self.assertEqual(data.count(b"HTTP/1.1 200"), 2)
        self.assertEqual(data.count(b"HTTP/1.1 404"), 1)

    def test_half_a_body(self):
        """a client that leaves in the middle of its body harms nobody"""
        head = b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
        for _ in range(20):
            with raw.connect(self.lab.port) as s:
                s.sendall(head + b" " * 5000)
        self.assert_well()

    def test_slow_uploads_do_not_shut_others_out(self):
        """while 40 connections hold bodies of 4 MB that never end, submissions and checks of others are answered"""
        head = b"POST /api/v1/scenes/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 4190000\r\n\r\n"
        crowd = []
        try:
            for _ in range(40):
                s = raw.connect(self.lab.port)
                crowd.append(s)
                s.sendall(head + b" " * 4180000)
            for size in (0, 1000, 1000000):
                begun = time.monotonic()
                status, _, body = self.lab.request("POST", "/api/v1/jobs", json.dumps(Lab.small_scene()).encode() + b" " * size,
                                                   {"Content-Type": "application/json"})
                self.assertEqual(status, 201, body)
                self.assertLess(time.monotonic() - begun, 60 * PATIENCE)
        finally:
            for s in crowd:
                s.close()
        self.assert_well()

    def test_endless_chunks(self):
        """a body without end is cut off"""
        head = b"POST /api/v1/scenes/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        with raw.connect(self.lab.port, timeout=60) as s:
            s.sendall(head)
            with self.assertRaises((BrokenPipeError, ConnectionResetError)):
                for _ in range(200):
                    s.sendall(chunk)
        self.assert_well()

    def test_deep_and_wide_json(self):
        """JSON of great depth or with millions of values is refused quickly and without much memory"""
        for body in (b"[" * 2000000, b"[" * 3000 + b"]" * 3000, b"[" + b"0," * 2000000 + b"0]", b'{"a":' * 100000 + b"1" + b"}" * 100000,
                     b'{"scree":1,"materials":[' + b"{}," * 1000000 + b"{}]}", b'"' + b"a" * 4000000 + b'"', b"1e999", b"\xff\xfe{}"):
            begun = time.monotonic()
            status, _, _ = self.lab.request("POST", "/api/v1/scenes/check", body, {"Content-Type": "application/json"})
            self.assertIn(status, (400, 422), body[:20])
            self.assertLess(time.monotonic() - begun, 60 * PATIENCE)
        with open(f"/proc/{self.lab.process.pid}/status", encoding="ascii") as f:
            peak = next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))
        self.assertLess(peak, 600e3 * PATIENCE, "kB of memory at the peak")

    def test_unknown_keys_without_number(self):
        """of 300,000 unknown keys of a scene the first hundred are listed"""
        body = json.dumps({**Lab.small_scene(), **{f"u{k}": 0 for k in range(300000)}}, separators=(",", ":")).encode()
        status, _, answer = self.lab.request("POST", "/api/v1/scenes/check", body, {"Content-Type": "application/json"})
        self.assertEqual(status, 422, answer[:200])
        self.assertEqual(len(json.loads(answer)["errors"]), 100)

    def test_nonsense_requests(self):
        """request lines and headers that are none are refused or dropped, never believed"""
        fine = b"Host: localhost\r\n"
        cases = {
            b"GET /healthz HTTP/1.1\r\n\r\n": (400,),                                                # no Host
            b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n": (421,),
            b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n": (400,),
            b"GET http://localhost/healthz HTTP/1.1\r\n" + fine + b"\r\n": (400,),
            b"GET * HTTP/1.1\r\n" + fine + b"\r\n": (400,),
            b"GET healthz HTTP/1.1\r\n" + fine + b"\r\n": (400,),
            b"BREW /healthz HTTP/1.1\r\n" + fine + b"\r\n": (405,),
            b"GET /healthz HTTP/1.1\r\n" + fine + b"X: " + b"a" * 100000 + b"\r\n\r\n": (431,),
            b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n" + fine + b"\r\n": (414,),
            b"GET /healthz?" + b"&".join(b"p%d=1" % i for i in range(1000)) + b" HTTP/1.1\r\n" + fine + b"\r\n": (414,),
            b"GET /healthz HTTP/9.9\r\n" + fine + b"\r\n": (505,),
            b"POST /api/v1/jobs HTTP/1.1\r\n" + fine + b"Content-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\n{}   ": (400,),
            b"POST /api/v1/jobs HTTP/1.1\r\n" + fine + b"Content-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": (400,),
            b"GET /healthz?state=running HTTP/1.1\r\n" + fine + b"\r\n": (400,),
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 100 + b"\r\n\r\n": (400, None),  # TLS on the plain port
            b"POST /api/v1/jobs HTTP/1.1\r\n" + fine + b"Content-Type: application/json\r\nContent-Length: -5\r\n\r\n": (400, 411, 413, None),
            b"POST /api/v1/jobs HTTP/1.1\r\n" + fine + b"Content-Type: application/json\r\nContent-Length: 18446744073709551616\r\n\r\n": (400, 413, None),
        }
        for request, allowed in cases.items():
            answer = raw.exchange(self.lab.port, request)
            status = int(answer.split(b" ", 2)[1]) if answer else None
            self.assertIn(status, allowed, request[:80])
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1 if answer else 0, (request[:120], answer))
            if len(allowed) == 1:
                self.assertIn(b"\r\nContent-Type: application/problem+json\r\n", answer, request[:80])
                self.assertEqual(json.loads(answer.partition(b"\r\n\r\n")[2])["status"], status)
        self.assert_well()

    def test_random_bytes(self):
        """bytes at random on either side of the port break nothing"""
        seed = 20260131
        print(f"# seed {seed}")
        chance = random.Random(seed)
        for i in range(200):
            data = bytes(chance.randrange(256) for _ in range(chance.randrange(8, 400)))
            prefix = (b"", b"GET /ws/v1 HTTP/1.1\r\nHost: localhost\r\n", b"GET /healthz?", b"POST /api/v1/jobs HTTP/1.1\r\n")[i % 4]
            with raw.connect(self.lab.port) as s:
                try:
                    s.sendall(prefix + data + b"\r\n\r\n")
                    s.shutdown(socket.SHUT_WR)
                    s.settimeout(0.05)
                    s.recv(1000)
                except OSError:
                    pass
        self.assert_well()

    def test_many_at_once(self):
        """a hundred clients at once, each with slow and quick requests, are all answered"""
        failures = []

        def client(number):
            try:
                for path in ("/healthz", "/api/v1/jobs", "/api/v1/methods", "/readyz"):
                    status = self.lab.request("GET", path)[0]
                    if status != 200:
                        failures.append((number, path, status))
                status = self.lab.request("POST", "/api/v1/scenes/check", Lab.small_scene())[0]
                if status not in (200, 503):
                    failures.append((number, "check", status))
            except Exception as error:  # noqa: BLE001 - reported by the test
                failures.append((number, repr(error)))

        threads = [threading.Thread(target=client, args=(i,)) for i in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_slow_work_does_not_hold_up_health(self):
        """while many scenes are being checked, healthz answers at once"""
        threads = [threading.Thread(target=lambda: self.lab.request("POST", "/api/v1/scenes/check", Lab.small_scene(spacing=6e-5)))
                   for _ in range(6)]
        for thread in threads:
            thread.start()
        for _ in range(20):
            self.assert_well()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    unittest.main()
