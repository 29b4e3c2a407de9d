"""Scree from Python: submit scenes, watch them live, take their curves home.

    import scree
    lab = scree.Lab("http://127.0.0.1:8080")
    job = lab.submit(lab.gallery()["hollow-sphere-crush"])
    for sample in job.samples():                    # live, one dict per sample: {"time": 1e-6, "wall.z_max.force_z": 3.2, ...}
        print(sample["time"], sample["wall.z_max.force_z"])
    curves = job.wait().curves()                    # {"time": [...], ...}
    last = job.frames()[-1]
    last.positions, last.field("speed")             # NumPy arrays where NumPy is installed, else lists
    last.instances, last.surfaces, last.threads     # bodies, deforming meshes and polylines, where a method draws them
    print(job.doubts)                               # why not to trust a run that succeeded; [] for a plain success

    for job in lab.as_completed([lab.submit(scene) for scene in variants]): ...

One file, standard library only, Python 3.9 or later. All quantities are in SI units; curves carry theirs in Job.units().
"""
from __future__ import annotations

import base64
import hashlib
import http.client
import json
import math
import os
import random
import re
import socket
import struct
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, BinaryIO, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union

try:
    import numpy as _numpy
except ImportError:
    _numpy = None  # type: ignore[assignment]

__all__ = ["Lab", "Job", "Frame", "Shape", "Instances", "Surface", "Threads", "ScreeError", "ServerUnreachable", "SceneRefused", "NotFound", "Conflict", "JobFailed", "JobCancelled"]

ENDED = ("succeeded", "failed", "cancelled")
_HEADER = struct.Struct("<IHHQdII")  # size, type, flags, seq, sim_time, crc32c, stream
_TOPOLOGY, _CURVE, _EVENT, _END = 2, 4, 5, 7
_BLOCK = struct.Struct("<IIII")  # drawable, element_count, array_count, byte_size
_GEOMETRY = struct.Struct("<IIIIII")  # drawable, shape, vertex_count, triangle_count, mode_count, 0
_ARRAY = struct.Struct("<IIII3d3d")  # field, encoding, components, byte_size, low, high
_ENCODINGS = (("f", "<f4"), ("H", "<u2"), ("I", "<u4"))  # float32, uint16, uint32: for struct and for NumPy
_PATIENCE = 60.0  # s without any answer after which a server that was there counts as gone
_POLL = 0.5  # s between requests while the stream can't be had
_PAUSE = 0.5  # s, about, before a stream that broke is opened again; twice as long each time it can't be
_BROKEN = (OSError, http.client.HTTPException)  # what a connection that ends in the middle raises


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


