"""Frames of a run: what is drawn at a moment, as arrays (core/record/FORMAT.md)."""
from __future__ import annotations

import math
import struct
from typing import Any, Dict, List, Optional, Protocol

try:
    import numpy as _numpy
except ImportError:
    _numpy = None  # type: ignore[assignment]

_BLOCK = struct.Struct("<IIII")  # drawable, element_count, array_count, byte_size
_GEOMETRY = struct.Struct("<IIIIII")  # drawable, shape, vertex_count, triangle_count, mode_count, 0
_ARRAY = struct.Struct("<IIII3d3d")  # field, encoding, components, byte_size, low, high
_ENCODINGS = (("f", "<f4"), ("H", "<u2"), ("I", "<u4"))  # float32, uint16, uint32: for struct and for NumPy


class _Recorded(Protocol):
    """Whatever has records: a job."""

    id: Any

    def _record(self, path: str) -> bytes:
        """The payload of a record at a path of the server."""


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


class Grid:
    """Cells of a structured grid in one frame; arrays have a row for each cell that is there.

    origin, spacing: three numbers, m, of the lowest corner and of a cell; a spacing of 0 where the grid is flat.  counts: cells along each axis.
    cells: (n,), numbers of the cells, i + counts[0] (j + counts[1] k).  places: (n, 3), their i, j, k.  fields: the values, by name."""

    def __init__(self, name: str, fields: Dict[str, Any], about: Dict[str, Any]):
        self.name = name
        self.origin, self.spacing, self.counts = tuple(about["origin"]), tuple(about["spacing"]), tuple(about["counts"])
        self.fields = {field: values for field, values in fields.items() if field != "cell"}
        nx, ny, nz = self.counts
        if "cell" in fields:
            self.cells = fields["cell"]
        else:
            self.cells = _numpy.arange(nx * ny * nz) if _numpy is not None else list(range(nx * ny * nz))
        if _numpy is not None:
            self.places = _numpy.stack([self.cells % nx, self.cells // nx % ny, self.cells // (nx * ny)], axis=1)
        else:
            self.places = [(cell % nx, cell // nx % ny, cell // (nx * ny)) for cell in self.cells]

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def centres(self) -> Any:
        """Middles of the cells, (n, 3), m."""
        if _numpy is not None:
            return _numpy.array(self.origin) + (self.places + 0.5) * _numpy.array(self.spacing)
        return [tuple(self.origin[c] + (place[c] + 0.5) * self.spacing[c] for c in range(3)) for place in self.places]


class Frame:
    """One moment of a run. `number` counts from 0, `time` is in s.

    What is drawn are drawables: points, the rig, the obstacles, bodies, meshes, threads, grids. Arrays have a row for each element: NumPy arrays of
    shape (n,) or (n, 3) where NumPy is installed, else lists of numbers or of tuples of three. How many elements there are may differ from frame
    to frame."""

    def __init__(self, job: _Recorded, number: int, time: float, path: str, topology: Dict[str, Any], shapes: "_Shapes"):
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

    @property
    def grids(self) -> Dict[str, Grid]:
        """Structured grids, by the drawable's name."""
        return {d["name"]: Grid(d["name"], self.drawables[d["name"]], d["grid"]) for d in self._of("grid")}

    def _of(self, kind: str) -> List[Dict[str, Any]]:
        return [drawable for drawable in self._topology["drawables"] if drawable["kind"] == kind]


class _Shapes:
    """The shapes of a job's drawables: read once, when somebody asks. Their records follow the topology, by drawable and shape."""

    def __init__(self, job: _Recorded, path: str, topology_seq: int, topology: Dict[str, Any]):
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
