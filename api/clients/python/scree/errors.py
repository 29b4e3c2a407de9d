"""What goes wrong: the exceptions, and how an error answer of the server becomes one of them."""
from __future__ import annotations

import json
import urllib.error
from typing import Any, Dict, List, Optional


class ScreeError(Exception):
    """Anything that went wrong; the text says what and what to do. `problem` is the server's problem document (RFC 9457), a dict with type,
    title, status, detail, instance and, where there are several reasons, errors; None for what no server said."""

    problem: Optional[Dict[str, Any]] = None


class ServerUnreachable(ScreeError):
    """No server answers at the address, or it can't serve for now."""


class SceneRefused(ScreeError):
    """The scene cannot be run. `problems` is a list of dicts with pointer, given, allowed and detail."""

    def __init__(self, message: str, problems: List[Dict[str, str]]):
        super().__init__(message)
        self.problems = problems


class NotFound(ScreeError):
    """There is no such job or resource."""


class Conflict(ScreeError):
    """The job's state does not allow it."""


class JobFailed(ScreeError):
    """The run failed; the text is its reason. `job` is the job."""

    job: Optional["Job"] = None


class JobCancelled(ScreeError):
    """The run was cancelled. `job` is the job."""

    job: Optional["Job"] = None


def _problem(error: urllib.error.HTTPError) -> ScreeError:
    """The exception for an error answer (a problem document, RFC 9457)."""
    try:
        document = json.loads(error.read())
    except ValueError:
        document = {}
    text = document.get("detail") or document.get("title") or f"the server answered {error.code}"
    if error.code == 422 and "errors" in document:
        raised: ScreeError = SceneRefused(text, document["errors"])
    else:
        raised = {404: NotFound, 409: Conflict, 429: ServerUnreachable, 502: ServerUnreachable, 503: ServerUnreachable,
                  504: ServerUnreachable}.get(error.code, ScreeError)(text)
    raised.problem = document or None
    return raised