class Lab:
    """A running `screed`.

    url: its address, e.g. "http://127.0.0.1:8080".  timeout: seconds one request may take.
    token: what it asks for; by default that of the environment (SCREE_TOKEN, or the file SCREE_TOKEN_FILE), else, for a screed of yours on this
    machine, the one it has left for you."""

    def __init__(self, url: str = "http://127.0.0.1:8080", timeout: float = 30.0, token: Optional[str] = None):
        self.url = url.rstrip("/")
        self._token = token
        self.timeout = timeout

    def submit(self, scene: Dict[str, Any], idempotency_key: Optional[str] = None, priority: int = 0, name: Optional[str] = None,
               tags: Optional[Dict[str, str]] = None, folder: Optional[Union[str, Path]] = None) -> "Job":
        """Queues a scene. The same idempotency_key with the same scene gives the first job again. `name` stands instead of the scene's; by its
        tags, such as {"study": "notch"}, a job can be found again. With a folder, files that the scene refers to by paths below it
        ("file": "meshes/part.stl") are uploaded where the server lacks them. Raises SceneRefused; ValueError for a path out of the folder."""
        if folder is not None:
            scene = self._with_uploads(scene, Path(folder))
        headers = {"Content-Type": "application/json"}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        path = "/api/v1/jobs" + (f"?priority={priority}" if priority else "")
        body: Dict[str, Any] = scene
        if name is not None or tags:
            body = {"scene": scene, "tags": tags or {}, **({} if name is None else {"name": name}), **({"priority": priority} if priority else {})}
            path = "/api/v1/jobs"
        return Job(self, self._json("POST", path, json.dumps(body).encode(), headers))

    def check(self, scene: Dict[str, Any]) -> Dict[str, Any]:
        """The scene with every default filled in ("scene"), what it will cost ("estimate") and what is unusual about it ("warnings": list of
        pointer, given, allowed, detail). Raises SceneRefused."""
        return self._json("POST", "/api/v1/scenes/check", json.dumps(scene).encode(), {"Content-Type": "application/json"})

    def template(self, scene: Dict[str, Any], specimen: Optional[str] = None) -> Dict[str, Any]:
        """What a specimen (the first, without a name) of a scene is made into, without running it: numbers and checks ("template"), and surface and modes
        ("shape": vertices, triangles, fields; None where there are too many). Raises SceneRefused, also for methods that make none."""
        query = "" if specimen is None else f"?specimen={urllib.parse.quote(specimen, safe='')}"
        return self._json("POST", f"/api/v1/scenes/template{query}", json.dumps(scene).encode(), {"Content-Type": "application/json"})

    def job(self, id: int) -> "Job":
        """The job of that number. Raises NotFound."""
        return Job(self, self._json("GET", f"/api/v1/jobs/{id}"))

    def jobs(self, state: Optional[str] = None, method: Optional[str] = None, tags: Optional[Dict[str, str]] = None,
             search: Optional[str] = None) -> Iterator["Job"]:
        """All jobs, newest first, that fit: in one of the states ("succeeded" or "queued,running"), of a method, with all these tags (4 at most),
        with all words of `search` in name, title or notes."""
        filters = [(key, value) for key, value in (("state", state), ("method", method), ("q", search)) if value is not None]
        filters += [("tag", f"{key}:{value}") for key, value in (tags or {}).items()]
        cursor: Optional[str] = None
        while True:
            query = filters + ([("cursor", cursor)] if cursor else [])
            page = self._json("GET", "/api/v1/jobs" + ("?" + urllib.parse.urlencode(query) if query else ""))
            for data in page["jobs"]:
                yield Job(self, data)
            cursor = page["next"]
            if cursor is None:
                return

    def as_completed(self, jobs: Iterable["Job"], timeout: Optional[float] = None) -> Iterator["Job"]:
        """Each job as it ends, however it ends, through restarts of the server. Raises TimeoutError when some go on after `timeout` seconds."""
        waiting = list(jobs)
        deadline = None if timeout is None else time.monotonic() + timeout
        pause, outage = 0.05, _Outage()
        while waiting:
            still = []
            for job in waiting:
                try:
                    if job.state not in ENDED:
                        job.refresh()
                    outage.end()
                except ServerUnreachable:
                    if outage.lasts():
                        raise
                if job.state in ENDED:
                    pause = 0.05
                    yield job
                else:
                    still.append(job)
            waiting = still
            if waiting and deadline is not None and time.monotonic() > deadline:
                raise TimeoutError(f"{len(waiting)} jobs go on after {timeout} s, the first of them job {waiting[0].id}")
            if waiting:
                time.sleep(pause)
                pause = min(0.5, pause * 1.3)

    def wait_all(self, jobs: Iterable["Job"], timeout: Optional[float] = None, check: bool = True) -> List["Job"]:
        """The jobs, in the order given, once all have ended. Then raises JobFailed or JobCancelled for the first that did not succeed, unless
        `check` is False. Raises TimeoutError as as_completed does."""
        wanted = list(jobs)
        for _ in self.as_completed(wanted, timeout):
            pass
        for job in wanted if check else ():
            job._raise_failure()
        return wanted

    def gallery(self) -> Dict[str, Dict[str, Any]]:
        """The scenes that come with Scree, by name."""
        return {entry["name"]: entry["scene"] for entry in self._json("GET", "/api/v1/gallery")["scenes"]}

    def methods(self) -> List[Dict[str, Any]]:
        """The methods with their options and curves."""
        return self._json("GET", "/api/v1/methods")["methods"]

    def schema(self, method: str) -> Dict[str, Any]:
        """JSON Schema of scenes for one method."""
        return self._json("GET", "/api/v1/schema?method=" + urllib.parse.quote(method))

    def _open(self, method: str, path: str, body: Optional[bytes] = None, headers: Optional[Dict[str, str]] = None):
        request = urllib.request.Request(self.url + path, data=body, method=method, headers={**self._access(), **(headers or {})})
        try:
            return urllib.request.urlopen(request, timeout=self.timeout)
        except urllib.error.HTTPError as error:
            raise _problem(error) from None
        except _BROKEN as error:
            reason = getattr(error, "reason", error)
            raise ServerUnreachable(f"no answer from {self.url} ({reason}); is screed running there?") from None

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

    def _with_uploads(self, value: Any, folder: Path) -> Any:
        """The scene with what `file` says for paths below the folder replaced by what was uploaded."""
        if isinstance(value, list):
            return [self._with_uploads(item, folder) for item in value]
        if not isinstance(value, dict):
            return value
        changed = {key: self._with_uploads(item, folder) for key, item in value.items()}
        path = changed.get("file")
        if isinstance(path, str) and not path.startswith("sha256:"):
            if not (folder / path).resolve().is_relative_to(folder.resolve()):
                raise ValueError(f"the file {path!r} is not below {folder}")
            changed["file"] = self.upload(folder / path)
        return changed

    def _access(self) -> Dict[str, str]:
        """The header that shows the token, read anew each time: a server that was started again may have another."""
        token = self._token or _token_of(self.url)
        return {"Authorization": f"Bearer {token}"} if token else {}

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


