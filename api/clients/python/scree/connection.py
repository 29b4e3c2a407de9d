"""How a lab is reached: requests over HTTP with the token that its server asks for."""
from __future__ import annotations

import hashlib
import json
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Dict, Optional, Tuple, Union

from .access import _found_token, _given_token, _prove
from .errors import _BROKEN, NotFound, ServerUnreachable, _problem

_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a token that was found is shown to no proxy


class Connection:
    """Where a `screed` listens, and what it is shown."""

    def __init__(self, url: str = "http://127.0.0.1:8080", timeout: float = 120.0, token: Optional[str] = None):
        self.url = url.rstrip("/")
        self._token = token
        self._proved = ("", "")  # a token that the server has proved to have, and its address in numbers then
        self.timeout = timeout

    def upload(self, file: Union[str, Path, bytes], name: Optional[str] = None) -> str:
        """Uploads a file, or bytes, that scenes may refer to: returns "sha256:...", what a scene says for it. One that is there is not sent again."""
        data = bytes(file) if isinstance(file, (bytes, bytearray)) else Path(file).read_bytes()
        name = name if name is not None else "" if isinstance(file, (bytes, bytearray)) else Path(file).name
        digest = hashlib.sha256(data).hexdigest()
        try:
            return str(self._json("GET", f"/api/v1/assets/{digest}")["asset"])
        except NotFound:
            query = "?" + urllib.parse.urlencode({"name": name}) if name else ""
            return str(self._json("POST", "/api/v1/assets" + query, data, {"Content-Type": "application/octet-stream"})["asset"])

    def _access(self) -> Tuple[str, Dict[str, str]]:
        """Where the next request goes, and the header that shows the token, read anew each time: a server that was started again may have another. One
        that was found on this machine is shown only at the address whose server has proved to have it."""
        token = self._token or _given_token()
        if token:
            return self.url, {"Authorization": f"Bearer {token}"}
        token = _found_token(self.url)
        if token and self._proved[0] != token:
            reached, address = _prove(self.url, token, self.timeout)
            if reached and not address:
                raise ServerUnreachable(f"{self.url} answers, but can't prove that it is your screed, so it is not shown the token: somebody else may listen "
                                        "there. Give the address that screed printed, or Lab(url, token=...) to show a token all the same")
            if not address:
                return self.url, {}  # nobody answers: the request itself will tell why
            self._proved = (token, address)
        return (self._proved[1], {"Authorization": f"Bearer {token}"}) if token else (self.url, {})

    def _json(self, method: str, path: str, body: Optional[bytes] = None, headers: Optional[Dict[str, str]] = None) -> Any:
        data = self._read(method, path, body, dict(headers or {}, Accept="application/json"))
        return json.loads(data) if data else None

    def _read(self, method: str, path: str, body: Optional[bytes] = None, headers: Optional[Dict[str, str]] = None) -> bytes:
        with self._open(method, path, body, headers) as answer:
            try:
                data = answer.read()
            except _BROKEN as error:
                raise ServerUnreachable(f"the connection to {self.url} broke ({error})") from None
            if not data and answer.status != 204:
                raise ServerUnreachable(f"the connection to {self.url} broke in the head of an answer")
        return data

    def _open(self, method: str, path: str, body: Optional[bytes] = None, headers: Optional[Dict[str, str]] = None):
        base, access = self._access()
        request = urllib.request.Request(base + path, data=body, method=method, headers={**access, **(headers or {})})
        try:
            if base != self.url:
                return _DIRECT.open(request, timeout=self.timeout)
            return urllib.request.urlopen(request, timeout=self.timeout)
        except urllib.error.HTTPError as error:
            raise _problem(error) from None
        except _BROKEN as error:
            reason = getattr(error, "reason", error)
            if body and isinstance(reason, (BrokenPipeError, ConnectionResetError)):
                raise ServerUnreachable(f"{self.url} closed the connection while {len(body)} bytes were sent ({reason}); is that more than it takes, "
                                        "or did screed end?") from None
            if isinstance(reason, TimeoutError):
                raise ServerUnreachable(f"no answer from {self.url} within {self.timeout:g} s; is it busy? Lab(url, timeout=...) waits longer") from None
            raise ServerUnreachable(f"no answer from {self.url} ({reason}); is screed running there?") from None
