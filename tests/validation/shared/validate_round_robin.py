"""The round robin's rows hold: one experiment under every method beside its reference (round_robin/, ROUND_ROBIN.md). Quick runs always,
all of them with SCREE_SLOW=1. Rows that are known to miss are shown with their numbers and the reason, so that a change is seen; quick runs of
which no row is held are left to SCREE_SLOW=1."""
import json
import os
import sys
from pathlib import Path

from claims import Claims

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from round_robin import catalogue  # noqa: E402
from round_robin.experiment import rows_of, run_experiment  # noqa: E402
from round_robin.running import ROOT, run_scene  # noqa: E402


class RoundRobin(Claims):
    """A case for each experiment; they are made below."""

    def hold(self, experiment):
        slow = os.environ.get("SCREE_SLOW")
        runs = {(method, resolution): run_experiment(experiment, method, resolution) for method, way in experiment.ways.items()
                for resolution in (way.resolutions if slow else way.quick) if slow or experiment.holds(method, resolution)}
        if not runs:
            self.slow("none of its quick runs has a row that is held")
        missed = []
        for row in rows_of(experiment, runs):
            expected = row.expected
            for cell in row.cells:
                what = f"{row.method}, {row.quantity} at {cell.resolution:g} {experiment.measure_of_resolution}"
                if not expected.holds(cell.resolution):
                    known = f", known to miss {100 * expected.tolerance:.3g} %: {expected.misses}" if row.known(cell) else ""
                    self.claim_shown(f"{what}{known} ({cell.outcome.state})", cell.ratio if cell.ratio is not None else float("nan"))
                    continue
                with self.subTest(what):
                    try:
                        self.assertTrue(cell.outcome.ended, f"{what}: {cell.outcome.state}")
                        self.claim_relative(what, cell.ratio if cell.ratio is not None else float("nan"), 1, expected.tolerance,
                                            "round robin")
                    except AssertionError as error:
                        missed.append(str(error))
        self.assertFalse(missed, "\n".join(missed))

    def test_gallery(self):
        """scenes of the gallery that methods share succeed without doubts under each of them

        Quick ones always; finite elements, and the box under bonded spheres, with SCREE_SLOW=1. The method is the one word that changes."""
        for name, methods in catalogue.GALLERY.items():
            scene = json.loads((ROOT / "api" / "gallery" / f"{name}.json").read_text(encoding="utf-8"))
            for method in methods:
                if (method == "fem" or name == "grain-box") and not os.environ.get("SCREE_SLOW"):
                    continue
                with self.subTest(scene=name, method=method):
                    self.assertEqual(run_scene({**scene, "method": method}, 300, lambda outcome: None).state, "success")


def _case(experiment):
    def test(self):
        self.hold(experiment)
    test.__doc__ = f"{experiment.title}: methods give the reference, at quick resolutions where not all are asked for"
    return test


for _experiment in catalogue.EXPERIMENTS:
    setattr(RoundRobin, f"test_{_experiment.name.replace('-', '_')}", _case(_experiment))