class Job:
    """One run. Its attributes are as of the last refresh."""

    def __init__(self, lab: Lab, data: Dict[str, Any]):
        self.lab = lab
        self.data = data

    id = property(lambda self: self.data["id"], doc="Number of the job.")
    state = property(lambda self: self.data["state"], doc="queued, running, paused, succeeded, failed or cancelled.")
    progress = property(lambda self: self.data["progress"], doc="Step, times in s, peak force in N, broken bonds; None before the start.")

    doubts = property(lambda self: self.data.get("doubts", []), doc="Why not to trust a run that succeeded: dicts with kind and message; [] for none.")

    damage = property(lambda self: self.data.get("damage"), doc="What is missing in its recording: a dict with message, found, sound and expected; None for nothing.")

    name = property(lambda self: self.data["name"], doc="What it is called.")
    tags = property(lambda self: self.data["tags"], doc="Its tags, a dict of texts.")

    def __repr__(self) -> str:
        return f"<Job {self.id} {self.data['name']!r} {self.state}>"

    def refresh(self) -> "Job":
        """Asks the server anew."""
        self.data = self.lab._json("GET", f"/api/v1/jobs/{self.id}")
        return self

    def wait(self, timeout: Optional[float] = None, progress: Optional[Callable[["Job"], None]] = None) -> "Job":
        """Waits for the end, through restarts of the server. Raises JobFailed, JobCancelled, TimeoutError (after `timeout` seconds)."""
        deadline = None if timeout is None else time.monotonic() + timeout
        pause, outage = 0.05, _Outage()
        while True:
            try:
                self.refresh()
                outage.end()
            except ServerUnreachable:
                if outage.lasts():
                    raise
            if progress:
                progress(self)
            self._raise_failure()
            if self.state == "succeeded":
                return self
            if deadline is not None and time.monotonic() > deadline:
                raise TimeoutError(f"job {self.id} is still {self.state} after {timeout} s")
            time.sleep(pause)
            pause = min(0.5, pause * 1.3)

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
        """All samples recorded so far, by curve name, in SI units."""
        data = self.lab._json("GET", f"/api/v1/jobs/{self.id}/curves")
        return {series["name"]: [row[k] for row in data["samples"]] for k, series in enumerate(data["series"])}

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


class Shape:
    """A mesh that instances are copies of, or the unloaded mesh of a surface.

    name: what it is called.  vertices: (n, 3), m, in its own axes.  triangles: (m, 3), numbers of vertices, counter-clockwise seen from outside.
    modes: one (n, 3) array of displacements per mode, m."""

    def __init__(self, name: str, vertices: Any, triangles: Any, modes: List[Any]):
        self.name, self.vertices, self.triangles, self.modes = name, vertices, triangles, modes

    def __repr__(self) -> str:
        return f"<Shape {self.name!r}: {len(self.vertices)} vertices, {len(self.triangles)} triangles, {len(self.modes)} modes>"


