"""The stream scree.v1: what a viewer gets, while a run goes on and after it ended, is what the recording holds."""
import json
import os
import struct
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import raw
import ws
from lab import PATIENCE, Lab
from ws import CURVE, END, EVENT, FRAME, PROGRESS, SCENE, TOPOLOGY, Stream, is_record

ORDERED = (CURVE, EVENT, PROGRESS)


def recording(lab, job):
    """The records of a job's recording, by seq."""
    data, records, at = lab.request("GET", f"/api/v1/jobs/{job}/recording")[2], {}, 8
    while at < len(data):
        size = 32 + (ws.RECORD.unpack_from(data, at)[0] + 7) // 8 * 8
        record = ws.parse_record(data[at:at + size])
        records[record.seq] = record
        at += size
    return records


def follow(stream, number, acknowledge=True, until=lambda m: is_record(m, END)):
    """Receives until the end record, acknowledging frames; only the records of one stream."""
    found = []
    while True:
        message = stream.message()
        if not is_record(message) or message.stream != number:
            continue
        found.append(message)
        if message.type == FRAME and acknowledge:
            stream.send(type="ack", stream=number, seq=message.seq)
        if until(message):
            return found


class Streams(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab("--slots", 2).start()
        cls.done = cls.lab.submit(cls.lab.small_scene())["id"]
        cls.lab.wait(cls.done)

    @classmethod
    def tearDownClass(cls):
        cls.lab.close()

    def connect(self, **options):
        stream = Stream(self.lab.port, timeout=60 * PATIENCE, **options)
        self.addCleanup(stream.close)
        return stream

    def running_job(self, steps=2400, frames=400, **changes):
        job = self.lab.submit(Lab.small_scene(steps=steps, frames=frames, **changes))["id"]
        self.addCleanup(self.lab.request, "POST", f"/api/v1/jobs/{job}/cancel")
        return job

    def assert_faithful(self, found, records, after=0, live_from=None):
        """What was received is what the recording holds: byte for byte, complete and in order where that is promised."""
        for record in found:
            self.assertEqual(ws.as_in_file(record), records[record.seq].raw)
            self.assertEqual(record.flags if record.type != FRAME else 0, 0)
        self.assertEqual([r.type for r in found[:2]], [SCENE, TOPOLOGY])
        self.assertEqual(found[-1].type, END)
        begin = after if live_from is None else live_from
        expected = [seq for seq, r in sorted(records.items()) if r.type in ORDERED and seq > begin]
        self.assertEqual([r.seq for r in found if r.type in ORDERED], expected)
        frames = [r.seq for r in found if r.type == FRAME]
        self.assertEqual(frames, sorted(set(frames)))

    def assert_skips_counted(self, found, records, after=0):
        """`flags` of each frame is the number of frames in the recording between it and the one before."""
        before = after
        for record in found:
            if record.type == FRAME:
                skipped = sum(1 for seq, r in records.items() if r.type == FRAME and before < seq < record.seq)
                self.assertEqual(record.flags, skipped)
                before = record.seq

    # ── completeness ──

    def test_hello(self):
        """the first message says hello with the limits"""
        stream = self.connect()
        self.assertEqual(stream.hello, {"type": "hello", "protocol": "scree.v1", "version": "0.1.0",
                                        "limits": {"streams": 16, "window": 8, "max_fps": 60, "message_bytes": 4096}})

    def test_after_the_end(self):
        """of an ended run a viewer gets everything but the older frames, byte for byte, and then the end"""
        stream = self.connect()
        stream.send(type="subscribe", stream=5, job=self.done)
        self.assertEqual(stream.message()["type"], "subscribed")
        self.assertEqual(stream.message()["job"]["state"], "succeeded")
        found, records = follow(stream, 5), recording(self.lab, self.done)
        self.assert_faithful(found, records)
        self.assert_skips_counted(found, records)
        last = max(seq for seq, r in records.items() if r.type == FRAME)
        self.assertEqual([r.seq for r in found if r.type == FRAME][-1], last)

    def test_fewer_points(self):
        """a viewer that wants few points gets those seen from outside, the same over HTTP, and one that wants all gets all"""
        scene = self.lab.small_scene(steps=4, frames=2, name="block")
        edge = 26  # nodes: 17576, of which 5824 are in the two outermost layers
        scene["specimens"][0] = {"name": "block", "material": "polymer", "spacing": 1e-4, "shape": {"type": "box", "size": [edge * 1e-4] * 3},
                                 "placement": {"type": "single", "position": [0, 0, 0]}}
        scene["rig"] = {"type": "none"}
        job = self.lab.submit(scene)["id"]
        self.lab.wait(job)
        sizes = {}
        for stream_number, points in ((1, 0), (2, 12345), (3, 50000)):
            stream = self.connect()
            stream.send(type="subscribe", stream=stream_number, job=job, points=points)
            frame = [r for r in follow(stream, stream_number) if r.type == FRAME][-1]
            status, headers, body = self.lab.request("GET", f"/api/v1/jobs/{job}/records/{frame.seq}?points={points}")
            self.assertEqual((status, body), (200, ws.as_in_file(frame)))
            self.assertEqual(self.lab.request("GET", f"/api/v1/jobs/{job}/records/{frame.seq}?points={points}", headers={"If-None-Match": headers["etag"]})[0], 304)
            sizes[points] = frame.size
        self.assertEqual(sizes[50000], sizes[0])
        self.assertLess(sizes[12345], 0.6 * sizes[0])
        self.assertGreater(sizes[12345], 0.3 * sizes[0])
        for wrong in ("9999", "-1", "x", ""):
            self.assertEqual(self.lab.request("GET", f"/api/v1/jobs/{job}/records/1?points={wrong}")[0], 400, wrong)

    def test_while_it_runs(self):
        """a run followed from before its start gives every curve sample, event and progress in order, byte for byte"""
        stream, job = self.connect(), self.running_job()
        stream.send(type="subscribe", stream=1, job=job, max_fps=60)
        found, records = follow(stream, 1), recording(self.lab, job)
        self.assert_faithful(found, records)
        self.assert_skips_counted(found, records)
        self.assertGreater(sum(1 for r in found if r.type == FRAME), 3)
        samples, series = 0, None
        for record in found:
            if record.type == CURVE:
                first, count, series = struct.unpack_from("<QII", record.payload)
                self.assertEqual(first, samples)
                samples += count
        self.assertEqual(samples, len(self.lab.json("GET", f"/api/v1/jobs/{job}/curves")["samples"]))

    def test_joining_in_the_middle(self):
        """a viewer that comes in mid-run gets the past and the future without a gap"""
        job = self.running_job()
        self.lab.wait_until(job, lambda j: j["progress"] and j["progress"]["last_seq"] > 50)
        stream = self.connect()
        stream.send(type="subscribe", stream=1, job=job)
        found = follow(stream, 1)
        self.assert_faithful(found, recording(self.lab, job))

    def test_from_a_seq(self):
        """a viewer that reconnects from the last seq it has misses nothing and gets nothing twice"""
        first, job = self.connect(), self.running_job()
        first.send(type="subscribe", stream=1, job=job)
        part = follow(first, 1, until=lambda m: m.seq > 100 and m.type == CURVE)
        first.socket.close()
        last = max(r.seq for r in part if r.type in ORDERED)
        second = self.connect()
        second.send(type="subscribe", stream=9, job=job, **{"from": last})
        rest, records = follow(second, 9), recording(self.lab, job)
        self.assert_faithful(rest, records, after=last)
        self.assert_skips_counted(rest, records, after=last)
        both = [r.seq for r in part + rest if r.type in ORDERED]
        self.assertEqual(both, [seq for seq, r in sorted(records.items()) if r.type in ORDERED])

    def test_live(self):
        """"live" gives what is recorded from now on, beginning with the newest frame"""
        job = self.running_job()
        self.lab.wait_until(job, lambda j: j["progress"] and j["progress"]["last_seq"] > 50)
        stream = self.connect()
        stream.send(type="subscribe", stream=1, job=job, **{"from": "live"})
        now = stream.answer("subscribed")["last_seq"]
        found, records = follow(stream, 1), recording(self.lab, job)
        self.assert_faithful(found, records, live_from=now)
        newest = max(seq for seq, r in records.items() if r.type == FRAME and seq <= now)
        frames = [r for r in found if r.type == FRAME]
        self.assertGreaterEqual(frames[0].seq, newest)
        self.assert_skips_counted(found, records, after=newest - 1)

    def test_from_behind_the_end(self):
        """whoever has the whole of an ended run is told that it has ended"""
        count = len(recording(self.lab, self.done))
        for start in (count, count + 1000, "live"):
            stream = self.connect()
            stream.send(type="subscribe", stream=1, job=self.done, **{"from": start})
            found = [m.type for m in follow(stream, 1)]
            self.assertEqual([t for t in found if t != FRAME], [SCENE, TOPOLOGY, END], start)

    def test_channels(self):
        """only the channels asked for come; scene, topology and end always do"""
        records = recording(self.lab, self.done)
        for names, types in ((["curve"], {CURVE}), (["frame"], {FRAME}), (["event", "progress"], {EVENT, PROGRESS}), ([], set())):
            stream = self.connect()
            stream.send(type="subscribe", stream=1, job=self.done, channels=names)
            found = {m.type for m in follow(stream, 1)}
            there = {r.type for r in records.values()}
            self.assertEqual(found, {SCENE, TOPOLOGY, END} | (types & there), names)

    # ── flow control ──

    def test_slow_viewer(self):
        """a viewer that acknowledges nothing gets as many frames as its window and the last one, but every curve sample"""
        stream, job = self.connect(), self.running_job()
        stream.send(type="subscribe", stream=1, job=job, window=2, max_fps=60)
        found, records = follow(stream, 1, acknowledge=False), recording(self.lab, job)
        self.assert_faithful(found, records)
        self.assert_skips_counted(found, records)
        frames = [r for r in found if r.type == FRAME]
        self.assertEqual(len(frames), 3)
        self.assertGreater(frames[-1].flags, 100)

    def test_acknowledging_late(self):
        """after an acknowledgement the newest frame comes, with the number skipped"""
        stream, keen, job = self.connect(), self.connect(), self.running_job()
        stream.send(type="subscribe", stream=1, job=job, window=1, max_fps=60, channels=["frame"])
        first = stream.messages(lambda m: is_record(m, FRAME))[-1]
        keen.send(type="subscribe", stream=1, job=job, channels=["curve"])
        keen.messages(lambda m: is_record(m, CURVE) and m.seq > first.seq + 100)  # so far the server has read what is recorded
        stream.send(type="ack", stream=1, seq=first.seq)
        second = stream.messages(lambda m: is_record(m, FRAME))[-1]
        self.assertGreater(second.seq, first.seq + 90)
        records = recording(self.lab, job)
        self.assertEqual(second.flags, sum(1 for seq, r in records.items() if r.type == FRAME and first.seq < seq < second.seq))

    def test_unread_viewer(self):
        """a viewer that reads nothing for a while costs the others nothing and itself no sample"""
        job = self.running_job(steps=2000, frames=100)  # over before the server hangs up on who does not answer its pings, after 30 s
        lazy, keen = self.connect(receive_buffer=4096), self.connect()
        lazy.send(type="subscribe", stream=1, job=job)
        keen.send(type="subscribe", stream=1, job=job)
        seen = follow(keen, 1)
        late, records = follow(lazy, 1), recording(self.lab, job)
        self.assert_faithful(seen, records)
        self.assert_faithful(late, records)

    def test_frame_rate(self):
        """frames come no faster than max_fps"""
        stream, job = self.connect(), self.running_job(steps=2_000_000, frames=20000)
        begun, count = time.monotonic(), 0
        stream.send(type="subscribe", stream=1, job=job, max_fps=10, channels=["frame"], window=8)
        while count < 12:
            message = stream.message()
            if is_record(message, END):
                break
            if is_record(message, FRAME):
                stream.send(type="ack", stream=1, seq=message.seq)
                count += 1
        # Counted from before the first, so that it does not matter how late they are read. The last frame of a run is exempt, hence the second one more.
        self.assertLessEqual(count, (time.monotonic() - begun) * 10 + 2)
        self.assertGreater(count, 2)

    def test_almost_no_frames(self):
        """the smallest max_fps there is, a frame in more than the age of the world, is kept to: one frame as the stream begins"""
        stream, job = self.connect(), self.running_job(steps=2_000_000, frames=20000)
        stream.send(type="subscribe", stream=1, job=job, max_fps=5e-324, channels=["frame"], window=8)
        stream.send(type="subscribe", stream=2, job=job, max_fps=10, channels=["frame"], window=8)
        counts = {1: 0, 2: 0}
        while counts[2] < 8:
            message = stream.message()
            if is_record(message, END):
                break
            if is_record(message, FRAME):
                stream.send(type="ack", stream=message.stream, seq=message.seq)
                counts[message.stream] += 1
        self.assertEqual((counts[1], counts[2]), (1, 8))

    # ── several streams, jobs, watching ──

    def test_several_streams(self):
        """streams of several jobs share a connection without mixing"""
        jobs = [self.running_job(steps=4000, frames=50, name=f"multi-{i}") for i in range(2)]
        stream = self.connect()
        numbers = {1: jobs[0], 2: jobs[1], 4294967295: self.done, 4: jobs[0]}
        for number, job in numbers.items():
            stream.send(type="subscribe", stream=number, job=job)
        found = {number: [] for number in numbers}
        while any(not r or r[-1].type != END for r in found.values()):
            message = stream.message()
            if is_record(message):
                found[message.stream].append(message)
        for number, job in numbers.items():
            self.assert_faithful(found[number], recording(self.lab, job))

    def test_unsubscribe(self):
        """after unsubscribing the number can be used again"""
        stream, job = self.connect(), self.running_job(steps=2_000_000, frames=20000)
        stream.send(type="subscribe", stream=1, job=job)
        stream.messages(lambda m: is_record(m, FRAME))
        stream.send(type="subscribe", stream=1, job=self.done)
        self.assertIn("in use", stream.answer("error")["detail"])
        stream.send(type="unsubscribe", stream=1)
        stream.send(type="subscribe", stream=1, job=self.done)
        stream.answer("subscribed")
        self.assert_faithful(follow(stream, 1), recording(self.lab, self.done))
        stream.send(type="unsubscribe", stream=77)
        self.assertEqual(stream.answer("error")["stream"], 77)

    def test_watching(self):
        """whoever watches is told of every job's states, of its progress at most five times a second, and of its deletion"""
        stream = self.connect()
        stream.send(type="watch")
        stream.answer("watching")
        begun = time.monotonic()
        job = self.running_job()
        states, times = [], []
        while not states or states[-1] != "succeeded":
            message = stream.message()
            if message["type"] == "job" and message["job"]["id"] == job:
                states.append(message["job"]["state"])
                times.append(time.monotonic() - begun)
        self.assertEqual([s for i, s in enumerate(states) if i == 0 or s != states[i - 1]][-2:], ["running", "succeeded"])
        self.assertGreater(len(times), 2)
        self.assertLessEqual(len(times), times[-1] * 5 + 3)  # counted from before the first, so that it does not matter how late they are read
        self.assertEqual(self.lab.request("DELETE", f"/api/v1/jobs/{job}")[0], 204)
        self.assertEqual(stream.answer("deleted")["job"], job)

    def test_watch_is_acknowledged(self):
        """`watch` is answered, so that a page need not ask for jobs before it will hear of their changes"""
        stream = self.connect()
        stream.send(type="watch")
        self.assertEqual(stream.message(), {"type": "watching"})

    def test_600_cancelled_at_once(self):
        """of 600 jobs cancelled at once every watcher learns every state, also one that reads late"""
        lab = Lab("--slots", 1, "--lease-seconds", 3600).start()
        self.addCleanup(lab.close)
        blocker = lab.submit(Lab.long_scene())["id"]
        lab.wait_until(blocker, lambda j: j["state"] == "running")
        lab.hold_workers()
        scene = json.dumps(Lab.small_scene())
        jobs = [lab.submit(json.loads(scene))["id"] for _ in range(600)]
        watchers = [Stream(lab.port, timeout=60 * PATIENCE, receive_buffer=4096 if late else None) for late in (False, True)]
        for stream in watchers:
            self.addCleanup(stream.close)
            stream.send(type="watch")
            stream.answer("watching")
        with ThreadPoolExecutor(8) as crowd:
            answers = list(crowd.map(lambda job: lab.request("POST", f"/api/v1/jobs/{job}/cancel")[0], jobs))
        self.assertEqual(answers, [202] * 600)
        for stream in watchers:
            missing = set(jobs)
            while missing:
                message = stream.message()
                self.assertNotEqual(message["type"], "resync")
                if message["type"] == "job" and message["job"]["state"] == "cancelled":
                    missing.discard(message["job"]["id"])

    def test_cancel_is_seen(self):
        """a viewer of a cancelled run gets its end record and its state"""
        stream, job = self.connect(), self.running_job(steps=2_000_000, frames=20000)
        stream.send(type="subscribe", stream=1, job=job)
        stream.messages(lambda m: is_record(m, CURVE))
        self.assertEqual(self.lab.request("POST", f"/api/v1/jobs/{job}/cancel")[0], 202)
        verdicts, states = [], []

        def both(message):  # in either order: one comes from the recording, the other from the store
            if is_record(message, END):
                verdicts.append(json.loads(message.payload)["verdict"])
            elif isinstance(message, dict) and message["type"] == "job":
                states.append(message["job"]["state"])
            return verdicts and "cancelled" in states

        stream.messages(both)
        self.assertEqual(verdicts, ["cancelled"])

    # ── misuse ──

    def test_unknown_job(self):
        """subscribing to a job that is not there is an error message at once, not with the server's next ping after 20 s; the connection stays"""
        stream = self.connect()
        begun = time.monotonic()
        stream.send(type="subscribe", stream=3, job=999999)
        error = stream.answer("error")
        self.assertLess(time.monotonic() - begun, 10 * PATIENCE)
        self.assertEqual(error["stream"], 3)
        self.assertIn("999999", error["detail"])
        stream.send(type="subscribe", stream=3, job=self.done)
        self.assert_faithful(follow(stream, 3), recording(self.lab, self.done))

    def test_malformed_messages(self):
        """messages that are not understood get an error message each; the connection stays"""
        stream = self.connect()
        for text in (b"", b"{", b"[]", b"null", b'{"type":"dance"}', b'{"type":"subscribe","stream":1}', b"\x00", b'{"a":' * 500,
                     b'{"type":"subscribe","stream":1,"job":1e300}', b"[" * 4000):
            stream.send_frame(ws.TEXT, text)
            self.assertTrue(stream.answer("error")["detail"])
        stream.send_frame(ws.BINARY, b"\x00" * 100)
        self.assertIn("binary", stream.answer("error")["detail"])
        stream.send(type="ack", stream=99, seq=5)
        stream.send_frame(ws.PING, b"still there?")
        stream.send(type="subscribe", stream=1, job=self.done, channels=[])
        self.assertEqual(stream.answer("subscribed")["job"], self.done)

    def test_fragments(self):
        """a message in several fragments, with a ping between them, is one message"""
        stream = self.connect()
        text = json.dumps({"type": "subscribe", "stream": 1, "job": self.done}).encode()
        stream.send_frame(ws.TEXT, text[:10], final=False)
        stream.send_frame(ws.PING, b"x")
        stream.send_frame(0, text[10:20], final=False)
        stream.send_frame(0, text[20:])
        self.assertEqual(stream.answer("subscribed")["stream"], 1)

    def assert_closed(self, stream, *codes):
        with self.assertRaises((ws.Closed, ConnectionResetError, BrokenPipeError)) as caught:
            stream.messages(lambda m: False)
        if isinstance(caught.exception, ws.Closed):
            self.assertIn(caught.exception.code, codes)

    def test_too_big(self):
        """a message above the limit closes the connection with 1009"""
        for size, final in ((4097, True), (100000, True), (3000, False)):
            stream = self.connect()
            stream.send_frame(ws.TEXT, b" " * size, final=final)
            if not final:
                stream.send_frame(0, b" " * size)
            self.assert_closed(stream, 1009)

    def test_too_many_streams(self):
        """the seventeenth stream of a connection closes it with 4000"""
        stream = self.connect()
        for number in range(1, 18):
            stream.send(type="subscribe", stream=number, job=self.done, channels=[])
        self.assert_closed(stream, 4000)

    def test_flood(self):
        """a client that sends without reading answers is cut off with 1008 or by its own full buffers, and others go on"""
        stream = self.connect(receive_buffer=4096)
        stream.socket.settimeout(2 * PATIENCE)
        try:
            for _ in range(200000):
                stream.send_frame(ws.TEXT, b"{}")
        except OSError:
            pass
        stream.socket.settimeout(60 * PATIENCE)
        self.assert_closed(stream, 1008, None)
        other = self.connect()
        other.send(type="subscribe", stream=1, job=self.done)
        self.assertEqual(follow(other, 1)[-1].type, END)

    def test_broken_frames(self):
        """frames that RFC 6455 forbids end the connection, and only that one"""
        def reserved(s):
            s.send_frame(ws.TEXT, b"{}", reserved=0x70)

        def opcode(s):
            s.send_frame(0x0B, b"{}")

        def huge(s):
            s.socket.sendall(bytes([0x81, 0xFF]) + struct.pack(">Q", 1 << 62) + b"abcd" + b"x" * 5000)

        def long_ping(s):
            s.send_frame(ws.PING, b"x" * 200)

        def stray(s):
            s.send_frame(0, b"{}")

        def unmasked(s):
            s.send_frame(ws.TEXT, b'{"type":"watch"}', masked=False)

        def unmasked_later(s):
            s.send(type="watch")
            self.assertEqual(s.answer("watching")["type"], "watching")
            for part in (b"\x81", b"\x02{}"):  # the bit comes by itself
                s.socket.sendall(part)
                time.sleep(0.05)

        def unmasked_behind(s):  # in one piece with a frame that has a mask, whose payload looks like one that has none
            s.socket.sendall(bytes([0x81, 0x84]) + bytes(4) + b"\x81\x02{}" + b"\x81\x00")

        for text in (b'{"type": "\xff"}', b'{"type": "\xed\xa0\x80"}', b'{"type": "watch\xc3'):  # no UTF-8 (RFC 6455, section 8.1)
            stream = self.connect()
            stream.send_frame(1, text)
            self.assert_closed(stream, 1007)
        other = self.connect()
        for wrong in (reserved, opcode, huge, long_ping, stray, unmasked, unmasked_later, unmasked_behind):
            stream = self.connect()
            wrong(stream)
            self.assert_closed(stream, 1002, 1009, None)
        other.send(type="subscribe", stream=1, job=self.done, channels=[])
        self.assertEqual(other.answer("subscribed")["stream"], 1)

    def test_random_frames(self):
        """frames at random break nothing"""
        for i in range(100):
            with raw.connect(self.lab.port) as s:
                head = (f"GET /ws/v1 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        f"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: scree.v1\r\n\r\n")
                s.sendall(head.encode() + os.urandom(20 + i * 7))
                s.settimeout(0.05)
                try:
                    s.recv(4096)
                except OSError:
                    pass
        self.assertEqual(self.connect().hello["type"], "hello")

    # ── the end of the server ──

    def test_z_shutting_down(self):
        """when screed ends, viewers get close code 1001, and can take up where they were after it is back"""
        lab = Lab("--checkpoint-seconds", 1).start()
        self.addCleanup(lab.close, check=False)
        job = lab.submit(Lab.small_scene(steps=8000, frames=400))["id"]
        stream = Stream(lab.port, timeout=60 * PATIENCE)
        stream.send(type="subscribe", stream=1, job=job)
        part = follow(stream, 1, until=lambda m: m.seq > 50 and m.type == CURVE)
        lab.process.terminate()
        with self.assertRaises(ws.Closed) as caught:
            while True:
                message = stream.message()
                if is_record(message):
                    part.append(message)
        self.assertEqual(caught.exception.code, 1001)
        self.assertEqual(lab.stop(), 0)
        self.continue_after(lab, job, part)

    def test_z_killed(self):
        """after kill -9 of screed a viewer takes up where it was, and the recording has no gap"""
        lab = Lab("--checkpoint-seconds", 1).start()
        self.addCleanup(lab.close, check=False)
        job = lab.submit(Lab.small_scene(steps=8000, frames=400))["id"]
        stream = Stream(lab.port, timeout=60 * PATIENCE)
        stream.send(type="subscribe", stream=1, job=job)
        part = follow(stream, 1, until=lambda m: m.seq > 50 and m.type == CURVE)
        lab.kill()
        stream.socket.close()
        self.continue_after(lab, job, part)

    def continue_after(self, lab, job, part):
        last = max(r.seq for r in part if r.type in ORDERED)
        lab.start()
        again = Stream(lab.port, timeout=120 * PATIENCE)
        again.send(type="subscribe", stream=1, job=job, **{"from": last})
        rest = follow(again, 1)
        again.close()
        records = recording(lab, job)
        both = part + rest
        self.assertEqual([r.seq for r in both if r.type in ORDERED], [s for s, r in sorted(records.items()) if r.type in ORDERED])
        for record in both:
            self.assertEqual(ws.as_in_file(record), records[record.seq].raw)
        self.assertEqual(json.loads(rest[-1].payload)["verdict"], "succeeded")
        self.assertEqual(lab.stop(), 0)


if __name__ == "__main__":
    unittest.main()
