// What colours stand for: maps that everybody can read, round numbers on their bars, values carried from points to the surface above them, noise.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { MAPS } = await load("colour.ts");
const { barTicks } = await load("view/fields/colour_bar.ts");
const { FieldRange } = await load("view/fields/field_range.ts");
const { Noise } = await load("view/fields/noise.ts");
const { carried, linksOf, pointBelow } = await load("recording/carried.ts");

const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
/* Linear sRGB as eyes without one kind of cones see it: F. Vienot, H. Brettel, J. Mollon, Color Res. Appl. 24 (1999) 243. */
const EYES = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanope: [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
  deuteranope: [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
};

/** Place in OKLab of what those eyes see. */
function seen(rgb, eye) {
  const own = rgb.map(linear);
  const [r, g, b] = eye.map((row) => row.reduce((sum, w, i) => sum + w * own[i], 0));
  const [l, m, s] = [0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b, 0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b, 0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b].map(Math.cbrt);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

test("on every map any two values a fifth of the scale apart differ for all eyes", () => {
  for (const [name, { at }] of Object.entries(MAPS))
    for (const [eyes, matrix] of Object.entries(EYES))
      for (let i = 0; i <= 20; i++)
        for (let j = i + 4; j <= 20; j++) {
          const [a, b] = [seen(at(i / 20), matrix), seen(at(j / 20), matrix)];
          const apart = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
          assert.ok(apart > 0.06, `${name}, ${eyes}: ${i / 20} and ${j / 20} are ${apart.toFixed(3)} apart`);
        }
});

test("maps without signs get lighter all the way; the one with signs is lightest in its middle", () => {
  for (const [name, { at, diverging }] of Object.entries(MAPS)) {
    const light = Array.from({ length: 41 }, (_, i) => seen(at(i / 40), EYES.all)[0]);
    for (let i = 1; i < light.length; i++) assert.ok(diverging && i > 20 ? light[i] < light[i - 1] : light[i] > light[i - 1], `${name} at ${i / 40}`);
  }
});

test("numbers on the bar are round, in their places, and powers of ten on a logarithmic one", () => {
  const plain = barTicks(-0.3, 12.47, false);
  assert.deepEqual(plain.map(({ text }) => text), ["0", "5", "10"]);
  for (const { at, text } of plain) assert.ok(Math.abs(-0.3 + at * 12.77 - Number(text)) < 1e-9);
  const powers = barTicks(0.02, 2000, true);
  assert.deepEqual(powers.map(({ text }) => text), ["0.1", "1", "10", "100", "1\u202f000"]);
  assert.ok(Math.abs(powers[2].at - Math.log(10 / 0.02) / Math.log(2000 / 0.02)) < 1e-12);
  assert.deepEqual(barTicks(1.5, 30, true).map(({ text }) => text), ["2", "5", "10", "20"]);
  assert.deepEqual(barTicks(3, 3, false), []);
});

test("a logarithmic scale begins above zero, and one by sign has zero in the middle", () => {
  const range = new FieldRange();
  range.observe({ low: -2, high: 5 });
  assert.deepEqual(range.scale("even", false), { low: -2, high: 5, logarithmic: false });
  assert.deepEqual(range.scale("signs", false), { low: -5, high: 5, logarithmic: false });
  assert.deepEqual(range.scale("even", true), { low: 5e-3, high: 5, logarithmic: true });
  const below = new FieldRange();
  below.observe({ low: -3, high: -1 });
  assert.equal(below.scale("even", true).logarithmic, false);
});

test("noise reads 0 and what is small but there does not", () => {
  const noise = new Noise(0.01);
  assert.equal(noise.clean(3e-17, "m"), 0);
  assert.equal(noise.clean(3e-9, "m"), 3e-9);
  assert.equal(noise.clean(3e-17, "Pa"), 3e-17); // nothing is known of stresses yet
  noise.observe("Pa", -2e6, 5);
  assert.equal(noise.clean(-1e-5, "Pa"), 0);
  assert.equal(noise.clean(1e-3, "Pa"), 1e-3);
  const coded = { data: new Uint16Array(1), low: [-1, 0, 0], high: [3, 0, 0] };
  assert.equal(noise.cleanOf(coded, 3e-5, 0, "N"), 0);
  assert.equal(noise.cleanOf(coded, 7e-5, 0, "N"), 7e-5);
});

/* Two lattices of points side by side, pieces 4 and 9, one unit of spacing. */
const lattice = [];
for (let x = 0; x < 8; x++) for (let y = 0; y < 5; y++) for (let z = 0; z < 5; z++) lattice.push([x, y, z]);
const places = Float32Array.from(lattice.flat());
const array = (data) => ({ field: 1, components: 1, data, low: [0, 0, 0], high: [0, 0, 0] });
const piece = array(Uint32Array.from(lattice, ([x]) => (x < 4 ? 4 : 9)));
const vertices = Float32Array.from([[1.5, 2, 4.5], [3.4, 2, 2], [3.6, 2, 2], [400, 0, 0]].flat());
const links = linksOf(vertices, array(Uint32Array.from([4, 4, 9, 9])), places, piece, 1.5);

test("a surface has the values of the points below it, of its own piece alone", () => {
  const of = (value) => [...carried(links, array(Float32Array.from(lattice, value))).data];
  assert.ok(of(() => 7).every((value) => Math.abs(value - 7) < 1e-5));
  assert.ok(Math.abs(of(([x]) => 10 * x)[0] - 15) < 1e-4); // points lie evenly on either side of x = 1.5
  const sides = of(([x]) => (x < 4 ? 1 : 1000));
  [1, 1, 1000, 1000].forEach((value, v) => assert.ok(Math.abs(sides[v] - value) < 1e-3 * value, `${sides}`));
});

test("names are not mixed: a vertex has that of the point that counts most, and one far off the first of its piece", () => {
  const names = [...carried(links, array(Uint32Array.from(lattice, (_, i) => 100 + i))).data];
  names.forEach((name) => assert.ok(Number.isInteger(name) && name >= 100));
  assert.deepEqual(lattice[names[1] - 100], [3, 2, 2]);
  assert.deepEqual(lattice[names[2] - 100], [4, 2, 2]);
  assert.deepEqual(lattice[pointBelow(links, 3)], [4, 0, 0]);
});