class Instances:
    """Copies of a few shapes in one frame; arrays have a row for each copy.

    positions: (n, 3), m, where the shape's origin is.  orientations: (n, 3), rad, rotation vectors: the axis of the turn as long as its angle.
    shapes: list of Shape.  shape: (n,), which of them each is a copy of.  scales: (n,), 1.  amplitudes: (n, modes), of the shape's modes.
    ids: (n,), their names where they come and go, else None.  fields: all of it and the scalars, by name, in the topology's units."""

    def __init__(self, name: str, fields: Dict[str, Any], shapes: List[Shape]):
        count = len(fields["position"])
        self.name, self.fields, self.shapes = name, fields, shapes
        self.positions, self.orientations = fields["position"], fields["orientation"]
        self.shape = fields.get("shape", _filled(count, 0))
        self.scales = fields.get("scale", _filled(count, 1.0))
        self.amplitudes = _rows_of(fields.get("amplitudes"), count)
        self.ids = fields.get("id")

    def __len__(self) -> int:
        return len(self.positions)

    def vertices(self, index: int) -> Any:
        """The vertices of one copy where they are, (vertices, 3), m: position + R scale (vertex + sum of amplitude times mode). Its triangles are
        shapes[shape[index]].triangles."""
        of = self.shapes[int(self.shape[index])]
        rotation, position, scale = _rotation(self.orientations[index]), self.positions[index], float(self.scales[index])
        amplitudes = [float(a) for a in self.amplitudes[index]][:len(of.modes)]
        if _numpy is not None:
            blended = of.vertices + sum(a * mode for a, mode in zip(amplitudes, of.modes))
            return position + scale * blended @ _numpy.array(rotation).T
        blended = [[x + sum(a * mode[v][c] for a, mode in zip(amplitudes, of.modes)) for c, x in enumerate(vertex)]
                   for v, vertex in enumerate(of.vertices)]
        return [tuple(position[r] + scale * sum(rotation[r][c] * vertex[c] for c in range(3)) for r in range(3)) for vertex in blended]


class Surface:
    """A mesh that deforms, in one frame; arrays have a row for each vertex.

    positions: (n, 3), m.  triangles: (m, 3), numbers of vertices.  reference: (n, 3), m, unloaded; None where the triangles change from frame to
    frame.  fields: all of it and the scalars, by name."""

    def __init__(self, name: str, fields: Dict[str, Any], shape: Optional[Shape]):
        self.name, self.fields = name, fields
        self.positions = fields["position"]
        self.triangles = shape.triangles if shape else fields["corners"]
        self.reference = shape.vertices if shape else None


class Threads:
    """Polylines in one frame: every list has an entry for each thread, with a row for each of its nodes.

    positions: list of (k, 3) arrays, m.  radii: list of (k,) arrays, m.  fields: the other scalars, lists of arrays by name."""

    def __init__(self, name: str, fields: Dict[str, Any], radius: float):
        self.name = name
        ends, first = [], 0
        for count in fields.get("nodes", []):
            ends.append((first, first + int(count)))
            first += int(count)
        cut = {field: [values[low:high] for low, high in ends] for field, values in fields.items() if field != "nodes"}
        self.positions: List[Any] = cut.pop("position")
        self.radii: List[Any] = cut.pop("radius", [_filled(high - low, radius) for low, high in ends])
        self.fields: Dict[str, List[Any]] = cut

    def __len__(self) -> int:
        return len(self.positions)


