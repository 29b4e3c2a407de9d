"""Curves as an SVG picture for a paper: as wide as a column, axes with titles and units."""
from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Sequence, Tuple
from xml.sax.saxutils import escape

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 8, 34  # points, 1/72 in
_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "\u00b5"))
_WITH_PREFIX = ("m", "s", "N", "Pa", "J", "W", "Hz", "N m", "m/s", "N/m")


class _Axis:
    """Round ends and ticks around what is to be seen."""

    def __init__(self, values: Sequence[float], title: str, unit: str, ticks: int):
        low, high = min(values), max(values)
        if not high > low:
            pad = 0.1 * abs(low) or 1.0
            low, high = low - pad, high + pad
        size = max(abs(low), abs(high))
        self.scale, prefix = next(((s, p) for s, p in _PREFIXES if size >= s), _PREFIXES[-1]) if unit in _WITH_PREFIX else (1.0, "")
        raw = (high - low) / ticks
        power = 10 ** math.floor(math.log10(raw))
        self.tick = power * next(lead for lead in (1, 2, 5, 10) if raw <= lead * power * (1 + 1e-9))
        self.low, self.high = math.floor(low / self.tick + 1e-9) * self.tick, math.ceil(high / self.tick - 1e-9) * self.tick
        self.title = title + (f" ({prefix}{unit})" if unit not in ("", "1") else "")

    def share(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> List[Tuple[float, str]]:
        count = round((self.high - self.low) / self.tick)
        return [(value, f"{value / self.scale:.6g}") for value in (self.low + k * self.tick if abs(self.low + k * self.tick) > 1e-9 * self.tick else 0.0 for k in range(count + 1))]


def bands_svg(groups: List[Dict[str, Any]], titles: Tuple[str, str], units: Tuple[str, str], columns: int = 1, by: str = "", measured: Optional[Dict[str, Any]] = None) -> str:
    """Groups of curves as Study.bands gives them: all curves thin, the median, the band of quantiles; `measured`: a curve {x, y} to lie over them.
    columns: 1 is 85 mm wide, 2 is 175 mm."""
    def pairs(xs: Sequence[Any], ys: Sequence[Any]) -> List[Tuple[float, float]]:
        return [(x, y) for x, y in zip(xs, ys) if x is not None and y is not None]

    lines = [pairs(c["x"], c["y"]) for g in groups for c in g["curves"]] + [pairs(g["x"], g[k]) for g in groups for k in ("low", "high")]
    lines += [pairs(measured["x"], measured["y"])] if measured else []
    points = [point for line in lines for point in line]
    if not points:
        raise ValueError("there is nothing to draw: no row of the study has these curves yet")
    width_mm = 175 if columns > 1 else 85
    width = width_mm * 72 / 25.4
    height = width / 2 if columns > 1 else 0.72 * width
    across, up = _Axis([x for x, _ in points], titles[0], units[0], 4 * columns), _Axis([y for _, y in points], titles[1], units[1], 5)

    def at(x: float, y: float) -> str:
        return f"{_LEFT + across.share(x) * (width - _LEFT - _RIGHT):.2f} {height - _BOTTOM - up.share(y) * (height - _TOP - _BOTTOM):.2f}"

    def path(line: List[Tuple[float, float]], style: str, end: str = "") -> str:
        return f'<path {style} d="M{"L".join(at(x, y) for x, y in line)}{end}"/>' if line else ""

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width_mm}mm" height="{height * 25.4 / 72:.1f}mm" viewBox="0 0 {width:.2f} {height:.2f}">',
           "<style>text{font:8px Helvetica,Arial,sans-serif}path{fill:none}</style>", '<rect width="100%" height="100%" fill="#fff"/>']
    for value, text in across.ticks():
        x = at(value, up.low).split()[0]
        out.append(f'<path stroke="#ddd" stroke-width=".4" d="M{x} {_TOP}V{height - _BOTTOM:.2f}"/><text x="{x}" y="{height - _BOTTOM + 11:.2f}" text-anchor="middle">{text}</text>')
    for value, text in up.ticks():
        y = float(at(across.low, value).split()[1])
        out.append(f'<path stroke="#ddd" stroke-width=".4" d="M{_LEFT} {y:.2f}H{width - _RIGHT:.2f}"/><text x="{_LEFT - 4}" y="{y + 2.8:.2f}" text-anchor="end">{text}</text>')
    for k, group in enumerate(groups):
        colour = _COLOURS[k % len(_COLOURS)]
        out += [path(pairs(c["x"], c["y"]), f'class="thin" stroke="{colour}" stroke-width=".3" stroke-opacity=".4"') for c in group["curves"]]
        low, high = pairs(group["x"], group["low"]), pairs(group["x"], group["high"])
        out.append(path(low + high[::-1], f'class="band" style="fill:{colour};fill-opacity:.2"', "Z"))
        out.append(path(pairs(group["x"], group["median"]), f'class="median" stroke="{colour}" stroke-width="1.2"'))
        out.append(f'<text x="{_LEFT + 6}" y="{_TOP + 11 * (k + 1)}" fill="{colour}">{escape(by + " " + group["label"] if by else "median")}</text>')
    if measured:
        out.append(path(pairs(measured["x"], measured["y"]), 'class="measured" stroke="#000" stroke-width="1.2" stroke-dasharray="4 2"'))
    out.append(f'<rect x="{_LEFT}" y="{_TOP}" width="{width - _LEFT - _RIGHT:.2f}" height="{height - _TOP - _BOTTOM:.2f}" fill="none" stroke="#000" stroke-width=".6"/>')
    out.append(f'<text x="{(_LEFT + width - _RIGHT) / 2:.2f}" y="{height - 8:.2f}" text-anchor="middle">{escape(across.title)}</text>')
    out.append(f'<text transform="translate(10 {(_TOP + height - _BOTTOM) / 2:.2f}) rotate(-90)" text-anchor="middle">{escape(up.title)}</text></svg>')
    return "\n".join(out) + "\n"
