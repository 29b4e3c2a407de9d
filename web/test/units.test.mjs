// Units beside numbers: what is read, converted and kept; a part of a scene in one line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { converted, inOwnUnit, splitQuantity, unitChoices } = await load("compose/units.ts");
const { summaryOf } = await load("compose/summary.ts");
const { formModel } = await load("compose/schema.ts");
const choice = (unit, name) => unitChoices(unit).find((one) => one.name === name);

test("a quantity is split into number and unit, in the ways the scene takes", () => {
  assert.deepEqual(splitQuantity(2, "m"), ["2", "m"]);
  assert.deepEqual(splitQuantity("1.5 mm", "m"), ["1.5", "mm"]);
  assert.deepEqual(splitQuantity("-2e-3um", "m"), ["-2e-3", "µm"]);
  assert.deepEqual(splitQuantity("30 °", "rad"), ["30", "deg"]);
  assert.deepEqual(splitQuantity("2.5 g/cm³", "kg/m^3"), ["2.5", "g/cm^3"]);
  assert.deepEqual(splitQuantity("7 furlongs", "m"), ["7", "furlongs"]);
  assert.equal(splitQuantity("auto", "m"), null);
});

test("decimal units convert exactly, others to twelve digits, and back", () => {
  assert.equal(converted("0.00125", choice("m", "m"), choice("m", "mm")), 1.25);
  assert.equal(converted("1.1", choice("m", "mm"), choice("m", "m")), 0.0011);
  assert.equal(converted("3e9", choice("Pa", "Pa"), choice("Pa", "GPa")), 3);
  assert.equal(converted("2.5", choice("kg/m^3", "g/cm^3"), choice("kg/m^3", "kg/m^3")), 2500);
  assert.equal(converted("180", choice("rad", "deg"), choice("rad", "rad")), Number(Math.PI.toPrecision(12)));
  assert.equal(converted("60", choice("rad/s", "rpm"), choice("rad/s", "rad/s")), Number((2 * Math.PI).toPrecision(12)));
  assert.equal(converted("60", choice("m/s", "mm/min"), choice("m/s", "mm/s")), 1);
  assert.equal(inOwnUnit("2 mm", "m"), 0.002);
  assert.ok(Number.isNaN(inOwnUnit("2 kg", "m")));
});

test("every unit offered is one of the server's kinds: its factor to SI is what its name says", () => {
  const prefix = { n: -9, µ: -6, m: -3, c: -2, k: 3, M: 6, G: 9 };
  for (const base of ["m", "s", "N", "Pa", "J", "Hz"])
    for (const { name, ten, factor } of unitChoices(base))
      if (name.endsWith(base) && factor === 1) assert.equal(ten, name === base ? 0 : prefix[name[0]], name);
});

test("a part of a scene is one line: names first, numbers with their units, lists by names", () => {
  const model = formModel({
    type: "object",
    properties: {
      materials: { type: "array", items: { type: "object", properties: { name: { type: "string" }, density: { type: "number", "x-unit": "kg/m^3" } } } },
      shape: { oneOf: [{ type: "object", properties: { type: { const: "box" }, size: { type: "array", items: { type: "number" }, minItems: 3, maxItems: 3, "x-unit": "m" } } }, { type: "object", properties: { type: { const: "ball" } } }] },
    },
  });
  const [materials, shape] = model.fields.map(({ node }) => node);
  assert.equal(summaryOf(materials, [{ name: "oak", density: 700 }]), "oak: density 700\u202fkg/m³");
  assert.equal(summaryOf(materials, [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" }]), "a, b, c and 1 more");
  assert.equal(summaryOf(shape, { type: "box", size: [1, 2, 3] }), "box, size (1, 2, 3)\u202fm");
  assert.equal(summaryOf(shape, undefined), "");
});
