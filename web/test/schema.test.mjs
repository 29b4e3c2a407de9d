import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { another, formModel, formOf, initialValue, rangeText, recast, switched } = await load("compose/schema.ts");
const { emptyFields } = await load("compose/empty.ts");
const { typedNumber } = await load("compose/field.ts");
const { valueAt, withValue } = await load("json.ts");

const shape = {
  oneOf: [
    { type: "object", title: "Sphere", properties: { type: { const: "sphere" }, radius: { type: "number", exclusiveMinimum: 0 } }, required: ["type", "radius"] },
    { type: "object", title: "Box", properties: { type: { const: "box" }, size: { $ref: "#/$defs/vector" }, radius: { type: "number" } }, required: ["type", "size"] },
  ],
};
const model = (property, more = {}) => formModel({ type: "object", properties: { it: property }, $defs: { vector: { type: "array", items: { type: "number", "x-unit": "m" }, minItems: 3, maxItems: 3 } }, ...more }).fields[0].node;

test("numbers carry their unit, default, range and whether the ends belong to it", () => {
  const node = model({ type: "number", exclusiveMinimum: 0, maximum: 2, default: 0.5, "x-unit": "Pa", description: "help", "x-advanced": true });
  assert.deepEqual([node.kind, node.low, node.lowOpen, node.high, node.highOpen, node.unit, node.fallback, node.help, node.advanced], ["number", 0, true, 2, false, "Pa", 0.5, "help", true]);
  assert.equal(rangeText(node), "> 0 … 2");
  assert.equal(rangeText(model({ type: "integer", minimum: 1 })), "≥ 1");
  assert.equal(rangeText(model({ type: "number" })), "");
});

test("a number that may be given with a unit is a number with an example, and typed text is left for the server to read", () => {
  const node = model({ type: ["number", "string", "null"], pattern: "x", examples: ["1 mm"], "x-unit": "m" });
  assert.deepEqual([node.kind, node.nullable, node.unit, node.example], ["number", true, "m", "1 mm"]);
  const vector = model({ type: "array", items: { type: ["number", "string"], examples: ["1 mm"] }, minItems: 3, maxItems: 3, "x-unit": "m" });
  assert.deepEqual([vector.kind, vector.example], ["vector", "1 mm"]);
  assert.deepEqual(["1 mm", "20 µs", "1e-3", ""].map(typedNumber), ["1 mm", "20 µs", 0.001, undefined]);
});

test("one more thing with a name is like the last, under a name that no other has", () => {
  const last = { name: "ball", shape: { type: "sphere", radius: 1 } };
  assert.deepEqual(another([{ name: "ball-2" }, last]), { name: "ball-3", shape: { type: "sphere", radius: 1 } });
  assert.deepEqual(another([{ name: "ball-3" }, { name: "ball-2" }]), { name: "ball-4" });
  assert.notEqual(another([last]).shape, last.shape);
  assert.deepEqual([another([]), another([1]), another([{ x: 1 }])], [null, null, null]);
});

test("a type that may be null is optional to choose, however it is written", () => {
  for (const property of [{ type: ["number", "null"] }, { oneOf: [{ type: "number" }, { type: "null" }] }, { anyOf: [{ type: "null" }, { type: "number" }] }]) {
    const node = model(property);
    assert.deepEqual([node.kind, node.nullable], ["number", true]);
  }
  assert.deepEqual(model({ enum: ["a", null] }).choices, ["a"]);
});

test("three numbers are a vector; anything longer or looser is a list", () => {
  const vector = model({ $ref: "#/$defs/vector", title: "Size" });
  assert.deepEqual([vector.kind, vector.length, vector.unit, vector.title], ["vector", 3, "m", "Size"]);
  assert.equal(model({ type: "array", items: { type: "number" } }).kind, "list");
  assert.equal(model({ type: "array", items: { type: "number" }, minItems: 9, maxItems: 9 }).kind, "list");
});

test("oneOf told apart by a const type is a union, and switching keeps what both have", () => {
  const node = model(shape);
  assert.deepEqual([node.kind, node.variants.map((v) => v.name)], ["union", ["sphere", "box"]]);
  assert.deepEqual(switched(node, { type: "sphere", radius: 2 }, "box"), { type: "box", size: [0, 0, 0], radius: 2 });
  assert.deepEqual(switched(node, undefined, "sphere"), { type: "sphere" });
});

