/** What lies under the pointer, found without the graphics processor. All in the view's units. */

export interface Ray {
  from: readonly [number, number, number];
  along: readonly [number, number, number]; /** unit */
  /** Whether a place is on the side of the cut that is shown. */
  kept(x: number, y: number, z: number): boolean;
}

export interface Hit {
  drawable: number;
  block: number; /** which of the drawable's blocks of a frame `element` counts in: 0 but for the threads of nodes */
  element: number;
  distance: number;
  of?: string; /** what else is to be said of the element, such as which thread a node is of */
  faint?: boolean; /** it can be seen through, and counts only where nothing else is met */
}

/** Whether `a` is what the pointer means, rather than `b`. */
export function isBefore(a: Hit, b: Hit | null): boolean {
  if (!b || (a.faint === true) !== (b.faint === true)) return !b || b.faint === true;
  return a.distance < b.distance;
}

/** The nearest ball of some, -1 for none. A ball is cut by its centre, as it is drawn.
 *  @param places x y z of each   @param radius of all, or of each   @param only these, null for all */
export function nearestBall(ray: Ray, places: Float32Array, radius: number | Float32Array, only: Uint32Array | null): { element: number; distance: number } {
  const [fx, fy, fz] = ray.from;
  const [ax, ay, az] = ray.along;
  const count = only ? only.length : Math.floor(places.length / 3);
  let best = { element: -1, distance: Infinity };
  for (let k = 0; k < count; k++) {
    const i = only ? (only[k] as number) : k;
    const x = (places[3 * i] as number) - fx;
    const y = (places[3 * i + 1] as number) - fy;
    const z = (places[3 * i + 2] as number) - fz;
    const r = typeof radius === "number" ? radius : (radius[i] as number);
    const along = x * ax + y * ay + z * az;
    const off = r * r - (x * x + y * y + z * z - along * along);
    if (!(off >= 0)) continue;
    const distance = along - Math.sqrt(off);
    if (distance > 0 && distance < best.distance && ray.kept(x + fx, y + fy, z + fz)) best = { element: i, distance };
  }
  return best;
}

/** Distance along the ray to a triangle, Infinity where it is missed. Corners by their numbers in `places`. */
function distanceToTriangle(ray: Ray, places: Float32Array, a: number, b: number, c: number): number {
  const [dx, dy, dz] = ray.along;
  const ox = places[3 * a] as number;
  const oy = places[3 * a + 1] as number;
  const oz = places[3 * a + 2] as number;
  const ux = (places[3 * b] as number) - ox;
  const uy = (places[3 * b + 1] as number) - oy;
  const uz = (places[3 * b + 2] as number) - oz;
  const vx = (places[3 * c] as number) - ox;
  const vy = (places[3 * c + 1] as number) - oy;
  const vz = (places[3 * c + 2] as number) - oz;
  const px = dy * vz - dz * vy;
  const py = dz * vx - dx * vz;
  const pz = dx * vy - dy * vx;
  const volume = ux * px + uy * py + uz * pz;
  if (volume === 0) return Infinity;
  const tx = ray.from[0] - ox;
  const ty = ray.from[1] - oy;
  const tz = ray.from[2] - oz;
  const s = (tx * px + ty * py + tz * pz) / volume;
  if (!(s >= 0 && s <= 1)) return Infinity;
  const qx = ty * uz - tz * uy;
  const qy = tz * ux - tx * uz;
  const qz = tx * uy - ty * ux;
  const t = (dx * qx + dy * qy + dz * qz) / volume;
  if (!(t >= 0 && s + t <= 1)) return Infinity;
  const distance = (vx * qx + vy * qy + vz * qz) / volume;
  return distance > 0 ? distance : Infinity;
}

/** The corner nearest to where the ray first meets one of some triangles, -1 for none. Both sides of a triangle count. */
export function nearestVertex(ray: Ray, places: Float32Array, triangles: ArrayLike<number>): { element: number; distance: number } {
  let distance = Infinity;
  let at = -1;
  for (let t = 0; t + 2 < triangles.length; t += 3) {
    const found = distanceToTriangle(ray, places, triangles[t] as number, triangles[t + 1] as number, triangles[t + 2] as number);
    if (found >= distance) continue;
    const [x, y, z] = [0, 1, 2].map((i) => (ray.from[i] ?? 0) + found * (ray.along[i] ?? 0)) as [number, number, number];
    if (!ray.kept(x, y, z)) continue;
    distance = found;
    at = t;
  }
  if (at < 0) return { element: -1, distance };
  const far = (v: number): number => [0, 1, 2].reduce((sum, i) => sum + ((places[3 * v + i] ?? 0) - (ray.from[i] ?? 0) - distance * (ray.along[i] ?? 0)) ** 2, 0);
  const corners = [triangles[at] as number, triangles[at + 1] as number, triangles[at + 2] as number];
  return { element: corners.reduce((near, v) => (far(v) < far(near) ? v : near)), distance };
}

/** The segment of a polyline that the ray meets first, by the nearer of its two nodes, -1 for none. A segment is as thick as its nodes are, but never
 *  thinner than `thinnest` times its distance, so that lines can be hit.
 *  @param last 1 where no segment begins at a node */
export function nearestNode(ray: Ray, places: Float32Array, radius: number | Float32Array, last: Uint8Array, thinnest: number): { element: number; distance: number } {
  let best = { element: -1, distance: Infinity };
  const [dx, dy, dz] = ray.along;
  for (let i = 0; 3 * i + 5 < places.length; i++) {
    if (last[i] === 1) continue;
    const x = (places[3 * i] as number) - ray.from[0];
    const y = (places[3 * i + 1] as number) - ray.from[1];
    const z = (places[3 * i + 2] as number) - ray.from[2];
    const ux = (places[3 * i + 3] as number) - ray.from[0] - x;
    const uy = (places[3 * i + 4] as number) - ray.from[1] - y;
    const uz = (places[3 * i + 5] as number) - ray.from[2] - z;
    /* Across the ray both are flat: the segment's nearest place to the ray is that of a flat segment to the origin. */
    const xd = x * dx + y * dy + z * dz;
    const ud = ux * dx + uy * dy + uz * dz;
    const across = ux * ux + uy * uy + uz * uz - ud * ud;
    const share = across > 0 ? Math.min(1, Math.max(0, -(x * ux + y * uy + z * uz - xd * ud) / across)) : 0;
    const along = xd + share * ud;
    const [px, py, pz] = [x + share * ux, y + share * uy, z + share * uz];
    const off = px * px + py * py + pz * pz - along * along;
    const r = typeof radius === "number" ? radius : (radius[i] as number) + share * ((radius[i + 1] as number) - (radius[i] as number));
    const reach = Math.max(r, thinnest * along);
    if (!(off <= reach * reach) || along <= 0) continue;
    const distance = along - Math.sqrt(Math.max(0, r * r - off));
    if (distance < best.distance && ray.kept(px + ray.from[0], py + ray.from[1], pz + ray.from[2])) best = { element: share < 0.5 ? i : i + 1, distance };
  }
  return best;
}
