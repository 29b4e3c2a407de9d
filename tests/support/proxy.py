"""A proxy for one screed that breaks connections as a bad network does.

    with Proxy(lab.port, cut=lambda number, head: 5000 if b"/recording" in head else None) as proxy:
        client = scree.Lab(proxy.url)

`cut(number, head)` is asked for every connection with its number (0, 1, ...) and the request's head: None lets it pass, a number ends it
after so many bytes of the answer, 0 before the server has heard of it.
"""
import socket
import threading


class Proxy:
    def __init__(self, port, cut):
        self.server = ("127.0.0.1", port)
        self.cut = cut
        self.heads = []  # of all requests, in order
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.open = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.open.append(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            with client:
                head = b""
                while b"\r\n\r\n" not in head:
                    part = client.recv(65536)
                    if not part:
                        return
                    head += part
                number = len(self.heads)
                self.heads.append(head)
                left = self.cut(number, head)
                if left == 0:
                    return
                with socket.create_connection(self.server) as server:
                    self.open.append(server)
                    server.sendall(head)
                    threading.Thread(target=self._pump, args=(client, server, None), daemon=True).start()
                    self._pump(server, client, left)
        except OSError:
            pass

    @staticmethod
    def _pump(source, sink, left):
        """Carries bytes until one side ends, or `left` bytes have been carried; ends both."""
        try:
            while left is None or left > 0:
                part = source.recv(65536 if left is None else min(65536, left))
                if not part:
                    break
                sink.sendall(part)
                left = None if left is None else left - len(part)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def requests(self, part):
        """Heads of the requests that hold some bytes."""
        return [head for head in self.heads if part in head]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for connection in [self.listener, *self.open]:
            try:
                connection.close()
            except OSError:
                pass
