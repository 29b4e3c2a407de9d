"""More connections than screed takes: whoever is too many is told, everybody else is answered, and nothing is left behind."""
import contextlib
import json
import os
import resource
import select
import socket
import time
import unittest

import raw
import ws
from lab import PATIENCE, Lab

BROWSERS, PER_BROWSER = 1000, 6  # what browsers open to one server over HTTP/1.1
HALF_SENT = b"GET /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nX-Half: "
COMPLETE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def raise_own_limit(wanted):
    """Lets this process have so many descriptors; what it gets."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    granted = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (granted, hard))
    return granted


def status_of(answer):
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else None


class Flood(unittest.TestCase):
    def open_files(self, lab):
        return len(os.listdir(f"/proc/{lab.process.pid}/fd"))

    def assert_back(self, lab, base, seconds=60):
        """healthz is 200 again, and no more descriptors are open than before"""
        end = time.monotonic() + seconds * PATIENCE
        while True:
            answer = status_of(raw.exchange(lab.port, COMPLETE))
            files = self.open_files(lab)
            if answer == 200 and files <= base + 4:
                return
            self.assertLess(time.monotonic(), end, f"healthz answers {answer}, {files} descriptors are open, {base} were before")
            time.sleep(0.1)

    def assert_files(self, lab, count, seconds=60):
        """so many descriptors are open, or soon will be"""
        end = time.monotonic() + seconds * PATIENCE
        while self.open_files(lab) > count:
            self.assertLess(time.monotonic(), end, f"{self.open_files(lab)} descriptors are open instead of {count}")
            time.sleep(0.02)

    def crowd(self, stack, lab, count, data):
        """Connections that sent `data` and stay open. Those that were closed at once are there too."""
        sockets = []
        for _ in range(count):
            s = stack.enter_context(raw.connect(lab.port))
            with contextlib.suppress(OSError):
                s.sendall(data)
            sockets.append(s)
        return sockets

    def test_half_sent_and_closed(self):
        """after 520 and then 2,000 connections with half a request each, all closed, screed answers, has no descriptor more, and ends on SIGTERM"""
        raise_own_limit(8192)
        with Lab("--no-auth") as lab:
            raw.exchange(lab.port, COMPLETE)
            base = self.open_files(lab)
            for count in (520, 2000):
                with contextlib.ExitStack() as stack:
                    self.crowd(stack, lab, count, HALF_SENT)
                self.assert_back(lab, base)
            begun = time.monotonic()
            self.assertEqual(lab.stop(timeout=60), 0)
            self.assertLess(time.monotonic() - begun, 60 * PATIENCE)

    def test_a_thousand_browsers(self):
        """while 6,000 connections are held, idle and half-sent, every new request is answered 200, or 503 with Retry-After, at once"""
        if raise_own_limit(BROWSERS * PER_BROWSER + 512) < BROWSERS * PER_BROWSER + 512:
            self.skipTest("the limit on open files does not allow 6,000 sockets")
        answers = []
        with Lab("--no-auth") as lab:
            raw.exchange(lab.port, COMPLETE)
            base = self.open_files(lab)
            with contextlib.ExitStack() as stack:
                for _ in range(BROWSERS // 50):
                    self.crowd(stack, lab, 50 * PER_BROWSER // 2, COMPLETE)
                    self.crowd(stack, lab, 50 * PER_BROWSER // 2, HALF_SENT)
                    begun = time.monotonic()
                    answer = raw.exchange(lab.port, COMPLETE)
                    self.assertLess(time.monotonic() - begun, 60 * PATIENCE)
                    answers.append(status_of(answer))
                    if answers[-1] == 503:
                        self.assertIn(b"\r\nRetry-After: ", answer)
                        self.assertEqual(json.loads(answer.partition(b"\r\n\r\n")[2])["type"], "/problems/busy")
                self.assertEqual(set(answers) - {200, 503}, set())
                end = time.monotonic() + 60 * PATIENCE  # all are still held: those that wait longest make room
                while status_of(raw.exchange(lab.port, COMPLETE)) != 200:
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.1)
            self.assert_back(lab, base)

    def test_idle_connections_make_room(self):
        """at the limit a new connection is answered 503 and the connection idle longest ends, so that the next one is served; busy ones stay"""
        with Lab("--no-auth", "--connections", 8) as lab, contextlib.ExitStack() as stack:
            held = self.crowd(stack, lab, 8, COMPLETE)
            for s in held:
                self.assertEqual(status_of(raw.read_answer(s)), 200)
            files = self.open_files(lab)
            time.sleep(1.2)
            answer = raw.exchange(lab.port, COMPLETE)
            self.assertEqual(status_of(answer), 503)
            self.assertIn(b"too many connections are open", answer)
            ended, _, _ = select.select(held, [], [], 60 * PATIENCE)
            self.assertEqual([s.recv(1) for s in ended], [b""])
            self.assert_files(lab, files - 1)  # a connection is counted until screed has closed its side too
            self.assertEqual(status_of(raw.exchange(lab.port, COMPLETE)), 200)
            for s in held:
                if s not in ended:
                    s.sendall(COMPLETE)
                    self.assertEqual(status_of(raw.read_answer(s)), 200)

    def test_one_address(self):
        """--connections-per-address bounds each address by itself"""
        def from_address(address):
            s = stack.enter_context(socket.socket())
            s.settimeout(20)
            s.bind((address, 0))
            s.connect(("127.0.0.1", lab.port))
            s.sendall(COMPLETE)
            return raw.read_answer(s)

        with Lab("--no-auth", "--connections-per-address", 5) as lab, contextlib.ExitStack() as stack:
            self.assertEqual([status_of(from_address("127.0.0.2")) for _ in range(5)], [200] * 5)
            answer = from_address("127.0.0.2")
            self.assertEqual(status_of(answer), 503)
            self.assertIn(b"from your address", answer)
            self.assertEqual(status_of(from_address("127.0.0.3")), 200)

    def test_viewers_beyond_the_limit_are_told(self):
        """a viewer too many is let in only to be closed with 1013 and the reason, which a page can read; hundreds of idle ones are served"""
        raise_own_limit(4096)
        with Lab("--no-auth", "--viewers", 300) as lab, contextlib.ExitStack() as stack:
            with ws.Stream(lab.port):
                before = self.memory(lab)
            viewers = [stack.enter_context(ws.Stream(lab.port)) for _ in range(300)]
            each = (self.memory(lab) - before) / 300
            with self.assertRaises(ws.Closed) as closed:
                with ws.Stream(lab.port, hello=False) as one_more:
                    while True:
                        one_more.message()
            self.assertEqual(closed.exception.code, 1013)
            self.assertRegex(closed.exception.reason, r"300 viewers .* --viewers")
            self.assertLess(each, 100e3 * PATIENCE, "bytes of memory per idle viewer")
            print(f"# {each / 1e3:.1f} kB per idle viewer", flush=True)
            viewers.pop().close()
            end = time.monotonic() + 60
            while True:
                try:
                    with ws.Stream(lab.port) as stream:
                        self.assertEqual(stream.hello["type"], "hello")
                    break
                except ws.Closed:
                    self.assertLess(time.monotonic(), end)

    def memory(self, lab):
        with open(f"/proc/{lab.process.pid}/status", encoding="ascii") as f:
            return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmRSS"))
