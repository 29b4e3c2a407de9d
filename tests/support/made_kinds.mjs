// A made-up run with every kind of drawable, in frames that move: what the dashboard's test of all kinds shows.
import { floats, MadeRun, shorts, wholes } from "./made_run.mjs";

const field = (name, unit = "1", components = 1, encoding = "float32") => ({ name, unit, components, encoding });
const place = (encoding = "float32") => field("position", "m", 3, encoding);

/** A ball of triangles: an icosahedron, each face cut into four, `times` over. */
export function ball(radius, times) {
  const g = (1 + Math.sqrt(5)) / 2;
  let points = [[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g], [0, -1, -g], [0, 1, -g], [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1]];
  let faces = [[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8], [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1]];
  for (let k = 0; k < times; k++) {
    const middles = new Map();
    const middle = (a, b) => {
      const key = Math.min(a, b) * 1e6 + Math.max(a, b);
      if (!middles.has(key)) middles.set(key, points.push(points[a].map((x, i) => (x + points[b][i]) / 2)) - 1);
      return middles.get(key);
    };
    faces = faces.flatMap(([a, b, c]) => {
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      return [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]];
    });
    points = points.map((p) => p.map((x) => x / Math.hypot(...p)));
  }
  return { points: points.map((p) => p.map((x) => (radius * x) / Math.hypot(...p))), faces };
}

export function cube(half) {
  const points = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1, (k >> 1) & 1, (k >> 2) & 1].map((b) => half * (2 * b - 1)));
  return { points, faces: [[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3], [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]] };
}

const SHEET = 24; /* vertices along each edge of the deforming sheet */
const FIBRES = 9;
const NODES = 16; /* of each fibre but the last, which grows */

export const topology = {
  drawables: [
    { id: 0, kind: "points", name: "sand", element_count: 0, varying: true, radius: 0, fields: [place("uint16"), field("radius", "m"), field("id", "1", 1, "uint32"), field("speed", "m/s", 1, "uint16")] },
    { id: 1, kind: "instances", name: "rocks", element_count: 12, fields: [place(), field("orientation", "rad", 3), field("shape", "1", 1, "uint32"), field("scale"), field("amplitudes", "m", 2), field("load", "N")] },
    { id: 2, kind: "surface", name: "sheet", element_count: SHEET * SHEET, fields: [place(), field("strain")] },
    { id: 3, kind: "threads", name: "fibres", element_count: 0, varying: true, radius: 0, fields: [place(), field("radius", "m"), field("tension", "N"), field("nodes", "1", 1, "uint32")] },
    { id: 4, kind: "planes", name: "floor", element_count: 1, planes: [{ name: "floor", half_u: [0.6, 0, 0], half_v: [0, 0.4, 0] }], fields: [place()] },
    { id: 5, kind: "mesh", name: "obstacles", element_count: 1, bodies: [{ name: "anvil", vertices: cube(0.08).points.flat(), triangles: cube(0.08).faces.flat() }], fields: [place(), field("orientation", "rad", 3)] },
    { id: 6, kind: "of a later version", name: "unknown", fields: [] },
    { id: 7, kind: "grid", name: "cells", element_count: 0, varying: true, grid: { origin: [-0.58, 0.12, 0.34], spacing: [0.05, 0.05, 0.05], counts: [7, 5, 5] }, fields: [field("cell", "1", 1, "uint32"), field("heat", "K", 1, "uint16"), field("owner", "1", 1, "uint32")] },
    { id: 8, kind: "grid", name: "slice", element_count: 24, grid: { origin: [0.25, 0.38, 0.1], spacing: [0.05, 0, 0.05], counts: [6, 1, 4] }, fields: [field("level", "m")] },
  ],
  series: [{ name: "time", unit: "s", label: "Time" }, { name: "energy", unit: "J", label: "Energy" }],
  plots: [{ x: "time", y: "energy", title: "Energy", scale: 1, moving_average: 1 }],
  tables: [{ name: "impacts", label: "Impacts", columns: [{ name: "time", unit: "s", label: "Time" }] }],
  bounds: { minimum: [-0.6, -0.4, 0], maximum: [0.6, 0.4, 0.6] },
};

function sand(t) {
  const many = 60 + Math.round(240 * t);
  const at = Array.from({ length: many }, (_, i) => [-0.45 + 0.02 * Math.sin(7.3 * i) + 0.0005 * i, 0.15 * Math.sin(2.1 * i), 0.02 + 0.5 * (1 - t) * ((i % 17) / 17) + 0.002 * (i % 13)]);
  return { drawable: 0, elements: many, arrays: [shorts(0, 3, at.flat()), floats(1, 1, at.map((_, i) => 0.008 + 0.008 * ((i * 7) % 5) / 4)), wholes(2, at.map((_, i) => i + 100)), shorts(3, 1, at.map((_, i) => t * (1 + Math.sin(i))), [0, 2])] };
}

