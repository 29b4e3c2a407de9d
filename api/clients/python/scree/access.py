"""The token that a program of this user shows to a server (api/access/README.md)."""
from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import os
import secrets
import urllib.parse
from typing import Optional, Tuple


def _given_token() -> Optional[str]:
    """The token that the environment names, for whatever server is asked."""
    if os.environ.get("SCREE_TOKEN"):
        return os.environ["SCREE_TOKEN"]
    file = os.environ.get("SCREE_TOKEN_FILE")
    return _first_line(file, False) if file else None


def _found_token(url: str) -> Optional[str]:
    """The token that a screed of this user on this machine has left, for that server alone: it has to prove first that it has it."""
    parts = urllib.parse.urlsplit(url)
    if os.environ.get("SCREE_TOKEN_FILE") or parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        return None
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return _first_line(os.path.join(state, "scree", "servers", str(parts.port or 80)), True)


def _first_line(file: str, locked: bool) -> Optional[str]:
    try:
        with open(file, encoding="ascii") as text:
            if locked and _unlocked(text.fileno()):
                return None  # its server is gone: what listens there now may be somebody else's
            return text.readline().strip()
    except (OSError, UnicodeDecodeError):
        return None


def _unlocked(file: int) -> bool:
    """Whether no screed that lives holds the lock of a file."""
    try:
        import fcntl
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return True
    except (ImportError, OSError):
        return False


def _prove(url: str, token: str, timeout: float) -> Tuple[bool, Optional[str]]:
    """Has a server prove that it has a token, without showing it the token. Whether anybody answered, and the server's address in numbers when it did
    prove it: the token is shown there, and nowhere else."""
    parts = urllib.parse.urlsplit(url)
    nonce = secrets.token_urlsafe(32)
    connection = http.client.HTTPConnection(parts.hostname or "127.0.0.1", parts.port or 80, timeout=timeout)  # asks no proxy
    try:
        connection.connect()
        host, port = connection.sock.getpeername()[:2]
        peer = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    except OSError:
        return False, None
    try:
        connection.request("GET", f"/api/v1/proof?nonce={nonce}")
        answer = json.loads(connection.getresponse().read(4096))
        proof = answer.get("proof", "") if isinstance(answer, dict) else ""
    except (OSError, http.client.HTTPException, ValueError):
        return True, None
    finally:
        connection.close()
    expected = hmac.new(token.encode(), f"scree proof\n{nonce}\n{peer}".encode(), hashlib.sha256).hexdigest()
    return True, f"http://{peer}" if isinstance(proof, str) and hmac.compare_digest(proof.encode(), expected.encode()) else None
