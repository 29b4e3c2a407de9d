// Setting up a study: what is proposed for a number, typed lists, names of factors, documents in and out, places of seeds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { around, factorName, factorText, kindOf, proposed, recastFactor, typedValues, valuesText } = await load("study/design/factor.ts");
const { StudyDraft, seedsIn } = await load("study/design/study_draft.ts");
const { resultOf } = await load("study/design/results_editor.ts");
const anything = { low: -Infinity, lowOpen: false, high: Infinity, highOpen: false, integer: false };

test("a range around a value stays within what is allowed", () => {
  assert.deepEqual(around(2, 2, anything), [1, 4]);
  assert.deepEqual(around(-2, 2, anything), [-4, -1]);
  assert.deepEqual(around(0, 2, { ...anything, high: 0.5 }), [0, 0.5]);
  assert.deepEqual(around(0.4, 10, { ...anything, low: 0, high: 0.5 }), [0.04, 0.5]);
  assert.deepEqual(around(0.4, 10, { ...anything, low: 0.1, lowOpen: true, high: 0.5, highOpen: true }), [0.25, 0.45]);
  assert.deepEqual(around(3, 2, { ...anything, integer: true }), [1, 6]);
});

test("every kind of factor is proposed for a number, and is read back as that kind", () => {
  for (const kind of ["values", "linear", "logarithmic", "uniform", "normal", "log_normal", "weibull", "seeds"]) {
    for (const value of [2, 0, -3, undefined]) {
      const factor = proposed(kind, value);
      assert.equal(kindOf(factor), kind);
      const part = factor.range ?? factor.distribution;
      if (kind === "logarithmic") assert.ok(part.from > 0 && part.to > part.from);
      if (kind === "normal") assert.ok(part.deviation > 0);
      assert.ok(factorText(factor, true).length > 3);
    }
  }
  const kept = recastFactor({ pointer: "/a", unit: "m", values: [1] }, "linear", 2);
  assert.deepEqual([kept.pointer, kept.unit, kept.values, kept.range.from < 2], ["/a", "m", undefined, true]);
});

test("typed lists are numbers where they are numbers, and texts else", () => {
  assert.deepEqual(typedValues("0.3, 1e-3, −2"), [0.3, 0.001, -2]);
  assert.deepEqual(typedValues("1 mm; a, b"), ["1 mm", "a, b"]);
  assert.deepEqual(typedValues(' , "x", true'), ["x", true]);
  assert.equal(valuesText([0.3, "1 mm"]), "0.3, 1 mm");
  assert.deepEqual(typedValues(valuesText(["a, b", 2])), ["a, b", 2]);
});

test("factors are named by their places, each its own, as expressions take them", () => {
  assert.equal(factorName("/contact/friction_coefficient", []), "friction_coefficient");
  assert.equal(factorName("/specimens/0/velocity/2", []), "velocity_z");
  assert.equal(factorName("/materials/1/density", ["density"]), "materials_density");
  assert.equal(factorName("/a/b", ["b", "a_b"]), "a_b_2");
  assert.match(factorName("/weird key/0x", []), /^[A-Za-z_][A-Za-z0-9_]*$/);
});

test("a document goes in and comes out as it was, with what the page does not know", () => {
  const document = { scree_study: 1, name: "s", title: "T", limits: { at_once: 2 }, factors: { mu: { pointer: "/c/mu", values: [1, 2] } }, design: { kind: "sobol", runs: 8, seed: 3 }, results: { a: { expression: "max(x)", unit: "N" }, b: "steps" }, scene: { name: "q" } };
  assert.deepEqual(new StudyDraft(document).document({ name: "q" }), document);
  const several = { scree_study: 1, name: "s", scenes: { a: {}, b: {} }, factors: { mu: { pointer: { a: "/m" }, values: [1] } }, design: { kind: "grid" }, results: {} };
  assert.deepEqual(new StudyDraft(several).document({}), several);
  assert.equal(new StudyDraft().document({ name: "my scene!" }).name, "my-scene--study");
});

test("a number is made a factor and taken off again; a seed is repeated", () => {
  const draft = new StudyDraft();
  draft.toggle("/m/0/density", 1000, "kg/m^3", { ...anything, low: 0, lowOpen: true });
  draft.toggle("/p/seed", 7, "1", { ...anything, integer: true });
  assert.deepEqual(draft.factors.map(({ name, factor }) => [name, kindOf(factor), factor.unit]), [["density", "values", "kg/m^3"], ["seed", "seeds", undefined]]);
  draft.toggle("/m/0/density", 1000, "kg/m^3", anything);
  assert.deepEqual(draft.factors.map(({ name }) => name), ["seed"]);
});

test("places of seeds are found, and results are written as expressions with their units", () => {
  assert.deepEqual(seedsIn({ seed: 1, packing: { seed: 2.5 }, list: [{ "a/b": { seed: 3 } }] }), ["/seed", "/list/0/a~1b/seed"]);
  const force = { name: "wall.z_max.force_z", unit: "N", label: "" };
  const way = { name: "way of it", unit: "m", label: "" };
  assert.deepEqual(resultOf("peak", force, way, []), { name: "peak_wall_z_max_force_z", expression: "peak(wall.z_max.force_z)", unit: "N" });
  assert.deepEqual(resultOf("slope", force, way, ["slope_wall_z_max_force_z"]), { name: "slope_wall_z_max_force_z_2", expression: 'slope(wall.z_max.force_z, "way of it")', unit: "N/m" });
  assert.equal(resultOf("integral", force, way, []).unit, "J");
});