function rocks(t) {
  const all = Array.from({ length: 12 }, (_, i) => i);
  const at = all.map((i) => [-0.12 + 0.12 * (i % 4), -0.2 + 0.13 * Math.floor(i / 4), 0.12 + 0.3 * (1 - t) + 0.02 * i]);
  return {
    drawable: 1, elements: 12,
    arrays: [floats(0, 3, at.flat()), floats(1, 3, all.flatMap((i) => [t * i, 0.3 * i, -t])), wholes(2, all.map((i) => i % 2)), floats(3, 1, all.map((i) => 0.8 + 0.05 * i)), floats(4, 2, all.flatMap((i) => [0.02 * t * (i % 3), 0.012 * t])), floats(5, 1, all.map((i) => 10 * t * i), [0, 110])],
  };
}

function sheet(t) {
  const at = [];
  const strain = [];
  for (let i = 0; i < SHEET; i++) {
    for (let j = 0; j < SHEET; j++) {
      const [x, y] = [i / (SHEET - 1), j / (SHEET - 1)];
      at.push(0.25 + 0.32 * x, -0.3 + 0.6 * y, 0.3 + 0.08 * t * Math.sin(7 * x) * Math.cos(5 * y));
      strain.push(0.1 * t * Math.sin(7 * x) * Math.cos(5 * y));
    }
  }
  return { drawable: 2, elements: SHEET * SHEET, arrays: [floats(0, 3, at), floats(1, 1, strain, [-0.1, 0.1])] };
}

function fibres(t) {
  const counts = Array.from({ length: FIBRES }, (_, k) => (k === FIBRES - 1 ? 2 + Math.round(10 * t) : NODES));
  const nodes = counts.flatMap((many, k) => Array.from({ length: many }, (_, i) => ({ k, s: i / (NODES - 1) })));
  const at = nodes.flatMap(({ k, s }) => [-0.5 + s, 0.3 - 0.01 * k + 0.03 * Math.sin(6 * s + k), 0.1 + 0.05 * k + 0.06 * t * Math.sin(9 * s + k)]);
  return [
    { drawable: 3, elements: nodes.length, arrays: [floats(0, 3, at), floats(1, 1, nodes.map(({ s }) => 0.004 + 0.008 * s)), floats(2, 1, nodes.map(({ k, s }) => t * k * s), [0, 8])] },
    { drawable: 3, elements: FIBRES, arrays: [wholes(3, counts)] },
  ];
}

/** Cells within a ball that grows, warm in the middle; and a flat grid whose level rises. */
function grids(t) {
  const all = Array.from({ length: 175 }, (_, n) => ({ n, off: Math.hypot((n % 7) - 3, (Math.floor(n / 7) % 5) - 2, Math.floor(n / 35) - 2) }));
  const there = all.filter(({ off }) => off <= 1.5 + 1.5 * t);
  return [
    { drawable: 7, elements: there.length, arrays: [wholes(0, there.map(({ n }) => n)), shorts(1, 1, there.map(({ off }) => 300 + 10 * off), [300, 330]), wholes(2, there.map(({ n }) => n % 3))] },
    { drawable: 8, elements: 24, arrays: [floats(0, 1, Array.from({ length: 24 }, (_, n) => t * n), [0, 23])] },
  ];
}

/** Eleven frames from 0 to 1 s. */
export function allKinds() {
  const run = new MadeRun(topology);
  const [box, round] = [cube(0.05), ball(0.05, 2)];
  const modes = [round.points.map(([, , z]) => [0, 0, z / 0.05]), round.points.map(([x, y]) => [x / 0.05, -y / 0.05, 0])];
  const patch = [];
  for (let i = 0; i + 1 < SHEET; i++) for (let j = 0; j + 1 < SHEET; j++) patch.push([i * SHEET + j, (i + 1) * SHEET + j, (i + 1) * SHEET + j + 1], [i * SHEET + j, (i + 1) * SHEET + j + 1, i * SHEET + j + 1]);
  const rest = Array.from({ length: SHEET * SHEET }, (_, v) => [0.25 + (0.32 * Math.floor(v / SHEET)) / (SHEET - 1), -0.3 + (0.6 * (v % SHEET)) / (SHEET - 1), 0.3]);
  run.geometry(1, 0, box.points, box.faces).geometry(1, 1, round.points, round.faces, modes).geometry(2, 0, rest, patch);
  run.event(0, "stage", "Loading: the sand is poured", { label: "Loading" });
  for (let k = 0; k <= 10; k++) {
    const t = k / 10;
    if (k === 4) run.event(0.35, "stage", "The rocks fly", { label: "Flight" });
    if (k === 6) run.event(0.55, "warning", "A rock is fast");
    if (k === 8) run.event(0.72, "stage", "They land", { label: "Landing" });
    run.curve(k, [[t, t * t]]);
    const floor = { drawable: 4, elements: 1, arrays: [floats(0, 3, [0, 0, 0])] };
    const anvil = { drawable: 5, elements: 1, arrays: [floats(0, 3, [0, -0.3, 0.08]), floats(1, 3, [0, 0, t])] };
    run.frame(t, [sand(t), rocks(t), sheet(t), ...fibres(t), floor, anvil, ...grids(t)]);
  }
  return run.end();
}
