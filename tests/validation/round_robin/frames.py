"""Places of a body's material in the frames of a recording, whatever a method draws it as."""
from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

import numpy

from same_physics import fields, records

TOPOLOGY, FRAME, GEOMETRY = 2, 3, 10  # types of records (core/record/FORMAT.md)
DRAWN = ("points", "surface", "instances")


class Picture(NamedTuple):
    """A frame's places, m: of each drawable of specimens by name, [n][3]; of instances, each copy's vertices after the other's."""
    time: float  # s
    places: Dict[str, numpy.ndarray]
    counts: Dict[str, List[int]]  # places of each body of a drawable

    def bodies(self, count: int) -> List[numpy.ndarray]:
        """The places of each of a scene's bodies, in their order; fails where a method draws fewer or more than `count`."""
        found = [part for name, places in self.places.items() for part in numpy.split(places, numpy.cumsum(self.counts[name])[:-1])]
        if len(found) != count:
            raise ValueError(f"{len(found)} bodies are drawn and not {count}")
        return found


def _shape(payload: bytes) -> Tuple[int, numpy.ndarray, numpy.ndarray]:
    """Drawable, vertices [n][3] and modes [m][n][3] of a geometry record."""
    drawable, _, vertices, triangles, modes, _ = struct.unpack_from("<6I", payload)
    at = numpy.frombuffer(payload, "<f4", 3 * vertices, 24).reshape(vertices, 3)
    fields_at = numpy.frombuffer(payload, "<f4", 3 * vertices * modes, 24 + 12 * vertices + 12 * triangles).reshape(modes, vertices, 3)
    return drawable, at.astype(float), fields_at.astype(float)


def turned(vertices: numpy.ndarray, vector: numpy.ndarray) -> numpy.ndarray:
    """Places [n][3] turned by a rotation vector, rad (Rodrigues' formula)."""
    angle = float(numpy.linalg.norm(vector))
    if angle == 0:
        return vertices
    axis = vector / angle
    along = numpy.outer(vertices @ axis, axis)
    return numpy.cos(angle) * (vertices - along) + numpy.sin(angle) * numpy.cross(axis, vertices) + along


def _instances(found: Dict[str, numpy.ndarray], shapes: List[Tuple[numpy.ndarray, numpy.ndarray]]) -> List[numpy.ndarray]:
    """The vertices of each copy, in their order."""
    placed = []
    for k, position in enumerate(found["position"]):
        vertices, modes = shapes[int(found["shape"][k, 0]) if "shape" in found else 0]
        if "amplitudes" in found and len(modes):
            vertices = vertices + numpy.tensordot(found["amplitudes"][k][: len(modes)], modes, 1)
        scale = found["scale"][k, 0] if "scale" in found else 1.0
        placed.append(position + scale * turned(vertices, found["orientation"][k] if "orientation" in found else numpy.zeros(3)))
    return placed


def pictures(recording: Path) -> Iterator[Picture]:
    """The frames of a recording, in their order."""
    topology: Dict[str, Any] = {}
    shapes: Dict[int, List[Tuple[numpy.ndarray, numpy.ndarray]]] = {}
    for kind, time, payload in records(recording.read_bytes()):
        if kind == TOPOLOGY:
            topology = json.loads(payload)
        elif kind == GEOMETRY:
            drawable, vertices, modes = _shape(payload)
            shapes.setdefault(drawable, []).append((vertices, modes))
        elif kind == FRAME:
            found: Dict[str, Dict[str, numpy.ndarray]] = {}
            for name, _, components, values in fields(payload, topology):
                drawable_name, field = name.rsplit(".", 1)
                found.setdefault(drawable_name, {}).setdefault(field, numpy.array(values).reshape(-1, components))
            places, counts = {}, {}
            for drawable in topology["drawables"]:
                name, arrays = drawable["name"], found.get(drawable["name"], {})
                if drawable["kind"] in DRAWN and "position" in arrays and not drawable.get("varying"):
                    parts = _instances(arrays, shapes[drawable["id"]]) if drawable["kind"] == "instances" else [arrays["position"]]
                    places[name], counts[name] = numpy.concatenate(parts), [len(part) for part in parts]
            yield Picture(time, places, counts)


def strain(before: numpy.ndarray, after: numpy.ndarray) -> numpy.ndarray:
    """The diagonal of the mean displacement gradient of places [n][3], by least squares."""
    x, u = before - before.mean(axis=0), after - before
    matrix, *_ = numpy.linalg.lstsq(x, u - u.mean(axis=0), rcond=None)
    return numpy.diag(matrix)
