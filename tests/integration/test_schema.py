"""The JSON Schema and the scene checker say the same about a scene."""
import copy
import json
import tempfile
import unittest
from pathlib import Path

import jsonschema

from command import scree
from lab import Lab

# What to change in a scene: a path to the place, and the value to put there (REMOVE takes the key away).
REMOVE = object()
MISTAKES = [
    (["name"], "a/b"), (["name"], 7), (["name"], REMOVE), (["colour"], "red"), (["method"], "alchemy"), (["seed"], 1.5), (["seed"], -1),
    (["materials"], []), (["materials", 0, "density"], 0), (["materials", 0, "density"], "1200"), (["materials", 0, "density"], None),
    (["materials", 0, "poisson_ratio"], 0.5), (["materials", 0, "weight"], 1), (["specimens", 0, "spacing"], REMOVE),
    (["specimens", 0, "shape"], REMOVE), (["specimens", 0, "shape"], {"type": "ball", "radius": 1}), (["specimens", 0, "shape", "radius"], -1),
    (["specimens", 0, "shape", "edge"], 1), (["specimens", 0, "velocity"], [0, 0]), (["specimens", 0, "velocity"], [0, 0, "1"]),
    (["specimens", 0, "placement"], {"type": "lattice", "count": [1, 1, 0], "pitch": [1, 1, 1]}), (["rig", "type"], "crate"),
    (["rig", "walls"], {"top": {}}), (["rig", "walls"], {"z_max": {"program": [{"type": "hold", "duration": 0}]}}),
    (["rig", "walls"], {"z_max": {"program": [{"type": "ramp", "velocity": 1}]}}), (["time", "duration"], 0), (["time", "safety_factor"], 1.1),
    (["time", "stop"], [{"type": "above", "series": "fragments"}]), (["output"], {"positions": "float16"}),
    (["output"], {"plots": [{"x": "time"}]}), (["options"], {"horizon": "far"}), (["options"], {"breakable": 1}), (["options"], []),
    (["options"], {"micromodulus": "cubic"}), (["options"], {"bdem": {"horizon": 1}}), (["options"], {"bdem": {}, "horizon": 1e-3}),
    (["options"], {"bdem": {}, "alchemy": {}}), (["options"], {"peridem": {"horizon": "far"}}), (["options"], {"bdem": []}),
]


def changed(scene, path, value):
    """A copy of the scene with one place changed."""
    scene = copy.deepcopy(scene)
    at = scene
    for key in path[:-1]:
        at = at[key]
    if value is REMOVE:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return scene


class SchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = scree("methods", "peridem", "--schema").json()
        cls.validator = jsonschema.Draft202012Validator(cls.schema)
        folder = tempfile.TemporaryDirectory(prefix="scree-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.path = Path(folder.name) / "scene.json"

    def check(self, scene):
        self.path.write_text(json.dumps(scene))
        return scree("check", self.path, "--json")

    def test_valid(self):
        """The schema is a valid JSON Schema, draft 2020-12, for one method and for all"""
        jsonschema.Draft202012Validator.check_schema(self.schema)
        jsonschema.Draft202012Validator.check_schema(scree("methods", "--schema").json())

    def test_accepts(self):
        """A scene that the checker takes fits the schema, as written and as made complete"""
        scene = Lab.small_scene()
        result = self.check(scene)
        self.assertEqual(result.code, 0, result)
        self.validator.validate(scene)
        self.validator.validate(result.json()["scene"])

    def test_accepts_blocks(self):
        """Options by methods' names fit the schema of each, as written and as made complete, and the method is the one word to change"""
        for method in ("peridem", "bdem"):
            scene = Lab.small_scene()
            scene["method"] = method
            scene["materials"][0]["tensile_strength"] = 1e6
            scene["options"] = {"peridem": {"breakable": False}, "bdem": {"breakable": False}}
            result = self.check(scene)
            self.assertEqual(result.code, 0, result)
            validator = jsonschema.Draft202012Validator(scree("methods", method, "--schema").json())
            validator.validate(scene)
            validator.validate(result.json()["scene"])
            self.assertEqual(set(result.json()["scene"]["options"]), {"peridem", "bdem"})

    def test_accepts_quantities(self):
        """A scene whose numbers come with units fits the schema, and is the same scene, made complete, as the one in SI units"""
        scene = Lab.small_scene()
        plain = self.check(scene).json()["scene"]
        scene["materials"][0].update(density="1.2 g/cm^3", bulk_modulus="2 GPa", fracture_energy="0.135 N/mm")
        scene["specimens"][0].update(spacing="250 \u00b5m", shape={"type": "hollow_sphere", "radius": "1 mm", "inner_radius": "0.5 mm"})
        scene["specimens"][0]["placement"]["position"] = ["0 m", 0, "0 mm"]
        scene["time"]["time_step"] = "20 ns"
        self.validator.validate(scene)
        result = self.check(scene)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(result.json()["scene"], plain)

    def test_refuses(self):
        """Each mistake that one value shows is refused by the schema and by the checker, at the same place"""
        scene = Lab.small_scene()
        for path, value in MISTAKES:
            with self.subTest(path=path, value=value):
                wrong = changed(scene, path, value)
                self.assertFalse(self.validator.is_valid(wrong))
                result = self.check(wrong)
                self.assertEqual(result.code, 4, result)
                place = "/" + "/".join(map(str, path))
                pointers = [error["pointer"] for error in result.json()["errors"]]
                self.assertTrue(any(pointer.startswith(place) for pointer in pointers), pointers)

    def test_explains(self):
        """Every property has a title and a description, every number a unit, every plain value that may be left out a default"""
        def required_names(node):
            if isinstance(node, list):
                return set().union(*map(required_names, node))
            if not isinstance(node, dict):
                return set()
            own = set(node["required"]) if isinstance(node.get("required"), list) else set()
            return own.union(*map(required_names, node.values()))

        def needed(name, methods):
            """whether each method that has the key needs it: the schema of another method can't say so"""
            return all(name in required_names(scree("methods", method, "--schema").json()) for method in methods)

        def walk(node, where):
            for name, value in node.get("properties", {}).items():
                place = f"{where}/{name}"
                if name == "type" and "const" in value:
                    continue
                self.assertIn("title", value, place)
                self.assertIn("description", value, place)
                kinds = value.get("type", "")
                if "number" in kinds or "integer" in kinds:
                    self.assertIn("x-unit", value, place)
                if kinds and "null" not in kinds and kinds not in ("object", "array") and name not in node["required"] and not ("default" not in value and "x-methods" in value and needed(name, value["x-methods"])):
                    self.assertIn("default", value, place)
                walk(value, place)
            for variant in node.get("oneOf", []):
                walk(variant, where)
            if "items" in node:
                walk(node["items"], where)
        walk(self.schema, "")


if __name__ == "__main__":
    unittest.main()
