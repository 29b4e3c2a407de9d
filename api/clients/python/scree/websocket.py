"""As much of a WebSocket as the live stream needs, of the standard library alone."""
from __future__ import annotations

import base64
import os
import socket
import struct
import urllib.parse
from typing import Any, Dict, Iterator, Tuple

from .errors import ScreeError


class _WebSocket:
    """As much of RFC 6455 as a client of Scree needs: text and binary messages, fragments, ping."""

    def __init__(self, url: str, path: str, protocol: str, timeout: float, headers: Dict[str, str]):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme != "http":
            raise ScreeError(f"the live stream needs an http:// address, not {url}")
        host, port = parts.hostname or "127.0.0.1", parts.port or 80
        self.socket = socket.create_connection((host, port), timeout)
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: {protocol}\r\n"
                             + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            self._more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 101"):
            self.socket.close()
            raise ScreeError("the server refused the stream: " + head.split(b"\r\n", 1)[0].decode("latin-1"))
        self.socket.settimeout(max(timeout, 60.0))  # the server pings every 20 s

    def send(self, text: str) -> None:
        self._frame(1, text.encode())

    def close(self) -> None:
        try:
            self._frame(8, struct.pack(">H", 1000))
        except OSError:
            pass
        self.socket.close()

    def messages(self) -> Iterator[Any]:
        """str for text messages, bytes for binary ones, until the server closes."""
        kind, parts = 0, []
        while True:
            final, opcode, payload = self._read_frame()
            if opcode == 8:
                return
            if opcode == 9:
                self._frame(10, payload)
            elif opcode in (0, 1, 2):
                kind = opcode or kind
                parts.append(payload)
                if final:
                    whole, parts = b"".join(parts), []
                    yield whole.decode() if kind == 1 else whole

    def _frame(self, opcode: int, payload: bytes) -> None:
        mask = os.urandom(4)
        size = len(payload)
        head = bytes([0x80 | opcode]) + (bytes([0x80 | size]) if size < 126 else struct.pack(">BH", 0xFE, size) if size < 65536 else struct.pack(">BQ", 0xFF, size))
        self.socket.sendall(head + mask + bytes(byte ^ mask[k % 4] for k, byte in enumerate(payload)))

    def _read_frame(self) -> Tuple[bool, int, bytes]:
        first, second = self._take(2)
        size = second & 127
        if size == 126:
            size = struct.unpack(">H", self._take(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self._take(8))[0]
        return bool(first & 128), first & 15, self._take(size)

    def _take(self, count: int) -> bytes:
        while len(self.buffer) < count:
            self._more()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def _more(self) -> None:
        chunk = self.socket.recv(1 << 16)
        if not chunk:
            raise ConnectionError("the server closed the connection")
        self.buffer += chunk