class Frame:
    """One moment of a run. `number` counts from 0, `time` is in s.

    What is drawn are drawables: points, the rig, the obstacles, bodies, meshes, threads. Arrays have a row for each element: NumPy arrays of
    shape (n,) or (n, 3) where NumPy is installed, else lists of numbers or of tuples of three. How many elements there are may differ from frame
    to frame."""

    def __init__(self, job: Job, number: int, time: float, path: str, topology: Dict[str, Any], shapes: "_Shapes"):
        self.job, self.number, self.time = job, number, time
        self._path, self._topology, self._shapes = path, topology, shapes
        self._loaded: Optional[Dict[str, Dict[str, Any]]] = None

    def __repr__(self) -> str:
        return f"<Frame {self.number} of job {self.job.id} at {self.time:g} s>"

    @property
    def drawables(self) -> Dict[str, Dict[str, Any]]:
        """Arrays by the drawable's name and the field's: frame.drawables["grain"]["speed"]. The skin of points "grain" is "grain.skin"."""
        if self._loaded is None:
            self._loaded = _frame_arrays(self.job._record(self._path), self._topology)
        return self._loaded

    @property
    def positions(self) -> Any:
        """Positions of all points in m, of one drawable after the other."""
        return self.field("position")

    @property
    def radii(self) -> Any:
        """Radii of all points in m, in the order of `positions`."""
        parts = [self.drawables[d["name"]].get("radius", _filled(len(self.drawables[d["name"]]["position"]), d["radius"])) for d in self._of("points")]
        return _joined(parts)

    @property
    def ids(self) -> Any:
        """Names of all points, by which those that come and go can be followed; in the order of `positions`. Raises KeyError where points have none."""
        return self.field("id")

    def field(self, name: str) -> Any:
        """A field of all points, in the order of `positions`: "position", "speed", ... units() has their units. Raises KeyError."""
        parts = [self.drawables[d["name"]][name] for d in self._of("points") if name in self.drawables.get(d["name"], {})]
        if not parts:
            raise KeyError(f"the points have no field {name!r}; there are: {', '.join(self.units())}")
        return _joined(parts)

    def units(self, name: Optional[str] = None) -> Dict[str, str]:
        """The fields of the points, or of the drawable of that name, and their units."""
        return {field["name"]: field["unit"] for drawable in self._topology["drawables"]
                if (drawable["kind"] == "points" if name is None else _key(drawable) == name) for field in drawable["fields"]}

    @property
    def instances(self) -> Dict[str, Instances]:
        """Copies of shapes, by the drawable's name."""
        return {d["name"]: Instances(d["name"], self.drawables[d["name"]], self._shapes.of(d["id"])) for d in self._of("instances")}

    @property
    def surfaces(self) -> Dict[str, Surface]:
        """Meshes that deform, by the drawable's name."""
        return {d["name"]: Surface(d["name"], self.drawables[d["name"]], None if d.get("varying") else self._shapes.of(d["id"])[0])
                for d in self._of("surface")}

    @property
    def threads(self) -> Dict[str, Threads]:
        """Polylines, by the drawable's name."""
        return {d["name"]: Threads(d["name"], self.drawables[d["name"]], d["radius"]) for d in self._of("threads")}

    def _of(self, kind: str) -> List[Dict[str, Any]]:
        return [drawable for drawable in self._topology["drawables"] if drawable["kind"] == kind]


class _Shapes:
    """The shapes of a job's drawables: read once, when somebody asks. Their records follow the topology, by drawable and shape."""

    def __init__(self, job: Job, path: str, topology_seq: int, topology: Dict[str, Any]):
        self._job, self._path, self._seq = job, path, topology_seq + 1
        self._declared = {drawable["id"]: drawable.get("shapes", []) for drawable in topology["drawables"]}
        self._loaded: Dict[int, List[Shape]] = {}

    def of(self, drawable: int) -> List[Shape]:
        if drawable not in self._loaded:
            first = self._seq + sum(len(shapes) for id, shapes in self._declared.items() if id < drawable)
            self._loaded[drawable] = [_shape(self._job._record(f"{self._path}/{first + k}"), declared["name"])
                                      for k, declared in enumerate(self._declared[drawable])]
        return self._loaded[drawable]


def _shape(payload: bytes, name: str) -> Shape:
    """A geometry record (core/record/FORMAT.md)."""
    _, _, vertices, triangles, modes, _ = _GEOMETRY.unpack_from(payload)
    at, size = _GEOMETRY.size, 12 * vertices
    corners = at + size
    first_mode = corners + 12 * triangles
    return Shape(name, _array(payload, at, vertices, 3, 0, [0.0] * 3, [0.0] * 3), _array(payload, corners, triangles, 3, 2, [0.0] * 3, [0.0] * 3),
                 [_array(payload, first_mode + k * size, vertices, 3, 0, [0.0] * 3, [0.0] * 3) for k in range(modes)])


