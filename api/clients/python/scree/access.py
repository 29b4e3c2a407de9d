"""The token that a program of this user shows to a server (api/access/README.md)."""
from __future__ import annotations

import os
import urllib.parse
from typing import Optional


def _token_of(url: str) -> Optional[str]:
    """What a program of this user shows to a server (api/access/README.md)."""
    if os.environ.get("SCREE_TOKEN"):
        return os.environ["SCREE_TOKEN"]
    file = os.environ.get("SCREE_TOKEN_FILE")
    if not file:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            return None
        state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
        file = os.path.join(state, "scree", "servers", str(parts.port or 80))
    try:
        with open(file, encoding="ascii") as text:
            if not os.environ.get("SCREE_TOKEN_FILE") and _unlocked(text.fileno()):
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
