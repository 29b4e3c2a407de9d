"""Measured curves: columns of files from testing machines, kept by the laboratory in SI units with their corrections."""
from __future__ import annotations

import json
import urllib.parse
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Union

from .connection import Connection

_JSON = {"Content-Type": "application/json"}
Column = Union[int, str]


class Measured:
    """Curves of one test, of one specimen or several."""

    def __init__(self, lab: Connection, data: Dict[str, Any]):
        self.lab = lab
        self.data = data

    id = property(lambda self: self.data["id"], doc="Their number.")
    name = property(lambda self: self.data["name"], doc="What they are called; a calibration's target names them so.")
    title = property(lambda self: self.data["title"], doc="What they are, for people.")
    units = property(lambda self: (self.data["x"]["unit"], self.data["y"]["unit"]), doc="SI units of x and y.")
    columns = property(lambda self: (self.data["x"]["name"], self.data["y"]["name"]), doc="Names of the columns of x and y.")
    specimens = property(lambda self: self.data["specimens"], doc="How each specimen was read and corrected: dicts with label, file, how, corrections, samples.")

    def __repr__(self) -> str:
        return f"<Measured {self.id} {self.name!r}, {len(self.specimens)} of {self.data['y']['name']} [{self.units[1]}] over {self.data['x']['name']} [{self.units[0]}]>"

    def _whole(self, points: int) -> Dict[str, Any]:
        return self.lab._json("GET", f"/api/v1/measured/{self.id}?points={points}")

    def curves(self, points: int = 5000) -> List[Dict[str, Any]]:
        """The specimens' curves: dicts with label, x, y; SI units, corrected, evenly thinned to `points` samples."""
        return self._whole(points)["curves"]

    def band(self, points: int = 5000) -> Optional[Dict[str, Any]]:
        """All together: a dict with x, mean, deviation (None: no scatter is known), low, high, reached. None where a curve turns back."""
        return self._whole(points)["band"]

    def remove(self) -> None:
        """Removes them. Studies that were calibrated by them keep what they took."""
        self.lab._json("DELETE", f"/api/v1/measured/{self.id}")


def request(lab: Connection, files: Any, name: str, x: Optional[Column], y: Optional[Column], options: Dict[str, Any]) -> Dict[str, Any]:
    """What is asked of the server for some files, which are uploaded; see Lab.measured."""
    listed: Sequence[Any] = files if isinstance(files, (list, tuple)) else [files]
    if not listed:
        raise ValueError("no file is given")
    assets = [lab.upload(file) for file in listed]
    reading = {key: options[key] for key in ("separator", "decimal", "units") if options.get(key)}
    if x is None or y is None:
        query = dict(reading, **({"units": ",".join(reading["units"])} if "units" in reading else {}), rows=0)
        table = lab._json("GET", f"/api/v1/assets/{assets[0]}/table?" + urllib.parse.urlencode(query))
        suggested = table["suggested"]
        if suggested is None:
            raise ValueError(f"no two columns with numbers were found ({table['how']})")
        x, y = suggested["x"] if x is None else x, suggested["y"] if y is None else y
    labels = options.get("labels") or [""] * len(listed)
    if len(labels) != len(listed):
        raise ValueError(f"{len(labels)} labels for {len(listed)} files")
    made: Dict[str, Any] = {"name": name or _name_of(listed[0]), "x": x, "y": y,
                            "specimens": [{"asset": asset, **({"label": label} if label else {})} for asset, label in zip(assets, labels)]}
    corrections = {key: options[key] for key in ("x_factor", "y_factor", "x_zero", "y_zero", "preload", "compliance") if options.get(key) is not None}
    for key, value in (("title", options.get("title")), ("reading", reading), ("corrections", corrections), ("scatter", options.get("scatter"))):
        if value:
            made[key] = value
    return made


def _name_of(file: Any) -> str:
    """A name from that of a file."""
    if isinstance(file, (bytes, bytearray)):
        raise ValueError("curves from bytes need a name")
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in Path(file).stem)[:47].lstrip("-_.")
    return plain or "measured"


def add(lab: Connection, document: Dict[str, Any]) -> Measured:
    """Has the server keep what a document describes."""
    return Measured(lab, lab._json("POST", "/api/v1/measured", json.dumps(document).encode(), _JSON))