def _rotation(vector: Any) -> List[List[float]]:
    """The matrix of a rotation vector: Rodrigues' formula."""
    x, y, z = (float(c) for c in vector)
    angle = math.sqrt(x * x + y * y + z * z)
    a, b = (math.sin(angle) / angle, (1 - math.cos(angle)) / angle ** 2) if angle > 1e-8 else (1.0, 0.5)
    return [[1 - b * (y * y + z * z), b * x * y - a * z, b * x * z + a * y], [b * x * y + a * z, 1 - b * (x * x + z * z), b * y * z - a * x],
            [b * x * z - a * y, b * y * z + a * x, 1 - b * (x * x + y * y)]]


def _filled(count: int, value: Any) -> Any:
    """That many times the same."""
    return _numpy.full(count, value) if _numpy is not None else [value] * count


def _joined(parts: List[Any]) -> Any:
    """Arrays one after the other."""
    return _numpy.concatenate(parts) if _numpy is not None else [row for part in parts for row in part]


def _rows_of(values: Any, count: int) -> Any:
    """A row for each element also where a field has one component, or is not there."""
    if _numpy is not None:
        return _numpy.zeros((count, 0)) if values is None else values.reshape(count, -1)
    return [()] * count if values is None else [row if isinstance(row, tuple) else (row,) for row in values]


def _key(drawable: Dict[str, Any]) -> str:
    """What a drawable is called: a skin has the name of its points."""
    return drawable["name"] + (".skin" if drawable.get("changing") else "")


def _frame_arrays(payload: bytes, topology: Dict[str, Any]) -> Dict[str, Dict[str, Any]]:
    """The arrays of a frame's payload (core/record/FORMAT.md), by drawable and field."""
    drawables = {drawable["id"]: drawable for drawable in topology["drawables"]}
    found: Dict[str, Dict[str, Any]] = {}
    (blocks, _), at = struct.unpack_from("<II", payload), 8
    for _ in range(blocks):
        id, elements, arrays, _ = _BLOCK.unpack_from(payload, at)
        at += _BLOCK.size
        drawable = drawables[id]
        into = found.setdefault(_key(drawable), {})
        for _ in range(arrays):
            field, encoding, components, size, *bounds = _ARRAY.unpack_from(payload, at)
            at += _ARRAY.size
            into[drawable["fields"][field]["name"]] = _array(payload, at, elements, components, encoding, bounds[:3], bounds[3:])
            at += size + -size % 8
    return found


def _array(payload: bytes, at: int, elements: int, components: int, encoding: int, low: List[float], high: List[float]) -> Any:
    """One array; 16-bit numbers stand for low + (high - low) q / 65535, or for themselves where the range is theirs."""
    whole = encoding == 2 or (encoding == 1 and low[0] == 0 and high[0] == 65535)
    scaled = encoding == 1 and not whole
    steps = [(high[c] - low[c]) / 65535 for c in range(min(components, 3))]  # more components are never scaled
    if _numpy is not None:
        values = _numpy.frombuffer(payload, _ENCODINGS[encoding][1], elements * components, at).reshape(elements, components)
        values = low[:components] + values * _numpy.array(steps) if scaled else values.astype(_numpy.int64 if whole else _numpy.float64)
        return values[:, 0] if components == 1 else values
    raw = struct.unpack_from(f"<{elements * components}{_ENCODINGS[encoding][0]}", payload, at)
    if components == 1:
        return [low[0] + steps[0] * q for q in raw] if scaled else list(raw)
    rows = [raw[k:k + components] for k in range(0, len(raw), components)]
    return [tuple(low[c] + steps[c] * row[c] for c in range(components)) for row in rows] if scaled else rows


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


class _Outage:
    """How long a server that was there has not answered."""

    def __init__(self) -> None:
        self.since: Optional[float] = None

    def end(self) -> None:
        """It has answered."""
        self.since = None

    def lasts(self) -> bool:
        """It has not; whether for too long by now."""
        self.since = self.since or time.monotonic()
        return time.monotonic() - self.since > _PATIENCE


class _Position:
    """How far the samples of a job have been given: the newest record they came from."""

    def __init__(self) -> None:
        self.seq = 0
        self.names: List[str] = []
        self.ended = False


