"""A WebSocket client (RFC 6455) on plain sockets: just enough for tests, and able to misbehave on purpose."""
import base64
import collections
import hashlib
import json
import os
import socket
import struct
import time

from lab import TOKENS

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
RECORD = struct.Struct("<IHHQdII")
Record = collections.namedtuple("Record", "size type flags seq time crc stream payload raw")
SCENE, TOPOLOGY, FRAME, CURVE, EVENT, PROGRESS, END, GEOMETRY = 1, 2, 3, 4, 5, 6, 7, 10


class Refused(Exception):
    """The server answered the upgrade with something else than 101."""

    def __init__(self, status, head, body):
        super().__init__(f"{status}")
        self.status, self.head, self.body = status, head, body


class Closed(Exception):
    """The connection was closed; code is None when without a close frame."""

    def __init__(self, code, reason=""):
        super().__init__(f"{code} {reason}")
        self.code, self.reason = code, reason


def parse_record(raw):
    """A record as sent on the wire; its payload without the padding."""
    fields = RECORD.unpack_from(raw)
    return Record(*fields, raw[32:32 + fields[0]], raw)


def as_in_file(record):
    """The bytes a record has in the recording: stream taken as 0, and flags on frames."""
    header = RECORD.pack(record.size, record.type, 0, record.seq, record.time, record.crc, 0)
    return header + record.raw[32:]


class Stream:
    """One connection to /ws/v1. Messages are JSON values or Records."""

    def __init__(self, port, path="/ws/v1", protocol="scree.v1", headers=None, timeout=120.0, receive_buffer=None, hello=True):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        self.socket.connect(("127.0.0.1", port))
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        fields = {"Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": key,
                  "Sec-WebSocket-Version": "13"}
        if port in TOKENS:
            fields["Authorization"] = f"Bearer {TOKENS[port]}"
        if protocol:
            fields["Sec-WebSocket-Protocol"] = protocol
        fields.update(headers or {})
        lines = [f"GET {path} HTTP/1.1"] + [f"{name}: {value}" for name, value in fields.items() if value is not None]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = self._until(b"\r\n\r\n").decode("latin-1")
        status = int(head.split(" ", 2)[1]) if head.startswith("HTTP/") else 0
        if status != 101:
            body = self.buffer
            try:
                while chunk := self.socket.recv(65536):
                    body += chunk
            except OSError:
                pass
            self.socket.close()
            raise Refused(status, head, body)
        accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        assert f"sec-websocket-accept: {accept}".lower() in head.lower(), head
        self.head = head
        self.hello = self.message() if hello else None

    # ── bytes ──

    def _fill(self):
        chunk = self.socket.recv(262144)
        if not chunk:
            raise Closed(None)
        self.buffer += chunk

    def _until(self, mark):
        while mark not in self.buffer:
            try:
                self._fill()
            except Closed:
                return self.buffer
        head, self.buffer = self.buffer.split(mark, 1)
        return head

    def _take(self, count):
        while len(self.buffer) < count:
            self._fill()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def send_frame(self, opcode, payload=b"", final=True, masked=True, reserved=0):
        """One WebSocket frame, well-formed or not."""
        head = bytes([(0x80 if final else 0) | reserved | opcode])
        bit = 0x80 if masked else 0
        if len(payload) < 126:
            head += bytes([bit | len(payload)])
        elif len(payload) < 65536:
            head += bytes([bit | 126]) + struct.pack(">H", len(payload))
        else:
            head += bytes([bit | 127]) + struct.pack(">Q", len(payload))
        if masked:
            mask = os.urandom(4)
            payload = bytes(b ^ mask[i & 3] for i, b in enumerate(payload))
            head += mask
        self.socket.sendall(head + payload)

    # ── messages ──

    def send(self, **message):
        self.send_frame(TEXT, json.dumps(message).encode())

    def _frame(self):
        first, second = self._take(2)
        size = second & 0x7F
        assert not second & 0x80, "servers don't mask"
        if size == 126:
            size = struct.unpack(">H", self._take(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self._take(8))[0]
        return first & 0x0F, bool(first & 0x80), self._take(size)

    def message(self):
        """The next message: a JSON value or a Record. Answers pings. Raises Closed."""
        parts, kind = [], None
        while True:
            opcode, final, payload = self._frame()
            if opcode == PING:
                self.send_frame(PONG, payload)
            elif opcode == CLOSE:
                code = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else None
                try:
                    self.send_frame(CLOSE, payload[:2])
                except OSError:
                    pass
                raise Closed(code, payload[2:].decode())
            elif opcode != PONG:
                kind = opcode or kind
                parts.append(payload)
                if final:
                    whole = b"".join(parts)
                    return json.loads(whole) if kind == TEXT else parse_record(whole)

    def messages(self, until, seconds=240.0):
        """All messages up to and with the first for which until(message)."""
        end, found = time.monotonic() + seconds, []
        while True:
            found.append(self.message())
            if until(found[-1]):
                return found
            if time.monotonic() > end:
                raise TimeoutError(f"not seen within {seconds} s; last: {str(found[-1])[:300]}")

    def answer(self, kind, seconds=240.0):
        """The next JSON message of a type; others are dropped."""
        return self.messages(lambda m: isinstance(m, dict) and m["type"] == kind, seconds)[-1]

    def close(self):
        try:
            self.send_frame(CLOSE, struct.pack(">H", 1000))
        except OSError:
            pass
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def is_record(message, *types):
    return isinstance(message, Record) and (not types or message.type in types)
