"""Numerical modes through the whole service: a job of finite elements makes a mode basis, that becomes an asset, and a job of lsdem moves by it."""
import json
import unittest

from lab import Lab

SIZE = [0.1, 0.012, 0.008]
STEEL = {"name": "steel", "density": 7800, "young_modulus": 2e11, "poisson_ratio": 0.3}


def fine():
    """The modes of a free steel bar, as a basis."""
    return {"scree": 1, "name": "bar", "method": "coarsening", "options": {"element": "plain", "modes": 3, "meshes": "20x3x2", "match": 0.5, "basis": True},
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

    def curves(self, lab, job):
        """Curves by name."""
        answer = lab.json("GET", f"/api/v1/jobs/{job}/curves?series=amplitude,contacts&max_points=10000")
        return {series["name"]: [sample[k] for sample in answer["samples"]] for k, series in enumerate(answer["series"])}

    def test_from_finite_elements_to_grains(self):
        """a grain with the basis of a bar rings at the frequency that the finite elements found, to 1e-4; of half Young's modulus, at a square root of a half of it; a basis of another shape is refused"""
        with Lab() as lab:
            job = self.run_job(lab, fine())
            table = lab.json("GET", f"/api/v1/jobs/{job}/tables/modes")
            column = [c["name"] for c in table["columns"]].index("frequency")
            found = table["rows"][0][column]
            basis = lab.request("GET", f"/api/v1/jobs/{job}/files/coarsening/modes.basis")[2]
            digest = lab.json("POST", "/api/v1/assets?name=bar.basis", basis, {"Content-Type": "text/plain"})["digest"]
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

    def ring(self, lab, scene):
        return pitch(self.curves(lab, self.run_job(lab, scene)))


if __name__ == "__main__":
    unittest.main()