class _Download:
    """One file over as many connections as it takes. `size` and `tag` are those of the version that is being received."""

    def __init__(self, lab: Lab, path: str, accept: str, file: BinaryIO):
        self.lab, self.path, self.accept, self.file = lab, path, accept, file
        self.received, self.size, self.tag = 0, -1, ""

    def run(self) -> None:
        """Raises ServerUnreachable at once when there is no server, or a minute after the last byte."""
        last_byte, pause = time.monotonic(), 0.1
        while True:
            before = self.received
            try:
                if self._receive():
                    return
            except ServerUnreachable:
                if self.size < 0:
                    raise
            if self.received > before:
                last_byte, pause = time.monotonic(), 0.1
            if time.monotonic() - last_byte > _PATIENCE:
                raise ServerUnreachable(f"the download of {self.path} stopped after {self.received} of {self.size} bytes")
            time.sleep(pause * (0.5 + random.random()))
            pause = min(5.0, pause * 2)

    def _receive(self) -> bool:
        """One connection's worth. Whether the file is whole now."""
        headers = {"Accept": self.accept}
        if self.received > 0 and self.tag:
            headers.update({"Range": f"bytes={self.received}-", "If-Range": self.tag})
        with self.lab._open("GET", self.path, headers=headers) as answer:
            self._begin(answer)
            while True:
                try:
                    chunk = answer.read(1 << 16)
                except _BROKEN:
                    return False
                if not chunk:
                    break
                self.file.write(chunk)
                self.received += len(chunk)
        if self.size < 0 and answer.headers.get("Transfer-Encoding"):
            self.size = self.received  # it came in pieces, the last of which says that it is the last
        if self.received > self.size >= 0:
            raise ScreeError(f"{self.path} came with {self.received} bytes instead of {self.size}")
        return self.received == self.size

    def _begin(self, answer: Any) -> None:
        """Takes note of what comes: the rest, or, when the server has another version or knows no ranges, all of it again."""
        if answer.status == 206:
            place, _, total = answer.headers.get("Content-Range", "").partition("/")
            if total.isdigit() and place == f"bytes {self.received}-{int(total) - 1}":
                self.size = int(total)  # more than before when the run goes on: a recording only grows
                return
            raise ScreeError(f"the server answered {answer.headers.get('Content-Range')} for the rest of {self.path}")
        self.file.seek(0)
        self.file.truncate()
        tag = answer.headers.get("ETag", "")
        self.received, self.size = 0, int(answer.headers.get("Content-Length", -1))
        self.tag = "" if tag.startswith("W/") else tag  # a weak one does not vouch for bytes


def _rows(payload: bytes) -> List[Tuple[float, ...]]:
    """The samples of a curve record's payload."""
    _, samples, series = struct.unpack_from("<QII", payload)
    values = struct.unpack_from(f"<{samples * series}d", payload, 16)
    return [values[k * series:(k + 1) * series] for k in range(samples)]


def _records(lab: Lab, job: int, after: int, channel: str) -> Iterator[Tuple[int, int, float, bytes]]:
    """Topology, end and a channel's records of a job after a sequence number, live: (type, seq, time, payload). Ends with the run or the
    connection."""
    stream = _WebSocket(lab.url, "/ws/v1", "scree.v1", lab.timeout, lab._access())
    try:
        stream.send(json.dumps({"type": "subscribe", "stream": 1, "job": job, "from": after, "channels": [channel]}))
        for message in stream.messages():
            if isinstance(message, bytes):
                size, kind, _, seq, moment, _, _ = _HEADER.unpack_from(message)
                yield kind, seq, moment, message[_HEADER.size:_HEADER.size + size]
                if kind == _END:
                    return
                continue
            news = json.loads(message)
            if news.get("type") == "error":
                raise ScreeError(news.get("detail", "the stream refused"))
            if news.get("type") == "deleted":
                raise NotFound(f"job {job} was deleted")
            if news.get("type") == "resync":  # job messages were lost: its state is asked for
                news = {"type": "job", "job": lab._json("GET", f"/api/v1/jobs/{job}")}
            if news.get("type") == "job" and news["job"]["id"] == job and news["job"]["state"] in ENDED and news["job"]["state"] != "succeeded":
                return  # a job cancelled before it started has no end record
    finally:
        stream.close()


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
