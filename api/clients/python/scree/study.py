"""Studies: what is varied, repeated and compared; a table of factors and results."""
from __future__ import annotations

import json
import urllib.parse
from typing import Any, Callable, Dict, List, Optional

from .connection import Connection
from .errors import ScreeError
from .figure import bands_svg
from .job import Job
from .transfer import _poll

_FORMS = ("values", "range", "distribution", "seeds", "pointer")


def _factor(name: str, given: Any) -> Dict[str, Any]:
    """A factor of a document: a list of values stands for {"values": [...]}; a name that is a JSON Pointer is the place it is put."""
    factor: Dict[str, Any] = dict(given) if isinstance(given, dict) and any(form in given for form in _FORMS) else {"values": list(given)}
    if _is_place(name):
        factor.setdefault("pointer", name)
    return factor


def _is_place(name: str) -> bool:
    """Whether it is a JSON Pointer or a short name, "steel.density", and not a factor's name."""
    return name.startswith("/") or "." in name


def _name(pointer: str, taken: Any) -> str:
    """A name for the factor at a JSON Pointer: its last word, with numbers behind where that is taken."""
    words = [word for word in pointer.replace(".", "/").split("/") if word and not word.isdigit()] or ["factor"]
    plain = "".join(c if c.isalnum() and c.isascii() else "_" for c in words[-1]) or "factor"
    plain = plain if not plain[0].isdigit() else "x" + plain
    name, number = plain, 2
    while name in taken:
        name, number = f"{plain}_{number}", number + 1
    return name


def document(base: Any, vary: Dict[str, Any], results: Dict[str, Any], name: str = "study", repeat: int = 0, seed: str = "", design: Any = None,
             limits: Optional[Dict[str, Any]] = None, title: str = "") -> Dict[str, Any]:
    """The document of a study; see Lab.study."""
    scenes = {"scenes": base} if isinstance(base, dict) and "scree" not in base else {"scene": base}
    factors: Dict[str, Any] = {}
    for key, given in vary.items():
        factors[_name(key, factors) if _is_place(key) else key] = _factor(key, given)
    if repeat:
        if not seed:
            raise ValueError("repeat needs `seed`: the JSON Pointer of what is to differ from run to run, such as '/materials/0/weibull_seed'")
        factors[_name("/seed", factors)] = {"pointer": seed, "seeds": repeat}
    made: Dict[str, Any] = {"scree_study": 1, "name": name, **scenes, "factors": factors, "results": dict(results)}
    if title:
        made["title"] = title
    if design is not None:
        made["design"] = {"kind": design} if isinstance(design, str) else dict(design)
    if limits:
        made["limits"] = dict(limits)
    return made


def calibration_document(base: Any, unknowns: Dict[str, Any], targets: Dict[str, Any], name: str = "calibration", repeat: int = 0, seed: str = "",
                         results: Optional[Dict[str, Any]] = None, limits: Optional[Dict[str, Any]] = None, title: str = "", **search: Any) -> Dict[str, Any]:
    """The document of a calibration; see Lab.calibrate."""
    vary: Dict[str, Any] = {}
    for key, given in unknowns.items():
        if isinstance(given, dict) and any(form in given for form in _FORMS):
            vary[key] = given
        else:
            low, high, *scale = given
            vary[key] = {"range": {"from": low, "to": high, **({"scale": scale[0]} if scale else {})}}
    aims: Dict[str, Any] = {}
    for key, given in targets.items():
        aims[key] = dict(given)
        if hasattr(aims[key].get("measured"), "id"):
            aims[key]["measured"] = aims[key]["measured"].id
    design = {"kind": "calibrate", "targets": aims, **{key: value for key, value in search.items() if value is not None}}
    return document(base, vary, dict(results or {}), name, repeat, seed, design, limits, title)


