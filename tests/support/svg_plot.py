"""Line plots with logarithmic axes as SVG text; standard library only."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

COLOURS = ["#1b6ca8", "#c8553d", "#3b8b5f", "#8e5ea2", "#d19a2a", "#4d4d4d", "#2aa5a0", "#b03a76", "#7a8b2f", "#6b4f3a", "#5470c6", "#e07b91"]


@dataclass
class Line:
    """One curve: points with positive coordinates; zeros and negatives are left out."""

    name: str
    points: list[tuple[float, float]]
    colour: str
    dash: str = ""
    """SVG dash pattern; empty is a full line."""


@dataclass
class Panel:
    """One pair of axes. `linear_y` draws the vertical axis linearly from zero."""

    title: str
    x_label: str
    y_label: str
    lines: list[Line] = field(default_factory=list)
    linear_y: bool = False
    y_floor: float = 0.0
    """Smallest y shown on a logarithmic axis."""

    def visible(self) -> list[tuple[float, float]]:
        return [p for line in self.lines for p in line.points if p[0] > 0 and p[1] > self.y_floor]


WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 460, 330, 64, 14, 34, 46


def _decades(low: float, high: float) -> tuple[int, int]:
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    return first, max(last, first + 1)


def _text(x: float, y: float, text: str, anchor: str = "middle", extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>{escape(text)}</text>\n'


def _exponent(value: int) -> str:
    return "1" if value == 0 else "10" if value == 1 else f"1e{value}"


def _panel(panel: Panel) -> str:
    points = panel.visible()
    if not points:
        return ""
    x0, x1 = _decades(min(p[0] for p in points), max(p[0] for p in points))
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    out = [f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{right - LEFT}" height="{bottom - TOP}"/>\n']

    def to_x(value: float) -> float:
        return LEFT + (math.log10(value) - x0) / (x1 - x0) * (right - LEFT)

    if panel.linear_y:
        top_value = max(p[1] for p in points) * 1.08
        step = 10 ** math.floor(math.log10(top_value))
        step = step if top_value / step >= 4 else step / 2 if top_value / step >= 2 else step / 5

        def to_y(value: float) -> float:
            return bottom - value / top_value * (bottom - TOP)

        ticks = [(step * k, f"{step * k:g}") for k in range(int(top_value / step) + 1)]
    else:
        y0, y1 = _decades(min(p[1] for p in points), max(p[1] for p in points))

        def to_y(value: float) -> float:
            return bottom - (math.log10(value) - y0) / (y1 - y0) * (bottom - TOP)

        every = max(1, (y1 - y0) // 7)
        ticks = [(10.0**k, _exponent(k)) for k in range(y0, y1 + 1, every)]
    for value, label in ticks:
        out.append(f'<line class="grid" x1="{LEFT}" y1="{to_y(value):.1f}" x2="{right}" y2="{to_y(value):.1f}"/>')
        out.append(_text(LEFT - 6, to_y(value) + 4, label, "end"))
    for k in range(x0, x1 + 1):
        x = to_x(10.0**k)
        out.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}"/>')
        out.append(_text(x, bottom + 16, _exponent(k)))
    for line in panel.lines:
        shown = [(to_x(x), to_y(y)) for x, y in line.points if x > 0 and y > panel.y_floor]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in shown)
        dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
        out.append(f'<polyline points="{path}" stroke="{line.colour}"{dash}><title>{escape(line.name)}</title></polyline>\n')
        if len(shown) <= 40:
            out.extend(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2" fill="{line.colour}"/>' for x, y in shown)
    out.append(_text((LEFT + right) / 2, TOP - 12, panel.title, extra='class="title"'))
    out.append(_text((LEFT + right) / 2, HEIGHT - 10, panel.x_label))
    middle = (TOP + bottom) / 2
    out.append(_text(16, middle, panel.y_label, extra=f'transform="rotate(-90 16 {middle:.0f})"'))
    return "".join(out)


def draw(panels: list[Panel], columns: int = 2) -> str:
    """All panels in rows of `columns`, one legend below."""
    rows = -(-len(panels) // columns)
    legend: dict[str, Line] = {}
    for panel in panels:
        for line in panel.lines:
            legend.setdefault(line.name, line)
    width = columns * WIDTH
    per_row = max(1, width // 300)
    height = rows * HEIGHT + 20 * (-(-len(legend) // per_row)) + 16
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">\n',
        "<style>text{font:12px sans-serif;fill:#222}.title{font-weight:bold}.grid{stroke:#ddd;stroke-width:1}"
        ".frame{fill:none;stroke:#555}polyline{fill:none;stroke-width:1.8}</style>\n",
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n',
    ]
    for k, panel in enumerate(panels):
        out.append(f'<g transform="translate({k % columns * WIDTH} {k // columns * HEIGHT})">\n{_panel(panel)}</g>\n')
    for k, line in enumerate(legend.values()):
        x, y = 20 + k % per_row * 300, rows * HEIGHT + 16 + k // per_row * 20
        dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
        out.append(f'<line x1="{x}" y1="{y - 4}" x2="{x + 26}" y2="{y - 4}" stroke="{line.colour}" stroke-width="2"{dash}/>')
        out.append(_text(x + 32, y, line.name, "start"))
    return "".join(out) + "</svg>\n"
