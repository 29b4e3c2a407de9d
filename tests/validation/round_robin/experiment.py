"""What an experiment of the round robin is made of.

An experiment has a scene for each method and resolution and measures quantities in what the run left, each over its reference: 1 is
right. References are computed in the experiment's file from formulas whose source stands beside them; none comes from a method, but
where the experiment says so."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from .running import Outcome

METHODS = ("peridem", "bdem", "fem", "lsdem", "rigid")
Scene = Dict[str, Any]
Measures = Dict[str, float]  # quantity: value over reference


@dataclass(frozen=True)
class Way:
    """How a method takes part: at which resolutions, how long a run may compute, and which of them run in every `make test`."""
    resolutions: Tuple[float, ...]  # in the experiment's own measure, from coarse to fine
    quick: Tuple[float, ...] = ()
    limit: float = 60.0  # s of one processor


@dataclass(frozen=True)
class Expected:
    """What a method's values of a quantity must be within, and why what is left is left."""
    tolerance: float  # of value / reference, about 1
    why: str = ""  # the cause of what is left
    misses: str = ""  # of a row that is known to be out of tolerance: the reason
    at: Tuple[float, ...] = ()  # the resolutions at which it is; all, if none is named
    least: float = 0.0  # coarsest resolution that is held; coarser ones are shown

    def known(self, resolution: float) -> bool:
        """Whether the value there is known to miss."""
        return bool(self.misses) and (not self.at or resolution in self.at)

    def holds(self, resolution: float) -> bool:
        """Whether the value there must be within tolerance; else it is only shown."""
        return resolution >= self.least and not self.known(resolution)


@dataclass(frozen=True)
class Experiment:
    name: str
    title: str
    text: str  # what is done, what is compared, what it is compared with and where that is from
    measure_of_resolution: str  # what resolutions count, such as "spacings across"
    scene: Callable[[str, float], Scene]
    measure: Callable[[Outcome, str, float], Measures]
    ways: Mapping[str, Way]
    absent: Mapping[str, str]  # method: why it can't model this
    quantities: Mapping[str, str]  # name: how it is measured, over which reference
    expected: Mapping[Tuple[str, str], Expected]  # by quantity and method
    sources: Sequence[str] = field(default_factory=tuple)

    def holds(self, method: str, resolution: float) -> bool:
        """Whether any value of that run must be within tolerance."""
        return any(expected.holds(resolution) for (_, of), expected in self.expected.items() if of == method)


@dataclass
class Cell:
    """One run's part of a row."""
    resolution: float
    ratio: Optional[float]  # None: the run left no value
    outcome: Outcome


@dataclass
class Row:
    experiment: Experiment
    quantity: str
    method: str
    cells: List[Cell]

    @property
    def expected(self) -> Expected:
        return self.experiment.expected[self.quantity, self.method]

    def holds(self, cell: Cell) -> bool:
        """Whether the value is within tolerance, from a run that succeeded."""
        return cell.ratio is not None and cell.outcome.ended and abs(cell.ratio - 1) <= self.expected.tolerance

    def known(self, cell: Cell) -> bool:
        """Whether the value is known to miss."""
        return self.expected.known(cell.resolution)

    def held(self) -> List[Cell]:
        """The cells that are meant to be within tolerance."""
        return [cell for cell in self.cells if cell.resolution >= self.expected.least]

    def missed(self) -> List[Cell]:
        """The cells that are out of tolerance and not known to be."""
        return [cell for cell in self.held() if not self.holds(cell) and not self.known(cell)]

    def order(self) -> Optional[float]:
        """Order of convergence: slope of log |ratio - 1| over log(1 / resolution); None where an error is missing or below what can be
        told from 0."""
        if len(self.cells) < 3 or any(cell.ratio is None or not abs(cell.ratio - 1) > 1e-4 for cell in self.cells):
            return None
        x = [-math.log(cell.resolution) for cell in self.cells]
        y = [math.log(abs(cell.ratio - 1)) for cell in self.cells]  # type: ignore[operator]
        mx, my = sum(x) / len(x), sum(y) / len(y)
        return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


def rows_of(experiment: Experiment, outcomes: Mapping[Tuple[str, float], Tuple[Outcome, Measures]]) -> List[Row]:
    """The rows of an experiment from what its runs left, by method and resolution; a method without runs has none."""
    rows = []
    for quantity in experiment.quantities:
        for method in METHODS:
            if (quantity, method) not in experiment.expected:
                continue
            cells = [Cell(resolution, measures.get(quantity), outcome)
                     for (ran, resolution), (outcome, measures) in sorted(outcomes.items()) if ran == method]
            if cells:
                rows.append(Row(experiment, quantity, method, cells))
    return rows


def run_experiment(experiment: Experiment, method: str, resolution: float) -> Tuple[Outcome, Measures]:
    """Runs one method at one resolution."""
    from .running import run_scene

    measures: Measures = {}

    def measure(outcome: Outcome) -> None:
        try:
            measures.update(experiment.measure(outcome, method, resolution))
        except (ArithmeticError, LookupError, TypeError,
                ValueError) as error:  # a run that is not what the measurement expects is a row that says so
            outcome.state += f"; can't be measured: {error}"
            outcome.ended = False

    outcome = run_scene(experiment.scene(method, resolution), experiment.ways[method].limit, measure)
    return outcome, {name: value for name, value in measures.items() if math.isfinite(value)}
