"""Bodies in the frames of a recording (core/record/FORMAT.md), in the world: read here anew, so that no judge relies on the program's own reader."""

from __future__ import annotations

import csv
import json
import struct
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np


class Body(NamedTuple):
    name: str  # of its specimen
    points: np.ndarray  # [n][3] m: corners of its surface, or nodes
    triangles: Optional[np.ndarray]  # [m][3] None: nodes
    centre: np.ndarray  # [3] m: its place, or the mean of its nodes


class Frame(NamedTuple):
    time: float
    bodies: List[Body]
    obstacles: List[Body]


def records(path: Path) -> Iterator[Tuple[int, float, bytes]]:
    """Type, simulated time and payload of every record."""
    data = path.read_bytes()
    at = 8
    while at + 32 <= len(data):
        size, kind = struct.unpack_from("<IH", data, at)
        yield kind, struct.unpack_from("<d", data, at + 16)[0], data[at + 32 : at + 32 + size]
        at += 32 + (size + 7) // 8 * 8


def columns(path: Path) -> Dict[str, List[float]]:
    with open(path, newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    return {name.split(" [")[0]: [float(row[k]) for row in rows] for k, name in enumerate(names)}


def blocks(frame: bytes) -> Iterator[Tuple[int, Dict[int, np.ndarray]]]:
    """Drawable and its arrays by field, block by block."""
    at = 8
    for _ in range(struct.unpack_from("<I", frame)[0]):
        drawable, count, arrays, size = struct.unpack_from("<IIII", frame, at)
        place, found = at + 16, {}
        for _ in range(arrays):
            field, encoding, components, bytes_ = struct.unpack_from("<IIII", frame, place)
            low, high = np.array(struct.unpack_from("<3d", frame, place + 16)), np.array(struct.unpack_from("<3d", frame, place + 40))
            kind = {0: "<f4", 1: "<u2", 2: "<u4"}[encoding]
            values = np.frombuffer(frame, kind, count * components, place + 64).reshape(count, components).astype(float)
            if encoding == 1:
                values = low[:components] + (high - low)[:components] * values / 65535
            found[field] = values
            place += 64 + (bytes_ + 7) // 8 * 8
        yield drawable, found
        at += 16 + size


def turned(vector: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points turned by a rotation vector (Rodrigues)."""
    angle = float(np.linalg.norm(vector))
    if angle == 0:
        return points
    axis = vector / angle
    return points * np.cos(angle) + np.cross(axis, points) * np.sin(angle) + np.outer(points @ axis, axis) * (1 - np.cos(angle))


class Recording(NamedTuple):
    frames: List[Frame]
    end: Optional[Dict[str, Any]]


def instances(drawable: Dict[str, Any], arrays: Dict[int, np.ndarray], shapes: List[Tuple[np.ndarray, ...]]) -> List[Body]:
    fields = {field["name"]: number for number, field in enumerate(drawable["fields"])}
    count, made = len(arrays[0]), []
    for k in range(count):
        shape = int(arrays[fields["shape"]][k, 0]) if "shape" in fields else 0
        vertices, triangles, modes = shapes[shape]
        scale = arrays[fields["scale"]][k, 0] if "scale" in fields else 1.0
        if "amplitudes" in fields and len(modes):
            vertices = vertices + np.einsum("k,kij->ij", arrays[fields["amplitudes"]][k][: len(modes)], modes)
        points = arrays[0][k] + turned(arrays[1][k], scale * vertices)
        made.append(Body(drawable["shapes"][shape]["name"], points, triangles, arrays[0][k]))
    return made


def bodies_of(drawable: Dict[str, Any], arrays: Dict[int, np.ndarray], shapes: List[Tuple[np.ndarray, ...]]) -> List[Body]:
    kind, name = drawable["kind"], drawable["name"]
    if kind == "instances":
        return instances(drawable, arrays, shapes)
    if kind == "surface":
        return [Body(name, arrays[0], shapes[0][1], arrays[0].mean(axis=0))]
    if kind == "points" and name not in ("contacts",) and len(arrays[0]):
        return [Body(name, arrays[0], None, arrays[0].mean(axis=0))]
    return []


def obstacles_of(drawable: Dict[str, Any], arrays: Dict[int, np.ndarray]) -> List[Body]:
    made = []
    for k, body in enumerate(drawable.get("bodies", [])):
        points = arrays[0][k] + turned(arrays[1][k], np.array(body["vertices"]).reshape(-1, 3))
        made.append(Body(body["name"], points, np.array(body["triangles"], int).reshape(-1, 3), arrays[0][k]))
    return made


def read(path: Path) -> Recording:
    drawables: List[Dict[str, Any]] = []
    shapes: Dict[int, List[Tuple[np.ndarray, ...]]] = {}
    frames, end = [], None
    for kind, time, payload in records(path):
        if kind == 2:
            drawables = json.loads(payload)["drawables"]
        elif kind == 10:
            drawable, _, corners, faces, modes, _ = struct.unpack_from("<6I", payload)
            vertices = np.frombuffer(payload, "<f4", 3 * corners, 24).reshape(-1, 3).astype(float)
            triangles = np.frombuffer(payload, "<u4", 3 * faces, 24 + 12 * corners).reshape(-1, 3).astype(int)
            fields = np.frombuffer(payload, "<f4", 3 * corners * modes, 24 + 12 * corners + 12 * faces).reshape(modes, corners, 3).astype(float)
            shapes.setdefault(drawable, []).append((vertices, triangles, fields))
        elif kind == 3:
            bodies: List[Body] = []
            obstacles: List[Body] = []
            seen = set()
            for number, arrays in blocks(payload):
                if number in seen or 0 not in arrays:
                    continue
                seen.add(number)
                bodies += bodies_of(drawables[number], arrays, shapes.get(number, []))
                if drawables[number]["kind"] == "mesh" and drawables[number]["name"] == "obstacles":
                    obstacles += obstacles_of(drawables[number], arrays)
            frames.append(Frame(time, bodies, obstacles))
        elif kind == 7:
            end = json.loads(payload)
    return Recording(frames, end)
