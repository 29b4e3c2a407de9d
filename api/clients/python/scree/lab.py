"""A running `screed`: scenes go in, jobs come out."""
from __future__ import annotations

import getpass
import json
import time
import urllib.parse
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Union

from .connection import Connection
from .errors import Named, ServerUnreachable
from .job import Job
from .measured import Column, Measured, add, request
from .study import Study, calibration_document, document
from .transfer import ENDED, _Outage

def _user_query(user: Optional[str]) -> Dict[str, str]:
    """Who submits; the login name unless it is given, where this machine knows one."""
    if user is None:
        try:
            user = getpass.getuser()[:64]
        except (KeyError, OSError, ImportError):
            user = ""
    return {"user": user} if user else {}


def _path(path: str, query: Dict[str, str]) -> str:
    return path + ("?" + urllib.parse.urlencode(query) if query else "")


class Lab(Connection):
    """A running `screed`.

    url: its address, e.g. "http://127.0.0.1:8080".  timeout: seconds without a byte from the server after
    which a request is given up: a check of a large scene on a busy machine takes a minute.
    token: what it asks for; by default that of the environment (SCREE_TOKEN, or the file SCREE_TOKEN_FILE), else, for a screed of yours on this
    machine, the one it has left for you."""

    def submit(self, scene: Dict[str, Any], idempotency_key: Optional[str] = None, priority: int = 0, name: Optional[str] = None,
               tags: Optional[Dict[str, str]] = None, folder: Optional[Union[str, Path]] = None, executor: Optional[str] = None,
               executor_options: Optional[Dict[str, Any]] = None, user: Optional[str] = None) -> "Job":
        """Queues a scene. The same idempotency_key with the same scene gives the first job again. `name` stands instead of the scene's; by its
        tags, such as {"study": "notch"}, a job can be found again. With a folder, files that the scene refers to by paths below it
        ("file": "meshes/part.stl") are uploaded where the server lacks them. executor: where it is to run, a name of executors(); its options are those of a
        batch engine: {"partition", "account", "constraint", "gres", "time_limit" (s)}. Raises SceneRefused; ValueError for a path out of the folder.
        user: who submits it, 1 to 64 characters, for people to find it by; the login name unless it is given, nobody when "". Nothing proves it."""
        if folder is not None:
            scene = self._with_uploads(scene, Path(folder))
        headers = {"Content-Type": "application/json"}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        query = {**({"priority": str(priority)} if priority else {}), **_user_query(user)}
        body: Dict[str, Any] = scene
        placing = {k: v for k, v in (("executor", executor), ("executor_options", executor_options)) if v is not None}
        if name is not None or tags or placing:
            body = {"scene": scene, "tags": tags or {}, **({} if name is None else {"name": name}), **placing}
        return Job(self, self._json("POST", _path("/api/v1/jobs", query), json.dumps(body).encode(), headers))

    def executors(self) -> List[Dict[str, Any]]:
        """Where jobs run: this machine ("local"), and batch engines: whether they answer ("available", "reason"), their "partitions", and why jobs wait
        there ("waiting": list of job, reason, for_ever)."""
        return self._json("GET", "/api/v1/executors")["executors"]

    def devices(self) -> Dict[str, Any]:
        """GPUs and the like that a scene's "run": {"device": ...} may name ("devices": list of name, title, by, version, gpu, doubles, memory_bytes, usable,
        reason why not), and why there are no others ("notes")."""
        return self._json("GET", "/api/v1/devices")

    def check(self, scene: Dict[str, Any], executor: Optional[str] = None) -> Dict[str, Any]:
        """The scene with every default filled in ("scene"), what it will cost ("estimate") and what is unusual about it ("warnings": list of
        pointer, given, allowed, detail). executor: where it is to run, a name of executors(); the first unless given. Raises SceneRefused."""
        query = {} if executor is None else {"executor": executor}
        return self._json("POST", _path("/api/v1/scenes/check", query), json.dumps(scene).encode(), {"Content-Type": "application/json"})

    def template(self, scene: Dict[str, Any], specimen: Optional[str] = None) -> Dict[str, Any]:
        """What a specimen (the first, without a name) of a scene is made into, without running it: numbers and checks ("template"), and surface and modes
        ("shape": vertices, triangles, fields; None where there are too many). Raises SceneRefused, also for methods that make none."""
        query = "" if specimen is None else f"?specimen={urllib.parse.quote(specimen, safe='')}"
        return self._json("POST", f"/api/v1/scenes/template{query}", json.dumps(scene).encode(), {"Content-Type": "application/json"})

    def job(self, id: int) -> "Job":
        """The job of that number. Raises NotFound."""
        return Job(self, self._json("GET", f"/api/v1/jobs/{id}"))

    def jobs(self, state: Optional[str] = None, method: Optional[str] = None, tags: Optional[Dict[str, str]] = None,
             search: Optional[str] = None, user: Optional[str] = None) -> Iterator["Job"]:
        """All jobs, newest first, that fit: in one of the states ("succeeded" or "queued,running"), of a method, with all these tags (4 at most),
        with all words of `search` in name, title or notes, submitted by a user, as they said."""
        filters = [(key, value) for key, value in (("state", state), ("method", method), ("q", search), ("user", user)) if value is not None]
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
        """The scenes that come with Scree, by name. A name that is not there raises UnknownName, a KeyError, with the nearest ones."""
        return Named("scene in the gallery", {entry["name"]: entry["scene"] for entry in self._json("GET", "/api/v1/gallery")["scenes"]})

    def study(self, base: Any, vary: Dict[str, Any], results: Dict[str, Any], name: str = "study", repeat: int = 0, seed: str = "", design: Any = None,
              limits: Optional[Dict[str, Any]] = None, title: str = "") -> Study:
        """Varies a scene, or several by names ({"bend": scene, "press": scene}), and takes results from the runs.

        vary: by the name of a factor, a JSON Pointer or a short name such as "steel.density", a list of values or a factor: {"/materials/0/young_modulus": [1e9, 2e9],
        "mu": {"pointer": "/contact/friction_coefficient", "range": {"from": 0.1, "to": 0.5, "steps": 5}}}.
        results: expressions over a run's curves, {"peak": "max(abs(wall.z_max.force_z))"}.
        repeat, seed: so many runs of each, with 1, 2, ... at the JSON Pointer `seed`.
        design: "grid" (the default), or {"kind": "sobol", "runs": 64}, "latin_hypercube", {"kind": "rows", "rows": [...]}.
        limits: at_once, run_seconds, disk_bytes.  Raises SceneRefused with every reason."""
        return self.submit_study(document(base, vary, results, name, repeat, seed, design, limits, title))

    def calibrate(self, base: Any, unknowns: Dict[str, Any], targets: Dict[str, Any], name: str = "calibration", runs: Optional[int] = None,
                  start: Optional[str] = None, method: Optional[str] = None, repeat: int = 0, seed: str = "", results: Optional[Dict[str, Any]] = None,
                  limits: Optional[Dict[str, Any]] = None, title: str = "", **search: Any) -> Study:
        """Looks for the parameters with which a scene, or several by names, comes nearest to what was measured.

        unknowns: by a name or a JSON Pointer, (low, high) or (low, high, "logarithmic"), or a factor with range and pointer:
        {"/contact/friction_coefficient": (0.1, 0.9), "E": {"pointer": {"bend": "/materials/0/young_modulus"}, "range": {"from": 1e9, "to": 5e9}}}.
        targets: curves {"force": {"x": "wall.z_max.displacement", "y": "wall.z_max.force_z", "measured": lab.measured("press.csv")}}, numbers
        {"slope": {"expression": "...", "value": 25, "scatter": 1}}; each may have weight, and "scene" where there are several.
        runs: most runs in all.  start: "sobol", "direct".  method: "bobyqa", "cobyla", "crs2", "gaussian", "none".
        repeat, seed: so many runs of each point, with 1, 2, ... at the JSON Pointer `seed`.  search: start_points, tolerance, seed of the search.
        study.wait().best(), study.calibration(), study.overlay() have what it found. Raises SceneRefused with every reason."""
        return self.submit_study(calibration_document(base, unknowns, targets, name, repeat, seed, results, limits, title, runs=runs, start=start, method=method,
                                                      **search))

    def submit_study(self, document: Dict[str, Any], idempotency_key: Optional[str] = None, user: Optional[str] = None) -> Study:
        """Starts a study from its document. Its runs are the user's, as of submit(). Raises SceneRefused with every reason."""
        headers = {"Content-Type": "application/json", **({} if idempotency_key is None else {"Idempotency-Key": idempotency_key})}
        return Study(self, self._json("POST", _path("/api/v1/studies", _user_query(user)), json.dumps(document).encode(), headers))

    def check_study(self, document: Dict[str, Any]) -> Dict[str, Any]:
        """What a study will take: rows, checked, refused, run_seconds, record_bytes, memory_bytes, refusals, warnings. Raises SceneRefused."""
        return self._json("POST", "/api/v1/studies/check", json.dumps(document).encode(), {"Content-Type": "application/json"})

    def get_study(self, id: int) -> Study:
        """The study of that number. Raises NotFound."""
        return Study(self, self._json("GET", f"/api/v1/studies/{id}"))

    def studies(self) -> Iterator[Study]:
        """All studies, newest first."""
        before: Optional[int] = None
        while True:
            page = self._json("GET", "/api/v1/studies?limit=200" + (f"&before={before}" if before else ""))
            for data in page["studies"]:
                yield Study(self, data)
            before = page["next_before"]
            if before is None:
                return

    def study_gallery(self) -> Dict[str, Dict[str, Any]]:
        """The studies that come with Scree, as documents by name."""
        return Named("study in the gallery", {entry["name"]: entry["study"] for entry in self._json("GET", "/api/v1/gallery/studies")["studies"]})

    def measured(self, files: Any, name: str = "", x: Optional[Column] = None, y: Optional[Column] = None, title: str = "", units: Optional[List[str]] = None,
                 decimal: str = "", separator: str = "", x_factor: Optional[float] = None, y_factor: Optional[float] = None, x_zero: Optional[float] = None,
                 y_zero: Optional[float] = None, preload: Optional[float] = None, compliance: Optional[float] = None, scatter: Optional[float] = None,
                 labels: Optional[List[str]] = None) -> Measured:
        """Uploads what a testing machine wrote, one file or a list of them, one for each specimen, and keeps two columns as curves in SI units.

        x, y: columns, by their number from 1 or their name; without them two that look like a curve.  units: as written, one for each column, "" as in the
        file.  decimal: "point" or "comma"; separator: "tab", "semicolon", "comma", "blank"; both are found from the file.
        Corrections in this order: x_factor, y_factor (-1 turns round), x_zero, y_zero, preload (samples before the first with that y are left out, x counts
        from there), compliance of the machine in m/N.  scatter: standard deviation of y, of one specimen.  Raises SceneRefused with every reason."""
        options = {"title": title, "units": units, "decimal": decimal, "separator": separator, "x_factor": x_factor, "y_factor": y_factor, "x_zero": x_zero,
                   "y_zero": y_zero, "preload": preload, "compliance": compliance, "scatter": scatter, "labels": labels}
        return add(self, request(self, files, name, x, y, options))

    def measured_curves(self) -> Iterator[Measured]:
        """All measured curves, newest first."""
        before: Optional[int] = None
        while True:
            page = self._json("GET", "/api/v1/measured?limit=200" + (f"&before={before}" if before else ""))
            for data in page["measured"]:
                yield Measured(self, data)
            before = page["next_before"]
            if before is None:
                return

    def methods(self) -> List[Dict[str, Any]]:
        """The methods with their options and curves."""
        return self._json("GET", "/api/v1/methods")["methods"]

    def schema(self, method: str) -> Dict[str, Any]:
        """JSON Schema of scenes for one method."""
        return self._json("GET", "/api/v1/schema?method=" + urllib.parse.quote(method))

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
