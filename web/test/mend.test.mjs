// Mending what the check warns of: keys left out, programs turned round, runs made longer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { mendOf, mendsOf } = await load("compose/mend.ts");
const problem = (pointer, allowed, given = "", detail = "") => ({ pointer, allowed, given, detail });

test("a key without effect is left out, and nothing is offered where there is none", () => {
  const scene = { contact: { friction: 1, idle: 2 } };
  assert.deepEqual(mendOf(problem("/contact/idle", "a key that counts"), scene).scene, { contact: { friction: 1 } });
  assert.equal(mendOf(problem("/contact/other", "a key that counts"), scene), null);
  assert.equal(mendOf(problem("/contact/idle", "a number > 0"), scene), null);
});

test("a program that moves away is turned round, whatever unit its velocities have", () => {
  const scene = { rig: { program: [{ type: "ramp", velocity: 0.5, duration: 1 }, { type: "constant", velocity: "50 mm/s" }, { type: "constant", velocity: "-2 m/s" }] } };
  const mended = mendOf(problem("/rig/program", "a motion towards the specimens"), scene);
  assert.deepEqual(mended.scene.rig.program.map(({ velocity }) => velocity), [-0.5, "-50 mm/s", "2 m/s"]);
  assert.equal(mendOf(problem("/rig/program", "a motion towards the specimens"), { rig: { program: [{ type: "servo", force: 1 }] } }), null);
});

test("a gap is closed by the wall that moves, or by the rig's opening, and what should break is given what it takes", () => {
  const gap = (pointer) => problem(pointer, "a gap of at most a tenth of the travel, in m", "0.0002");
  const box = { rig: { minimum: [0, 0, "-1 mm"], maximum: [1e-3, 1e-3, 1.2e-3] } };
  assert.deepEqual(mendOf(gap("/rig/walls/z_max/program"), box).scene.rig.maximum, [1e-3, 1e-3, 1e-3]);
  assert.deepEqual(mendOf(gap("/rig/walls/z_min/program"), box).scene.rig.minimum, [0, 0, -0.8e-3]);
  assert.equal(mendOf(gap("/rig/program"), { rig: { opening: "2.2 mm" } }).scene.rig.opening, 2e-3);
  assert.equal(mendOf(gap("/rig/program"), { rig: {} }), null);
  const materials = [{ name: "a" }];
  assert.ok(mendOf(problem("/materials/0/fracture_energy", "a material that can break"), { materials }).scene.materials[0].fracture_energy > 0);
  assert.deepEqual(mendOf(problem("/specimens/0/breakable", "a specimen that can break"), { specimens: [{ breakable: false }] }).scene, { specimens: [{}] });
});

/* 0.4 mm in 10 ms, 1 mm to go: 25 ms until it gets there, and a quarter more. */
test("a run that ends before the part arrives is made longer by what is missing, and a quarter", () => {
  const detail = "top goes 400 µm in the whole run, but the nearest specimen, 'a', begins 1.00 mm away from it: it will carry no force";
  const warning = problem("/rig/program", "a travel beyond the gap to the nearest specimen, in m", "0.0004", detail);
  assert.equal(mendOf(warning, { time: { duration: "10 ms" } }).scene.time.duration, 0.0313);
  assert.equal(mendOf({ ...warning, detail: "" }, { time: { duration: 0.01 } }), null);
});

test("what never gets there may also begin at the specimen, by the exact gap of its part", () => {
  const detail = "wall.z_max goes 400 µm in the whole run, but the nearest specimen, 'a', begins 1.23 mm away from it: it will carry no force";
  const warning = problem("/rig/walls/z_max/program", "a travel beyond the gap to the nearest specimen, in m", "0.0004", detail);
  const scene = { time: { duration: "10 ms" }, rig: { minimum: [0, 0, 0], maximum: [1, 1, 2] } };
  const gaps = [{ part: "wall.z_min", gap: 7 }, { part: "wall.z_max", gap: 1.23456e-3 }];
  const mends = mendsOf(warning, scene, gaps);
  assert.equal(mends.length, 2);
  assert.equal(mends[1].scene.rig.maximum[2], 1.99876544);
  assert.equal(mendsOf(warning, scene).length, 1);
});

test("a part with nothing in its way takes the rig along to the specimen, and leaves the units of what does not move", () => {
  const detail = "roller.load goes 1 mm towards the specimens, and none lies in its way: it will carry no force; move the rig by (0, -0.1, 0) m, which puts 'beam' in its way";
  const warning = problem("/rig/program", "a part with a specimen in its way", "0.001", detail);
  assert.deepEqual(mendOf(warning, { rig: { position: ["1 mm", "120 mm", "-1 cm"] } }).scene.rig.position, ["1 mm", 0.02, "-1 cm"]);
  assert.deepEqual(mendOf(warning, { rig: {} }).scene.rig.position, [0, -0.1, 0]);
  assert.equal(mendOf({ ...warning, detail: "" }, { rig: {} }), null);
});
