/** Triangles turned and seen from afar, from the farthest to the nearest: what a small picture without a depth buffer draws in this order. */

/** A body's surface, as AssetPreview has it. */
export interface Body {
  low: number[];
  high: number[];
  vertices: number[];
  triangles: number[];
  parts: number[];
}

const EDGE_ON = 1e-9; /* cosine below which a face is a line */

export interface Face {
  at: number[]; /** x, y of three corners, -1 ... 1, y upwards */
  light: number; /** 0 ... 1 */
  part: number;
}

/** @param turn  about z, then @param tilt towards the viewer, rad: at 0 and 0 x points right, z up and y away from the viewer */
export function facesOf(body: Body, turn: number, tilt: number): Face[] {
  const middle = [0, 1, 2].map((a) => ((body.low[a] ?? 0) + (body.high[a] ?? 0)) / 2);
  const reach = Math.hypot(...[0, 1, 2].map((a) => ((body.high[a] ?? 0) - (body.low[a] ?? 0)) / 2)) || 1;
  const [c, s, ct, st] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
  const seen = new Float64Array(body.vertices.length); /* right, up, away */
  for (let v = 0; v + 2 < body.vertices.length; v += 3) {
    const [x, y, z] = [0, 1, 2].map((a) => ((body.vertices[v + a] ?? 0) - (middle[a] ?? 0)) / reach) as [number, number, number];
    const away = s * x + c * y;
    seen.set([c * x - s * y, ct * z + st * away, ct * away - st * z], v);
  }
  const faces: (Face & { away: number })[] = [];
  for (let t = 0; t + 2 < body.triangles.length; t += 3) {
    const p = [0, 1, 2].map((k) => seen.subarray(3 * (body.triangles[t + k] ?? 0), 3 * (body.triangles[t + k] ?? 0) + 3));
    const face = faceOf(p, body.parts[t / 3] ?? 0);
    if (face) faces.push(face);
  }
  return faces.sort((a, b) => b.away - a.away);
}

/** null: it faces away, or has no area. */
function faceOf(p: Float64Array[], part: number): (Face & { away: number }) | null {
  const [ax, ay, az, bx, by, bz, cx, cy, cz] = p.flatMap((corner) => [...corner]) as [number, number, number, number, number, number, number, number, number];
  const normal = [(by - ay) * (cz - az) - (bz - az) * (cy - ay), (bz - az) * (cx - ax) - (bx - ax) * (cz - az), (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)];
  const length = Math.hypot(...normal);
  /* right, up, away is left-handed, so the normal of corners that run counter-clockwise seen from outside points inwards */
  if (!(length > 0) || (normal[2] ?? 0) <= EDGE_ON * length) return null;
  const [right, up, towards] = normal.map((n) => -n / length) as [number, number, number];
  const light = 0.25 + 0.75 * Math.max(0, -0.35 * right + 0.6 * up - 0.72 * towards);
  return { at: [ax, ay, bx, by, cx, cy], light: Math.min(1, light), part, away: (az + bz + cz) / 3 };
}
