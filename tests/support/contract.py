"""Holds a running screed against api/openapi.yaml: every answer must be documented and fit its schema."""
import json
import re

import jsonschema
import yaml

from lab import ROOT

METHODS = ("get", "post", "put", "patch", "delete")


class Contract:
    """The OpenAPI document, and which of its answers were seen."""

    def __init__(self):
        self.document = yaml.safe_load((ROOT / "api" / "openapi.yaml").read_text(encoding="utf-8"))
        self.resolver = jsonschema.RefResolver.from_schema(self.document)
        self.seen = set()

    def resolve(self, node):
        while isinstance(node, dict) and "$ref" in node:
            node = self.resolver.resolve(node["$ref"])[1]
        return node

    def validator(self, schema):
        return jsonschema.Draft202012Validator(schema, resolver=self.resolver)

    def documented(self):
        """Every (method, path, status) of the document, without `default`."""
        return {(method, path, status) for path, item in self.document["paths"].items() for method in METHODS if method in item
                for status in item[method]["responses"] if status != "default"}

    def path_of(self, target):
        """The document's path for a request's, None if it has none. Literal segments win over parameters."""
        target = target.split("?")[0]
        if target in self.document["paths"]:
            return target
        for path in self.document["paths"]:
            tail = ".+" if path == "/assets/{file}" else "[^/]+"
            if re.fullmatch(re.sub(r"\\\{[^}]*\\\}", tail, re.escape(path)), target):
                return path
        return None

    def check(self, method, target, status, headers, body):
        """Raises AssertionError unless the answer is one the document has."""
        method, status = method.lower(), str(status)
        where = f"{method.upper()} {target} -> {status}"
        asked = "get" if method == "head" else method
        path = self.path_of(target)
        operation = self.document["paths"].get(path, {}).get(asked) if path else None
        if operation is None:
            assert status in ("400", "401", "404", "405", "421"), f"{where}: not documented"
            self.check_problem(where, status, headers, None if method == "head" else body)
            return
        responses = operation["responses"]
        if status in responses:
            self.seen.add((asked, path, status))
            answer = self.resolve(responses[status])
        else:
            assert "default" in responses and int(status) >= 400, f"{where}: not documented; body {body[:500]!r}"
            answer = self.resolve(responses["default"])
        for name, header in answer.get("headers", {}).items():
            header = self.resolve(header)
            value = headers.get(name.lower())
            assert value is not None, f"{where}: the header {name} is missing"
            self.validator(header["schema"]).validate(value)
        if method != "head":
            self.check_body(where, answer.get("content"), headers, body)

    def check_body(self, where, content, headers, body):
        if content is None:
            assert body == b"", f"{where}: a body that is not documented: {body[:200]!r}"
            return
        kind = headers.get("content-type", "").split(";")[0]
        media = content.get(kind) or content.get("*/*")
        assert media is not None, f"{where}: {kind} is not documented"
        if kind.endswith("json") and "schema" in media:
            value = json.loads(body)
            errors = sorted(self.validator(media["schema"]).iter_errors(value), key=lambda e: list(e.path))
            assert not errors, f"{where}: {errors[0].json_path}: {errors[0].message}"
        if kind == "application/problem+json":
            self.check_problem(where, where.rsplit(" ", 1)[1], headers, body)

    def check_problem(self, where, status, headers, body):
        assert headers.get("content-type") == "application/problem+json", f"{where}: {headers}"
        if body is not None:
            problem = json.loads(body)
            self.validator(self.document["components"]["schemas"]["Problem"]).validate(problem)
            assert problem["status"] == int(status), where


def parse_answer(data):
    """(status, headers, body) of one HTTP answer's bytes."""
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return int(lines[0].split(" ")[1]), headers, body