class Study:
    """A study. Its attributes are as of the last refresh."""

    def __init__(self, lab: Connection, data: Dict[str, Any]):
        self.lab = lab
        self.data = data

    id = property(lambda self: self.data["id"], doc="Number of the study.")
    name = property(lambda self: self.data["name"], doc="What it is called.")
    state = property(lambda self: self.data["state"], doc="running, stopped, finished or deleting.")
    counts = property(lambda self: self.data["rows"], doc="How many rows there are (total), and how many in each state.")
    plan = property(lambda self: self.data.get("plan"), doc="What it was estimated to take when it was submitted; None of one that was found again.")

    def __repr__(self) -> str:
        return f"<Study {self.id} {self.name!r} {self.state}, {self.counts['succeeded']} of {self.counts['total']}>"

    @property
    def _path(self) -> str:
        return f"/api/v1/studies/{self.id}"

    def refresh(self) -> "Study":
        """Asks the server anew."""
        self.data = self.lab._json("GET", self._path)
        return self

    def document(self) -> Dict[str, Any]:
        """The study as it was submitted; changed, it can be submitted again."""
        return self.lab._json("GET", self._path + "/document")

    def wait(self, timeout: Optional[float] = None, progress: Optional[Callable[["Study"], None]] = None) -> "Study":
        """Waits until it is finished, through restarts of the server. Rows that failed or were refused are no error: the table has them. Raises ScreeError when it
        was stopped, TimeoutError after `timeout` seconds."""
        for _ in _poll(self.refresh, 1.0, timeout, lambda: f"study {self.id} goes on after {timeout} s: {self.counts}"):
            if progress is not None:
                progress(self)
            if self.state == "finished":
                break
            if self.state != "running":
                raise ScreeError(f"study {self.id} is {self.state}" + (f": {self.data['reason']}" if self.data.get("reason") else "; study.resume() goes on"))
        return self

    def rows(self) -> List[Dict[str, Any]]:
        """All rows as they are now: dicts with number, state, job, factors, results, reasons (why single results are None), reason."""
        found: List[Dict[str, Any]] = []
        after: Optional[int] = 0
        while after is not None:
            page = self.lab._json("GET", f"{self._path}/rows?limit=1000&after={after}")
            found += page["rows"]
            after = page["next"]["after"] if page["next"] else None
        return found

    def table(self, columns: Optional[str] = None) -> Any:
        """The table: a pandas DataFrame where pandas is installed, else a list of dicts; columns row, state, job, the factors and the results. columns="dicts":
        the list in any case."""
        document = self.document()
        names = (["scene"] if "scenes" in document else []) + list(document.get("factors", {}))
        listed = [{"row": row["number"], "state": row["state"], "job": row["job"], **{name: row["factors"].get(name) for name in names},
                   **{name: (row["results"] or {}).get(name) for name in document.get("results", {})}} for row in self.rows()]
        if columns == "dicts":
            return listed
        try:
            import pandas
        except ImportError:
            return listed
        return pandas.DataFrame(listed)

    def save(self, path: str) -> None:
        """Writes the table to a file: .csv and .json by the server's own forms, .parquet by pandas, which has to be installed with pyarrow or fastparquet."""
        kind = str(path).rsplit(".", 1)[-1].lower()
        if kind == "csv":
            data = self.lab._read("GET", self._path + "/rows", headers={"Accept": "text/csv"})
        elif kind == "json":
            data = json.dumps(self.table("dicts"), indent=1).encode()
        elif kind == "parquet":
            table = self.table()
            if isinstance(table, list):
                raise ScreeError("a table as Parquet needs pandas, with pyarrow or fastparquet: pip install pandas pyarrow")
            table.to_parquet(path)
            return
        else:
            raise ValueError(f"the table is saved as .csv, .json or .parquet, not .{kind}")
        with open(path, "wb") as file:
            file.write(data)

    def strength(self, result: str, by: str = "", censored: str = "", level: float = 0.9) -> List[Dict[str, Any]]:
        """A result of repeated runs, for each value of the factor `by`: dicts with label, rows, mean, deviation, low, median, high and weibull (modulus, scale and
        their intervals, the points of the plot; None where it can't be fitted). `censored`: a result that is not 0 where a run ended without breaking."""
        return self._groups("strength", result=result, by=by, censored=censored, level=level)

    def bands(self, x: str, y: str, by: str = "", level: float = 0.9, points: int = 200) -> List[Dict[str, Any]]:
        """Curves of repeated runs on a common axis, for each value of the factor `by`: dicts with label, rows, x, mean, deviation, low, median, high, reached,
        curves. x and y are expressions, such as "wall.z_max.displacement"; SI units."""
        return self._groups("bands", x=x, y=y, by=by, level=level, points=points)

    def plot(self, path: str, x: str, y: str, by: str = "", level: float = 0.9, columns: int = 1, measured: Optional[Dict[str, Any]] = None) -> None:
        """Writes the bands of repeated runs as an SVG picture for a paper: all curves thin, median, band of quantiles, for each value of the factor `by`; titles
        with units. columns: 1 is 85 mm wide, 2 is 175 mm. measured: a curve {"x": [..], "y": [..]} in SI units to lie over them."""
        query = {"x": x, "y": y, "level": level, **({"by": by} if by else {})}
        found = self.lab._json("GET", f"{self._path}/bands?" + urllib.parse.urlencode(query))
        picture = bands_svg(found["groups"], (x, y), (found["x_unit"], found["y_unit"]), columns, by, measured)
        with open(path, "w", encoding="utf-8") as file:
            file.write(picture)

    def effects(self, result: str) -> Dict[str, Any]:
        """What the factors do to a result: a dict with rows, mean, deviation; factors (dicts with name, share of the variance, correlation, levels with their
        means), pairs (factors, share of their interaction), rest; method "grid" (exact) or "fit", of which predicted says how far it can be trusted (1: fully)."""
        return self.lab._json("GET", f"{self._path}/effects?" + urllib.parse.urlencode({"result": result}))

    def calibration(self, level: float = 0.9) -> Dict[str, Any]:
        """How far a calibration has come: a dict with points (known, failed, out, limit), best (point, rows, value, unknowns, distances), estimate (parameters
        with best, low, high, undetermined; correlation; words), history (all points), ended and why. SI units."""
        return self.lab._json("GET", f"{self._path}/calibration?level={level}")

    def best(self) -> Dict[str, float]:
        """The parameters that a calibration estimates, by name; those of its best point while there is no estimate. Raises ScreeError before there is one."""
        found = self.calibration()
        if found["estimate"]:
            return {parameter["name"]: parameter["best"] for parameter in found["estimate"]["parameters"]}
        if not found["best"]:
            raise ScreeError(f"study {self.id} has no point with a value yet: {found['estimate_reason']}")
        return dict(found["best"]["unknowns"])

    def overlay(self, level: float = 0.9) -> List[Dict[str, Any]]:
        """Measured, best and band of each target of a calibration: dicts with target, scene, kind, measured (x, y, deviation), best (a list of {x, y}, one for each
        seed), band (low, high, runs; None where there is none)."""
        return self.lab._json("GET", f"{self._path}/overlay?level={level}")["targets"]

    def _groups(self, kind: str, **query: Any) -> List[Dict[str, Any]]:
        given = {key: value for key, value in query.items() if value != ""}
        return self.lab._json("GET", f"{self._path}/{kind}?" + urllib.parse.urlencode(given))["groups"]

    def jobs(self) -> List[Job]:
        """The jobs of its rows, in their order; rows without one are left out."""
        return [Job(self.lab, self.lab._json("GET", f"/api/v1/jobs/{row['job']}")) for row in self.rows() if row["job"]]

    def add(self, rows: List[Dict[str, Any]]) -> "Study":
        """Adds rows: dicts with a value of each factor. A finished study runs again. Raises SceneRefused."""
        self.data = self.lab._json("POST", self._path + "/rows", json.dumps(rows).encode(), {"Content-Type": "application/json"})
        return self

    def run(self, rows: List[Dict[str, Any]], timeout: Optional[float] = None) -> List[Dict[str, Any]]:
        """Adds rows, waits for them and returns their results, dicts in the order given (None: one that failed): what a search of one's own asks for and is
        told."""
        before = self.add(rows).counts["total"] - len(rows)
        self.wait(timeout)
        page = self.lab._json("GET", f"{self._path}/rows?limit={len(rows)}&after={before}")["rows"]
        return [row["results"] for row in page]

    def stop(self) -> "Study":
        """Starts no further row, and pauses what runs."""
        self.data = self.lab._json("POST", self._path + "/stop")
        return self

    def resume(self) -> "Study":
        """Goes on after a stop."""
        self.data = self.lab._json("POST", self._path + "/resume")
        return self

    def retry(self) -> "Study":
        """Runs again what failed, was cancelled or refused."""
        self.data = self.lab._json("POST", self._path + "/retry")
        return self

    def delete(self, runs: bool = False) -> None:
        """Deletes it; with `runs` also the jobs that were made for it. Raises Conflict while it runs."""
        self.lab._json("DELETE", self._path + ("?runs=delete" if runs else ""))
