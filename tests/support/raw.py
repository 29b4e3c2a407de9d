"""Bytes over a socket, for requests no well-behaved client would send."""
import socket


def connect(port, timeout=120.0):
    return socket.create_connection(("127.0.0.1", port), timeout=timeout)


def exchange(port, data, timeout=120.0):
    """Sends bytes, reads until the server closes or one whole answer is there. b"" when it just closed."""
    with connect(port, timeout) as s:
        try:
            s.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # refused before all was sent; the answer may be there
        return read_answer(s)


def read_answer(s):
    """One answer with Content-Length, or all until the server closes."""
    data = b""
    while True:
        head, mark, body = data.partition(b"\r\n\r\n")
        if mark:
            lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            if lengths and len(body) >= int(lengths[0]):
                return data
        try:
            chunk = s.recv(65536)
        except ConnectionResetError:
            return data
        if not chunk:
            return data
        data += chunk
