"""One run: how it stands, its curves, frames, events and files."""
from __future__ import annotations

import json
import math
import os
import random
import re
import tempfile
import time
import urllib.parse
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional

from .connection import Connection
from .errors import JobCancelled, JobFailed, Named, NotFound, ScreeError, ServerUnreachable
from .frames import Frame, _Shapes
from .transfer import ENDED, _CURVE, _END, _EVENT, _HEADER, _PATIENCE, _TOPOLOGY, _Download, _Outage, _Position, _poll, _records, _rows

_POLL = 0.5  # s between requests while the stream can't be had
_PAUSE = 0.5  # s, about, before a stream that broke is opened again; twice as long each time it can't be


class Job:
    """One run. Its attributes are as of the last refresh."""

    def __init__(self, lab: Connection, data: Dict[str, Any]):
        self.lab = lab
        self.data = data

    id = property(lambda self: self.data["id"], doc="Number of the job.")
    state = property(lambda self: self.data["state"], doc="queued, running, paused, succeeded, failed or cancelled.")
    progress = property(lambda self: self.data["progress"], doc="Step, times in s, peak force in N, broken bonds; None before the start.")

    doubts = property(lambda self: self.data.get("doubts", []), doc="Why not to trust a run that succeeded: dicts with kind and message; [] for none.")

    damage = property(lambda self: self.data.get("damage"), doc="What is missing in its recording: a dict with message, found, sound and expected; None for nothing.")

    name = property(lambda self: self.data["name"], doc="What it is called.")
    user = property(lambda self: self.data["user"], doc="Who submitted it, as they said; \"\": nobody said.")
    tags = property(lambda self: self.data["tags"], doc="Its tags, a dict of texts.")

    def __repr__(self) -> str:
        return f"<Job {self.id} {self.data['name']!r} {self.state}>"

    def refresh(self) -> "Job":
        """Asks the server anew."""
        self.data = self.lab._json("GET", f"/api/v1/jobs/{self.id}")
        return self

    def wait(self, timeout: Optional[float] = None, progress: Optional[Callable[["Job"], None]] = None) -> "Job":
        """Waits for the end, through restarts of the server. Raises JobFailed, JobCancelled, TimeoutError (after `timeout` seconds)."""
        for _ in _poll(self.refresh, 0.5, timeout, lambda: f"job {self.id} is still {self.state} after {timeout} s"):
            if progress:
                progress(self)
            self._raise_failure()
            if self.state == "succeeded":
                break
        return self

    def _raise_failure(self) -> None:
        error: Optional[ScreeError] = None
        if self.state == "failed":
            error = JobFailed(f"job {self.id} failed: {self.data['error']}")
        elif self.state == "cancelled":
            error = JobCancelled(f"job {self.id} was cancelled")
        if error is not None:
            error.job = self  # type: ignore[attr-defined]
            raise error

    def to_pandas(self) -> Any:
        """All samples recorded so far as a pandas.DataFrame: a column for each curve, the units in its attrs["units"]. Needs pandas."""
        try:
            import pandas
        except ImportError:
            raise ScreeError("to_pandas needs pandas (pip install pandas); curves() gives the same as lists") from None
        frame = pandas.DataFrame(self.curves())
        frame.attrs["units"] = self.units()
        return frame

    def frames(self) -> List["Frame"]:
        """All frames recorded so far, in order. Each loads its bytes when it is first asked for positions or fields."""
        listed = self.lab._json("GET", f"/api/v1/jobs/{self.id}/frames")
        if not listed["frames"]:
            return []
        path = f"/api/v1/jobs/{self.id}/records"
        topology = json.loads(self._record(f"{path}/{listed['topology_seq']}"))
        shapes = _Shapes(self, path, listed["topology_seq"], topology)
        return [Frame(self, number, entry["time"], f"{path}/{entry['seq']}", topology, shapes) for number, entry in enumerate(listed["frames"])]

    def _record(self, path: str) -> bytes:
        """The payload of a record."""
        data = self.lab._read("GET", path, headers={"Accept": "*/*"})
        size = _HEADER.unpack_from(data)[0]
        return data[_HEADER.size:_HEADER.size + size]

    def events(self) -> Iterator[Dict[str, Any]]:
        """What happened in the run, from its beginning and live until it ends: dicts with time (s), kind ("first_break", "stop_rule", "doubt",
        ...) and message. Each is given once, also when the connection breaks."""
        after, pause, outage = 0, 0.1, _Outage()
        while True:
            over, before = self.state in ENDED, after
            try:
                for kind, seq, moment, payload in _records(self.lab, self.id, after, "event"):
                    outage.end()
                    if kind == _EVENT and seq > after:
                        after = seq
                        yield {"time": moment, **json.loads(payload)}
                    if kind == _END:
                        return
                if over and after == before:
                    return  # a job that was cancelled before it started has no end record
                self.refresh()
            except NotFound:
                raise
            except (OSError, ScreeError):
                if outage.lasts():
                    raise ServerUnreachable(f"the events of job {self.id} can't be had from {self.lab.url}") from None
            time.sleep(pause)
            pause = min(5.0, pause * 2)

    def curves(self) -> Dict[str, List[float]]:
        """All samples recorded so far, by curve name, in SI units. A name that is not there raises UnknownName, a KeyError, with the nearest ones."""
        data = self.lab._json("GET", f"/api/v1/jobs/{self.id}/curves")
        return Named("curve", {series["name"]: [row[k] for row in data["samples"]] for k, series in enumerate(data["series"])})

    def tables(self) -> List[Dict[str, Any]]:
        """The event tables that the job's method declares: dicts with "name", "label", "columns" (each with "name", "unit", "label" and, where names
        stand in it instead of numbers, "values"), "rows" (how many are recorded so far) and "picture". Empty before the run has begun."""
        return self.lab._json("GET", f"/api/v1/jobs/{self.id}/tables")

    def table(self, name: str) -> Dict[str, List[Any]]:
        """The rows of an event table recorded so far, as columns like those of curves(): numbers in the columns' units, NaN where there is no value,
        text in columns with named values. Raises NotFound while nothing is recorded, and when the job's method has no such table."""
        data = self.lab._json("GET", f"/api/v1/jobs/{self.id}/tables/{urllib.parse.quote(name, safe='')}")
        return {column["name"]: [math.nan if row[k] is None else row[k] for row in data["rows"]] for k, column in enumerate(data["columns"])}

    def breaks(self) -> Dict[str, List[Any]]:
        """The table "breaks" of methods whose bodies break, in the order of breaking: "time" (s), "step", "a" and "b" (the two elements that came
        apart, numbered through all specimens), "mode" ("tension", "shear" or "stretch"), "load" (stress over strength, or stretch over critical
        stretch), "tension" and "shear" (Pa; NaN where the method judges by the stretch), "x", "y", "z" (m, the place)."""
        return self.table("breaks")

    def fragments(self) -> Dict[str, List[float]]:
        """The table "fragments" of methods whose bodies break: the pieces by mass at every frame. "time" (s), "dust" (1: the row of single elements,
        0: a class of masses), "lower_mass" and "upper_mass" (kg, bounds of the class), "count", "mass" (kg, of all of them). A class that is empty
        has no row."""
        return self.table("fragments")

    def units(self) -> Dict[str, str]:
        """The unit of every curve."""
        data = self.lab._json("GET", f"/api/v1/jobs/{self.id}/curves?after=9007199254740991")
        return {series["name"]: series["unit"] for series in data["series"]}

    def samples(self) -> Iterator[Dict[str, float]]:
        """Every sample from the first on, live as it is recorded, until the run ends. Gives each exactly once, in order: over the stream, and
        where that can't be opened or breaks, by asking for new samples twice a second until it can."""
        at = _Position()
        pause, stream_at, outage = _PAUSE, 0.0, _Outage()
        while True:
            if time.monotonic() >= stream_at:
                before = at.seq
                try:
                    for row in self._stream(at):
                        yield row
                except NotFound:
                    raise
                except (OSError, ScreeError):
                    pass
                pause = _PAUSE if at.seq > before else min(_PATIENCE, pause * 2)
                stream_at = time.monotonic() + pause * (0.5 + random.random())
            if at.ended:
                return
            try:
                for row in self._poll(at):
                    yield row
                outage.end()
            except ServerUnreachable:
                if outage.lasts():
                    raise
            if at.ended:
                return
            time.sleep(max(0.0, min(_POLL, stream_at - time.monotonic())))

    def _stream(self, at: "_Position") -> Iterator[Dict[str, float]]:
        """The samples after a position over the stream, until the run or the connection ends."""
        for kind, seq, _, payload in _records(self.lab, self.id, at.seq, "curve"):
            if kind == _TOPOLOGY:
                at.names = [series["name"] for series in json.loads(payload)["series"]]
            elif kind == _CURVE and seq > at.seq:
                for row in _rows(payload):
                    yield dict(zip(at.names, row))
            at.seq = max(at.seq, seq)
            at.ended = kind == _END

    def _poll(self, at: "_Position") -> Iterator[Dict[str, float]]:
        """The samples after a position that are recorded by now."""
        ended = self.refresh().state in ENDED  # asked first: what an ended run recorded is all there
        data = self.lab._json("GET", f"/api/v1/jobs/{self.id}/curves?after={at.seq}")
        names = [series["name"] for series in data["series"]]
        for row in data["samples"]:
            yield {name: math.nan if value is None else float(value) for name, value in zip(names, row)}
        at.seq = max(at.seq, data["last_seq"])
        at.ended = ended

    def cancel(self) -> "Job":
        """Ends the run as cancelled; what is recorded stays."""
        return self._act("cancel")

    def pause(self) -> "Job":
        """Holds the job; a running one saves a checkpoint first."""
        return self._act("pause")

    def resume(self) -> "Job":
        """Puts a paused job back in the queue."""
        return self._act("resume")

    def change(self, **changes: Any) -> "Job":
        """Changes name, tags (replaced as a whole), notes or priority, at any time: job.change(notes="the good one")."""
        self.data = self.lab._json("PATCH", f"/api/v1/jobs/{self.id}", json.dumps(changes).encode(), {"Content-Type": "application/json"})
        return self

    def delete(self) -> None:
        """Deletes an ended job and its files."""
        self.lab._json("DELETE", f"/api/v1/jobs/{self.id}")

    def fetch(self, directory: str) -> List[Path]:
        """Saves curves.csv, plot.svg, recording.scree, scene.json and the job's files() into a folder, each as a whole or not at all. A download that is cut off
        goes on where it was, or from the start where the server can't; ServerUnreachable after a minute without a byte."""
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        base = f"/api/v1/jobs/{self.id}"
        wanted = [("curves.csv", base + "/curves", "text/csv"), ("plot.svg", base + "/curves", "image/svg+xml"),
                  ("recording.scree", base + "/recording", "*/*"), ("scene.json", base + "/scene", "application/json")]
        for name in self.files():
            (folder / name).parent.mkdir(exist_ok=True)
            wanted.append((name, f"{base}/files/{name}", "*/*"))
        return [self._save(folder / name, path, accept) for name, path, accept in wanted]

    def files(self) -> List[str]:
        """Names, "folder/file", of what the method has made so far beside the recording: contact problems, reports, mode bases. Most jobs have none."""
        names = [file["name"] for file in self.lab._json("GET", f"/api/v1/jobs/{self.id}/files")["files"]]
        return [name for name in names if re.fullmatch(r"[a-z0-9_][a-z0-9_.-]*/[a-z0-9_][a-z0-9_.-]*", name)]

    def file(self, name: str) -> bytes:
        """One of files(), as it is."""
        if name not in self.files():
            raise NotFound(f"job {self.id} has no file {name!r}; files() lists those it has")
        return self.lab._read("GET", f"/api/v1/jobs/{self.id}/files/{name}")

    def surface(self, frame: int, path: str) -> Path:
        """Saves the surfaces of a frame (of pieces, bodies, meshes) as a file in m, STL or binary PLY by its name's ending. frame: its number from 0; -1 is the newest.
        Raises NotFound when there is no such frame, ScreeError when it would be too large, ServerUnreachable while others have theirs made."""
        target = Path(path)
        if target.suffix.lower() not in (".stl", ".ply"):
            raise ValueError(f"{path}: surfaces come as .stl or .ply")
        frames = self.lab._json("GET", f"/api/v1/jobs/{self.id}/frames")["frames"]
        if not -len(frames) <= frame < len(frames):
            raise NotFound(f"job {self.id} has no frame {frame}; it has {len(frames)}")
        base = f"/api/v1/jobs/{self.id}/frames/{frames[frame]['seq']}/surface"
        return self._save(target, f"{base}?format={target.suffix[1:].lower()}", "*/*")

    def _save(self, target: Path, path: str, accept: str) -> Path:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name + ".")
        try:
            with os.fdopen(handle, "wb") as file:
                _Download(self.lab, path, accept, file).run()
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
        return target

    def _act(self, verb: str) -> "Job":
        self.data = self.lab._json("POST", f"/api/v1/jobs/{self.id}/{verb}", b"")
        return self
