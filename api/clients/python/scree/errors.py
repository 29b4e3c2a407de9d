"""What goes wrong: the exceptions, and how an error answer of the server becomes one of them."""
from __future__ import annotations

import difflib
import http.client
import json
import urllib.error
from typing import Any, Dict, List, Optional

_BROKEN = (OSError, http.client.HTTPException)  # what a connection that ends in the middle raises
_REASONS_SHOWN = 20  # of a refused scene in its text; all of them are in `problems`


class ScreeError(Exception):
    """Anything that went wrong; the text says what and what to do. `problem` is the server's problem document (RFC 9457), a dict with type,
    title, status, detail, instance and, where there are several reasons, errors; None for what no server said."""

    problem: Optional[Dict[str, Any]] = None


class ServerUnreachable(ScreeError):
    """No server answers at the address, or it can't serve for now."""


class SceneRefused(ScreeError):
    """The scene cannot be run. `problems` is a list of dicts with pointer, given, allowed and detail; the text names them, a line each."""

    def __init__(self, message: str, problems: List[Dict[str, str]]):
        super().__init__(message)
        self.problems = problems

    def __str__(self) -> str:
        lines = [f"  {reason.get('pointer') or '/'}: {reason.get('detail', '')}" for reason in self.problems[:_REASONS_SHOWN]]
        if len(self.problems) > _REASONS_SHOWN:
            lines.append(f"  and {len(self.problems) - _REASONS_SHOWN} more: see .problems")
        return "\n".join([super().__str__(), *lines])


class UnknownName(ScreeError, KeyError):
    """There is no scene or curve of that name; the text names the nearest ones there are."""

    __str__ = Exception.__str__  # KeyError's would put the text in quotes


class Named(Dict[str, Any]):
    """A dict whose missing names are answered with the nearest ones that it has."""

    def __init__(self, what: str, values: Dict[str, Any]):
        super().__init__(values)
        self._what = what

    def __missing__(self, name: str) -> Any:
        near = difflib.get_close_matches(str(name), self, n=3, cutoff=0.4)
        known = ", ".join(sorted(self)[:8]) + (", ..." if len(self) > 8 else "")
        hint = f"; did you mean {' or '.join(repr(one) for one in near)}?" if near else f"; known are: {known or 'none'}"
        raise UnknownName(f"there is no {self._what} {name!r}{hint}")


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
