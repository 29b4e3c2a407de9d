// What is drawn of tables: which columns are sizes and directions, classes, sectors and the newest rows, against values by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./modules.mjs";

const { directionColumns, histogram, newestRows, sectors, sizeColumns } = await load("plot/table_statistics.ts");
const column = (name, unit) => ({ name, unit, label: name });
const contacts = { columns: [column("time", "s"), column("x", "m"), column("normal_x", "1"), column("normal_y", "1"), column("normal_z", "1"), column("force_x", "N"), column("force_y", "N"), column("force_z", "N"), column("overlap", "m")], rows: [] };

test("directions are three columns of one name, sizes have a unit of size and are neither places nor parts of directions", () => {
  assert.deepEqual(directionColumns(contacts), [{ name: "normal", columns: [2, 3, 4] }, { name: "force", columns: [5, 6, 7] }]);
  assert.deepEqual(sizeColumns(contacts), [8]);
  assert.deepEqual(sizeColumns({ columns: [column("time", "s"), column("nodes", "1"), column("mass", "kg")], rows: [] }), [2]);
});

test("rows of the newest moment count where there are at least five of it, else all do", () => {
  const table = (...times) => ({ columns: [column("time", "s")], rows: times.map((time) => [time]) });
  assert.equal(newestRows(table(0, 0, 1, 1, 1, 1, 1)).length, 5);
  assert.equal(newestRows(table(0, 0, 1, 1)).length, 4);
});

test("classes hold every value once, equally wide or growing by a factor over wide ranges", () => {
  const even = histogram([1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(even.map(({ rows }) => rows), [2, 2, 2, 2]);
  assert.deepEqual([even[0].from, even[3].to], [1, 8]);
  const wide = histogram([1, 10, 100, 1000, 10000, NaN]);
  assert.equal(wide.reduce((sum, { rows }) => sum + rows, 0), 5);
  assert.ok(Math.abs(wide[1].to / wide[1].from - wide[0].to / wide[0].from) < 1e-9);
  assert.deepEqual(histogram([3, 3]), [{ from: 3, to: 3, rows: 2 }]);
  assert.deepEqual(histogram([]), []);
});

test("a direction without a sense counts at both its ends, and one without a length nowhere", () => {
  assert.deepEqual(sectors([[1, 0], [0, 2], [0, 0]], 4, true), [1, 1, 1, 1]);
  assert.deepEqual(sectors([[1, 0.1], [-1, 0.1], [0, -1]], 4, false), [1, 0, 1, 1]);
});
