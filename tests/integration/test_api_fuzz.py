"""Random requests drawn from api/openapi.yaml against a live screed: no 5xx, no undocumented status or shape, no hang, whatever is asked.

SCREE_FUZZ_SEED and SCREE_FUZZ_REQUESTS choose others and more; a failure prints its seed and the request."""
import copy
import json
import os
import random
import time
import unittest
from urllib.parse import quote

from contract import METHODS, Contract
from lab import PATIENCE, SANITIZED, Lab

SEED = int(os.environ.get("SCREE_FUZZ_SEED", "20261122"))
REQUESTS = int(os.environ.get("SCREE_FUZZ_REQUESTS", "300" if SANITIZED else "1500"))
SLOW_SECONDS = 20 * PATIENCE  # nothing here takes a second on a quiet machine
TEXTS = ["", "0", "-1", "1e9", "18446744073709551616", "9223372036854775807", "null", "true", "\u00e5\U0001f600", "a" * 300, "../../etc/passwd", "%00", "x\ny", "a,b", "k:v",
         "'; DROP TABLE job; --", "<script>", "running", "live", "latest", "[]", "{}"]
VALUES = [None, True, False, 0, -1, 1e300, 1e-300, 2**63 - 1, 0.5, "", "x", "1 mm", "sphere", [], [1, 2], [[0, 0, 0]], {}, {"type": "none"}, "a" * 5000, "\u0007"]


class Drawn:
    """Draws requests for the operations of the document."""

    def __init__(self, contract, seed):
        self.contract, self.random = contract, random.Random(seed)
        paths = contract.document["paths"]
        self.operations = [(method, path) for path, item in paths.items() for method in METHODS if method in item and path != "/ws/v1"]

    def value(self, schema, fair):
        """A text for a parameter: one that its schema allows, if `fair` and simple, or anything."""
        r, schema = self.random, self.contract.resolve(schema)
        if not fair:
            return r.choice(TEXTS + [str(r.randint(-5, 2**40))])
        if "enum" in schema:
            return str(r.choice(schema["enum"]))
        if "const" in schema:
            return str(schema["const"])
        if schema.get("type") == "integer":
            low = schema.get("minimum", 0)
            return str(r.choice([low, schema.get("default", low), min(schema.get("maximum", low + 6), low + r.randint(0, 6))]))
        if schema.get("type") == "number":
            return str(r.uniform(0, 1e-3))
        return r.choice(["peridem", "bdem", "small", "time", "energy.kinetic", "a:b"])

    def parameters(self, method, path):
        item = self.contract.document["paths"][path]
        return [self.contract.resolve(p) for p in item.get("parameters", []) + item[method].get("parameters", [])]

    def target(self, method, path, newest):
        r, queries = self.random, []
        for parameter in self.parameters(method, path):
            fair = r.random() < 0.75
            if parameter["in"] == "path":
                text = str(r.randint(1, newest)) if parameter["name"] == "id" and r.random() < 0.8 else self.value(parameter.get("schema", {}), fair) or "x"
                path = path.replace("{" + parameter["name"] + "}", quote(text, safe=""))
            elif parameter["in"] == "query" and r.random() < 0.5:
                queries += [(parameter["name"], self.value(parameter.get("schema", {}), fair)) for _ in range(r.choice([1, 1, 1, 2]))]
        if r.random() < 0.05:
            queries.append((r.choice(["stat", "", "a[]", "limit ", "x" * 50]), "1"))
        return path + ("?" + "&".join(f"{quote(k, safe='')}={quote(v, safe='')}" for k, v in queries) if queries else "")

    def headers(self, method, path):
        r, found = self.random, {}
        for parameter in self.parameters(method, path):
            if parameter["in"] == "header" and r.random() < 0.4:
                text = r.choice(["bytes=0-10", "bytes=5-", "bytes=-3", "bytes=9-1", '"x"', "*", "key-1", "scree.v1", "a" * 255, "\t", "W/\"1-2\""])
                found[parameter["name"]] = text
        if r.random() < 0.2:
            found["Accept"] = r.choice(["application/json", "text/csv", "image/svg+xml", "*/*", "text/html;q=0", ",,;q=x", "application/*;q=0.1"])
        return found

    def scene(self):
        """The small scene with a few places changed, or put into a request with name, tags and priority."""
        r, scene = self.random, copy.deepcopy(Lab.small_scene(steps=60, frames=4))
        for _ in range(r.choice([0, 0, 1, 1, 2, 4])):
            place = scene
            while True:
                key = r.choice(list(place)) if isinstance(place, dict) and place else r.randrange(len(place)) if isinstance(place, list) and place else None
                if key is None:
                    break
                if not isinstance(place[key], (dict, list)) or r.random() < 0.3:
                    place[key] = copy.deepcopy(r.choice(VALUES))
                    break
                place = place[key]
        return scene

    def body(self, method):
        """Bytes and content type."""
        r, kind = self.random, "application/json"
        if method not in ("post", "put", "patch"):
            return None, None
        value = self.scene() if r.random() < 0.6 else {"scene": self.scene()}
        for name, choices in (("name", ["a", "", 5, "a" * 400]), ("priority", [0, 5, 1000, "x"]), ("tags", [{}, {"a": "b"}, {"": ""}, ["a"], {"a": 1}]),
                              ("notes", ["", "note", None])):
            if ("scene" in value or method == "patch") and r.random() < 0.3:
                value[name] = r.choice(choices)
        if method == "patch" and r.random() < 0.7:
            value = {name: copy.deepcopy(r.choice(VALUES)) for name in ("name", "priority", "tags", "notes") if r.random() < 0.5}
        if r.random() < 0.1:
            value = copy.deepcopy(r.choice(VALUES))
        data = json.dumps(value).encode()
        if r.random() < 0.08:
            data = data[: r.randint(0, len(data))]
        if r.random() < 0.04:
            data = b"[" * 5000
        if r.random() < 0.04:
            data = bytes(r.randrange(256) for _ in range(200))
        if r.random() < 0.05:
            kind = r.choice(["text/plain", "application/xml", "", "application/json; charset=latin-1"])
        return data, kind


class Fuzz(unittest.TestCase):
    def test_random_requests(self):
        """Random requests drawn from the OpenAPI document get documented answers, none of them 5xx, none slow"""
        contract = Contract()
        drawn = Drawn(contract, SEED)
        with Lab() as lab:
            first = lab.submit(Lab.small_scene(steps=200))["id"]
            lab.wait(first)
            newest = first
            for number in range(REQUESTS):
                method, path = drawn.random.choice(drawn.operations)
                target = drawn.target(method, path, newest + 2)
                headers = drawn.headers(method, path)
                body, kind = drawn.body(method)
                if kind:
                    headers["Content-Type"] = kind
                told = f"seed {SEED}, request {number}: {method.upper()} {target[:300]} {headers} {(body or b'')[:600]!r}"
                begun = time.monotonic()
                status, answered, content = lab.request(method.upper(), target, body, headers, timeout=60)
                self.assertLess(time.monotonic() - begun, SLOW_SECONDS, told)
                self.assertLess(status, 500, f"{told}: {content[:1000]!r}")
                try:
                    contract.check(method, target, status, answered, content)
                except AssertionError as reason:
                    self.fail(f"{told}: {reason}")
                if method == "post" and path == "/api/v1/jobs" and status == 201:
                    newest = max(newest, json.loads(content)["id"])
            # Whatever was asked, the service works as before.
            lab.json("GET", "/healthz", expect=200)
            lab.json("GET", "/api/v1/jobs", expect=200)


if __name__ == "__main__":
    unittest.main()