test("objects without a type are told apart by their keys, and a value is put into the form that holds it, or taken out", () => {
  const options = (title, key) => ({ type: "object", title, properties: { [key]: { type: "number" } } });
  const node = model({ oneOf: [options("Options of a", "x"), { type: "object", title: "Each", properties: { a: options("Options of a", "x"), b: options("Options of b", "y") } }] });
  assert.deepEqual([node.kind, node.forms.map((form) => form.title)], ["either", ["Options of a", "Each"]]);
  assert.deepEqual([undefined, {}, { x: 1 }, { a: {} }, { b: { y: 1 } }].map((value) => formOf(node, value)), [0, 0, 0, 1, 1]);
  assert.deepEqual(recast(node, { x: 1 }, 1), { a: { x: 1 } });
  assert.deepEqual(recast(node, { a: { x: 1 }, b: { y: 2 } }, 0), { x: 1 });
  assert.deepEqual(recast(node, undefined, 1), { a: {} });
  assert.equal(recast(node, { b: { y: 2 } }, 0), undefined);
});

test("a new item holds what is required; numbers without a default are left to the user", () => {
  assert.deepEqual(initialValue(model({ type: "object", required: ["name", "shape", "density"], properties: { name: { type: "string" }, shape, density: { type: "number" }, note: { type: "string" } } })), { name: "", shape: { type: "sphere" } });
});

test("what the form does not understand, or a schema that leads in circles, is edited as JSON", () => {
  assert.equal(model({ oneOf: [{ type: "number" }, { type: "string" }] }).kind, "json");
  assert.equal(model({}).kind, "json");
  const round = formModel({ $ref: "#/$defs/a", $defs: { a: { type: "object", properties: { next: { $ref: "#/$defs/a" } } } } });
  let depth = 0;
  for (let node = round; node.kind === "object"; node = node.fields[0].node) depth++;
  assert.ok(depth > 0 && depth < 100);
});

test("typed text is a number, nothing, or what the server shall object to", () => {
  assert.deepEqual([" 1.25e-4 ", "−3", "", "abc", "1,5", "Infinity"].map(typedNumber), [1.25e-4, -3, undefined, "abc", "1,5", "Infinity"]);
});

test("values are set and removed at JSON Pointers without touching the original", () => {
  const scene = { list: [{ a: 1 }], "odd/~key": 2 };
  const next = withValue(scene, "/list/0/deep/er", 5);
  assert.deepEqual(next.list[0], { a: 1, deep: { er: 5 } });
  assert.deepEqual(scene.list[0], { a: 1 });
  assert.equal(valueAt(scene, "/odd~1~0key"), 2);
  assert.deepEqual(withValue(scene, "/list/0", undefined).list, []);
  assert.equal(valueAt(scene, "/list/toString"), undefined);
  assert.equal(Object.getPrototypeOf(withValue({}, "/__proto__/x", 1)), Object.prototype);
});

test("required fields that nothing was put into are found in objects, lists and the variant that was chosen, and no others", () => {
  const scene = formModel({
    type: "object",
    properties: {
      name: { type: "string" },
      rate: { type: "number", default: 2 },
      free: { type: ["number", "null"] },
      bodies: { type: "array", items: { type: "object", properties: { shape, at: { type: "array", items: { type: "number" }, minItems: 3, maxItems: 3 }, mass: { type: "number" } }, required: ["shape", "at"] } },
    },
    required: ["name", "rate", "free", "bodies"],
    $defs: { vector: { type: "array", items: { type: "number" }, minItems: 3, maxItems: 3 } },
  });
  const found = (value) => emptyFields(scene, value).map(({ pointer, label }) => `${pointer} ${label}`);
  assert.deepEqual(found({ name: "", free: null, bodies: [{ shape: { type: "sphere" }, at: [0, null, 0] }, { shape: { type: "box", size: [1, 1, "1 mm"] }, at: [0, 0, 0] }] }), ["/name Name", "/bodies/0/shape/radius Radius", "/bodies/0/at At"]);
  assert.deepEqual(found({ name: "a", free: 1, bodies: [{ shape: { type: "sphere", radius: "1 mm" }, at: [0, 0, 0] }] }), []);
  assert.deepEqual(found({ name: "a", free: null, bodies: [{ shape: {}, at: [0, 0, 0] }] }), []); // no shape is chosen: the server says so
  assert.equal(emptyFields(scene, { name: "a", free: 1, bodies: Array(50).fill({ shape: { type: "sphere" } }) }).length, 20);
});
