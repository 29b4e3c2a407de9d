"""How bytes come over from the server: records of the live stream, files over as many connections as it takes, and patience with a server that is away."""
from __future__ import annotations

import json
import random
import struct
import time
from typing import Any, BinaryIO, Callable, Iterator, List, Optional, Tuple

from .connection import Connection
from .errors import _BROKEN, NotFound, ScreeError, ServerUnreachable
from .websocket import _WebSocket

ENDED = ("succeeded", "failed", "cancelled")
_HEADER = struct.Struct("<IHHQdII")  # size, type, flags, seq, sim_time, crc32c, stream
_TOPOLOGY, _CURVE, _EVENT, _END = 2, 4, 5, 7
_PATIENCE = 60.0  # s without any answer after which a server that was there counts as gone


class _Outage:
    """How long a server that was there has not answered."""

    def __init__(self) -> None:
        self.since: Optional[float] = None

    def end(self) -> None:
        """It has answered."""
        self.since = None

    def lasts(self) -> bool:
        """It has not; whether for too long by now."""
        self.since = self.since or time.monotonic()
        return time.monotonic() - self.since > _PATIENCE


def _poll(refresh: Callable[[], object], longest: float, timeout: Optional[float], late: Callable[[], str]) -> Iterator[None]:
    """Refreshes again and again, through restarts of the server, with growing pauses of `longest` s at most, until the caller leaves the loop. Raises
    TimeoutError with the text of `late` after `timeout` seconds."""
    deadline = None if timeout is None else time.monotonic() + timeout
    pause, outage = 0.05, _Outage()
    while True:
        try:
            refresh()
            outage.end()
        except ServerUnreachable:
            if outage.lasts():
                raise
        yield
        if deadline is not None and time.monotonic() > deadline:
            raise TimeoutError(late())
        time.sleep(pause)
        pause = min(longest, pause * 1.3)


class _Position:
    """How far the samples of a job have been given: the newest record they came from."""

    def __init__(self) -> None:
        self.seq = 0
        self.names: List[str] = []
        self.ended = False


class _Download:
    """One file over as many connections as it takes. `size` and `tag` are those of the version that is being received."""

    def __init__(self, lab: Connection, path: str, accept: str, file: BinaryIO):
        self.lab, self.path, self.accept, self.file = lab, path, accept, file
        self.received, self.size, self.tag = 0, -1, ""

    def run(self) -> None:
        """Raises ServerUnreachable at once when there is no server, or a minute after the last byte."""
        last_byte, pause = time.monotonic(), 0.1
        while True:
            before = self.received
            try:
                if self._receive():
                    return
            except ServerUnreachable:
                if self.size < 0:
                    raise
            if self.received > before:
                last_byte, pause = time.monotonic(), 0.1
            if time.monotonic() - last_byte > _PATIENCE:
                raise ServerUnreachable(f"the download of {self.path} stopped after {self.received} of {self.size} bytes")
            time.sleep(pause * (0.5 + random.random()))
            pause = min(5.0, pause * 2)

    def _receive(self) -> bool:
        """One connection's worth. Whether the file is whole now."""
        headers = {"Accept": self.accept}
        if self.received > 0 and self.tag:
            headers.update({"Range": f"bytes={self.received}-", "If-Range": self.tag})
        with self.lab._open("GET", self.path, headers=headers) as answer:
            self._begin(answer)
            while True:
                try:
                    chunk = answer.read(1 << 16)
                except _BROKEN:
                    return False
                if not chunk:
                    break
                self.file.write(chunk)
                self.received += len(chunk)
        if self.size < 0 and answer.headers.get("Transfer-Encoding"):
            self.size = self.received  # it came in pieces, the last of which says that it is the last
        if self.received > self.size >= 0:
            raise ScreeError(f"{self.path} came with {self.received} bytes instead of {self.size}")
        return self.received == self.size

    def _begin(self, answer: Any) -> None:
        """Takes note of what comes: the rest, or, when the server has another version or knows no ranges, all of it again."""
        if answer.status == 206:
            place, _, total = answer.headers.get("Content-Range", "").partition("/")
            if total.isdigit() and place == f"bytes {self.received}-{int(total) - 1}":
                self.size = int(total)  # more than before when the run goes on: a recording only grows
                return
            raise ScreeError(f"the server answered {answer.headers.get('Content-Range')} for the rest of {self.path}")
        self.file.seek(0)
        self.file.truncate()
        tag = answer.headers.get("ETag", "")
        self.received, self.size = 0, int(answer.headers.get("Content-Length", -1))
        self.tag = "" if tag.startswith("W/") else tag  # a weak one does not vouch for bytes


def _rows(payload: bytes) -> List[Tuple[float, ...]]:
    """The samples of a curve record's payload."""
    _, samples, series = struct.unpack_from("<QII", payload)
    values = struct.unpack_from(f"<{samples * series}d", payload, 16)
    return [values[k * series:(k + 1) * series] for k in range(samples)]


def _records(lab: Connection, job: int, after: int, channel: str) -> Iterator[Tuple[int, int, float, bytes]]:
    """Topology, end and a channel's records of a job after a sequence number, live: (type, seq, time, payload). Ends with the run or the
    connection."""
    base, access = lab._access()
    stream = _WebSocket(base, "/ws/v1", "scree.v1", lab.timeout, access)
    try:
        stream.send(json.dumps({"type": "subscribe", "stream": 1, "job": job, "from": after, "channels": [channel]}))
        for message in stream.messages():
            if isinstance(message, bytes):
                size, kind, _, seq, moment, _, _ = _HEADER.unpack_from(message)
                yield kind, seq, moment, message[_HEADER.size:_HEADER.size + size]
                if kind == _END:
                    return
                continue
            news = json.loads(message)
            if news.get("type") == "error":
                raise ScreeError(news.get("detail", "the stream refused"))
            if news.get("type") == "deleted":
                raise NotFound(f"job {job} was deleted")
            if news.get("type") == "resync":  # job messages were lost: its state is asked for
                news = {"type": "job", "job": lab._json("GET", f"/api/v1/jobs/{job}")}
            if news.get("type") == "job" and news["job"]["id"] == job and news["job"]["state"] in ENDED and news["job"]["state"] != "succeeded":
                return  # a job cancelled before it started has no end record
    finally:
        stream.close()
