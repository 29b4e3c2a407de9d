import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "./modules.mjs";

const r = await load("recording/record.ts");
const { Geometries } = await load("recording/geometries.ts");
const { parseTopology } = await load("recording/topology.ts");
const { InstanceLayer } = await load("view/draw/instances.ts");
const { SurfaceLayer } = await load("view/draw/surface.ts");
const { ThreadLayer } = await load("view/draw/threads.ts");
const { CellLayer } = await load("view/draw/cells.ts");
const { PointLayer } = await load("view/draw/points.ts");

/** The records of a recording that the core wrote, each as a message of the stream. */
function recordsOf(name) {
  const bytes = readFileSync(new URL(`../../tests/data/${name}`, import.meta.url));
  const records = [];
  for (let at = 8; at + 32 <= bytes.length; ) {
    const size = 32 + Math.ceil(bytes.readUInt32LE(at) / 8) * 8;
    const buffer = Uint8Array.from(bytes.subarray(at, at + size)).buffer;
    records.push({ header: r.decodeHeader(buffer), buffer });
    at += size;
  }
  return records;
}

function opened(name) {
  const records = recordsOf(name);
  const of = (type) => records.filter(({ header }) => header.type === type);
  const geometries = new Geometries();
  for (const { header, buffer } of of(r.RecordType.geometry)) geometries.put(r.decodeGeometry(buffer, header));
  const [topology] = of(r.RecordType.topology).map(({ header, buffer }) => parseTopology(r.decodeJson(buffer, header)));
  return { topology, geometries, frames: of(r.RecordType.frame).map(({ header, buffer }) => r.decodeFrame(buffer, header)) };
}

test("a recording of every kind, as the core writes it, is decoded and drawn in all its frames", () => {
  const { topology, geometries, frames } = opened("kinds.scree");
  const kinds = new Set(topology.drawables.map(({ kind }) => kind));
  for (const kind of ["points", "instances", "surface", "threads", "grid"]) assert.ok(kinds.has(kind), kind);
  assert.ok(frames.length > 0);
  const space = { centre: [0, 0, 0], size: 1 };
  for (const drawable of topology.drawables) {
    const made = { points: () => new PointLayer(drawable, space), instances: () => new InstanceLayer(drawable, geometries, space, Infinity), surface: () => new SurfaceLayer(drawable, geometries, space), threads: () => new ThreadLayer(drawable, space, () => 0.3), grid: () => new CellLayer(drawable, space) }[drawable.kind]?.();
    if (!made) continue;
    for (const frame of frames) {
      made.show(frame);
      const block = frame.blocks.find((one) => one.drawable === drawable.id);
      assert.ok(block, `${drawable.name} is in every frame`);
      if (drawable.kind !== "instances") assert.equal(made.object.visible, block.elementCount > (drawable.kind === "threads" ? 1 : 0), `${drawable.name} of ${block.elementCount}`);
      else assert.equal(made.object.children.some((part) => part.isMesh && part.visible), block.elementCount > 0, `${drawable.name} of ${block.elementCount}`);
      for (const scalar of drawable.fields.keys()) made.setColouring({ kind: "scalar", field: scalar, low: 0, high: 1 });
      if (block.elementCount > 0) assert.ok(made.bounds());
    }
  }
});

test("recordings from before there were pieces and geometries are read as they always were", () => {
  for (const name of ["old/bdem.scree", "old/peridem.scree"]) {
    const { topology, frames } = opened(name);
    const points = topology.drawables.filter(({ kind }) => kind === "points");
    assert.ok(points.length > 0 && frames.length > 0, name);
    for (const drawable of points) {
      const layer = new PointLayer(drawable, { centre: [0, 0, 0], size: 1 });
      for (const frame of frames) {
        layer.show(frame);
        assert.equal(layer.object.geometry.drawRange.count, drawable.elementCount, name);
      }
      assert.equal(drawable.pieces >= 0, drawable.fields.some((field) => field.name === "fragment"));
    }
  }
});
