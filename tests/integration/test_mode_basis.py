"""Numerical modes through the whole service: a job of finite elements makes a mode basis, that becomes an asset, and a job of lsdem moves by it."""
import json
import unittest

from lab import Lab
from pressed_ball import RUBBER, basis_of, between, by_elements, by_modes, curves_of, force_of_walls, paper, table_of, work_of

SIZE = [0.1, 0.012, 0.008]
STEEL = {"name": "steel", "density": 7800, "young_modulus": 2e11, "poisson_ratio": 0.3}


def fine():
    """The modes of a free steel bar, as a basis."""
    return {"scree": 1, "name": "bar", "method": "coarsening", "options": {"element": "plain", "modes": 3, "meshes": "20x3x2", "basis": True},
            "materials": [STEEL], "specimens": [{"name": "bar", "material": "steel", "divisions": [24, 4, 3], "shape": {"type": "box", "size": SIZE}, "placement": {"type": "single"}}],
            "rig": {"type": "none"}, "time": {"duration": 1}, "output": {}}


def struck(digest, material, **changes):
    """The same bar as one grain of lsdem that falls onto a roller, without damping, and rings on as it flies."""
    specimen = {"name": "bar", "material": material["name"], "spacing": 0.002, "grid_spacing": 0.002, "modes": "basis", "mode_basis": f"sha256:{digest}", "mode_count": 3,
                "mode_damping_ratio": 0, "largest_amplitude": 0.002, "velocity": [0, 0, -0.5], "shape": {"type": "box", "size": SIZE},
                "placement": {"type": "single", "position": [0, 0, 0.00401]}}
    specimen.update(changes)
    return {"scree": 1, "name": "bar", "method": "lsdem", "materials": [material], "contact": {"contact_stiffness": 1e13}, "specimens": [specimen], "rig": {"type": "none"},
            "obstacles": [{"name": "roller", "shape": {"type": "cylinder", "radius": 0.004, "length": 0.03}, "rotation": {"axis": [1, 0, 0], "angle_deg": 90}, "position": [0, 0, -0.004]}],
            "time": {"duration": 0.006}, "output": {"sample_interval": 5e-6}}


def pitch(curves):
    """Frequency of the first mode after the last contact, Hz, by its rising crossings of zero."""
    time, amplitude, contacts = curves["time"], curves["amplitude"], curves["contacts"]
    last = max(t for t, c in zip(time, contacts) if c > 0)
    crossings = [time[k] - amplitude[k] * (time[k + 1] - time[k]) / (amplitude[k + 1] - amplitude[k]) for k in range(len(time) - 1)
                 if time[k] > last and amplitude[k] < 0 <= amplitude[k + 1]]
    return (len(crossings) - 1) / (crossings[-1] - crossings[0])


class ModeBasis(unittest.TestCase):
    def run_job(self, lab, scene):
        job = lab.submit(scene)["id"]
        self.assertEqual(lab.wait(job)["state"], "succeeded", lab.job(job))
        return job

    def test_from_finite_elements_to_grains(self):
        """a grain with the basis of a bar rings at the frequency that the finite elements found, to 1e-4; of half Young's modulus, at a square root of a half of it; a basis of another shape is refused"""
        with Lab() as lab:
            job = self.run_job(lab, fine())
            table = lab.json("GET", f"/api/v1/jobs/{job}/tables/modes")
            column = [c["name"] for c in table["columns"]].index("frequency")
            found = table["rows"][0][column]
            digest = basis_of(lab, job)[1]
            rung = self.ring(lab, struck(digest, {"name": "steel", "density": 7800}))
            self.assertLess(abs(rung / found - 1), 1e-4)
            softer = self.ring(lab, struck(digest, {**STEEL, "young_modulus": 1e11}))
            self.assertLess(abs(softer / found * 2**0.5 - 1), 1e-4)
            for wrong, says in ((struck(digest, STEEL, shape={"type": "box", "size": [0.1, 0.02, 0.008]}), "another shape"),
                                (struck(digest, STEEL, mode_count=7), "3 modes"),
                                (struck(digest, {**STEEL, "poisson_ratio": 0.1}), "Poisson")):
                status, _, body = lab.request("POST", "/api/v1/jobs", json.dumps(wrong).encode(), {"Content-Type": "application/json"})[:3]
                self.assertEqual(status, 422, body)
                self.assertIn(says, body if isinstance(body, str) else body.decode())

    def refused(self, lab, scene, says):
        status, _, body = lab.request("POST", "/api/v1/jobs", json.dumps(scene).encode(), {"Content-Type": "application/json"})[:3]
        self.assertEqual(status, 422, body)
        self.assertIn(says, body if isinstance(body, str) else body.decode())

    def test_the_table_of_a_pressed_ball(self):
        """a ball pressed by six walls, by finite elements and then as one grain of lsdem with one mode and its table: the elements' force of a wall is the paper's table to 12 % (a mesh of 10 elements
        across; tests/validation/lsdem/validate_lsdem_service.py, which is slow, has 20 and holds 5 %), their work is their energy to 0.1 %, and the grain's walls have the elements' force to 6 %: the mode's
        flat spots touch as wholes (specification, 4.14), contacts are of finite stiffness, half Young's modulus gives half the force; what does not fit together is refused"""
        with Lab() as lab:
            basis, digest = basis_of(lab, self.run_job(lab, by_elements(0.0016)))
            way, energy, force = table_of(basis)
            self.assertLess(abs(work_of(way, force) / energy[-1] - 1), 1e-3)
            points = paper(0.049, 0.152)
            for at, wall in points:
                self.assertLess(abs(between(at, way, force) / 6 / wall - 1), 0.12, at)
            table = self.press(lab, by_modes(digest), way)
            for at, wall in points:
                self.assertLess(abs(table(at) / between(at, way, force) - 1), 0.06, at)
            fitted = self.press(lab, by_modes(digest, mode_energy="fit", fit_degree=6), way)
            self.assertLess(max(abs(fitted(at) / table(at) - 1) for at, _ in points), 0.09)
            half = by_modes(digest)
            half["materials"] = [{**RUBBER, "young_modulus": 5e7}]
            half["contact"]["contact_stiffness"] = 5e12
            softer = self.press(lab, half, way)
            self.assertLess(max(abs(2 * softer(at) / table(at) - 1) for at, _ in points), 0.01)
            self.refused(lab, by_modes(digest, mode_table="0 0, 1 1"), "leave one of them out")
            self.refused(lab, by_modes(digest, mode_count=2), "a table is of one")
            other = by_modes(digest, modes="isotropic")
            del other["specimens"][0]["mode_basis"]
            self.refused(lab, other, "mode_energy is of the modes of a mode basis")
            bare, digest = basis_of(lab, self.run_job(lab, fine()))
            self.assertIn(b"levels 0", bare)
            self.refused(lab, struck(digest, STEEL, mode_energy="fit"), "has no levels")

    def press(self, lab, scene, way):
        """The force of all six walls over how far they went: means over a hundredth of the whole way."""
        return force_of_walls(lab, self.run_job(lab, scene), 0.01 * way[-1])

    def ring(self, lab, scene):
        return pitch(curves_of(lab, self.run_job(lab, scene), ["amplitude", "contacts"]))


if __name__ == "__main__":
    unittest.main()
