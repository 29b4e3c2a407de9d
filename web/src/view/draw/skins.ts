/** Skins: the surfaces of the pieces of a body, shown in place of the points that they cover, with the colours of those points. */
import type {  } from "three";
import { carried, linksOf, pointBelow, type Links } from "../../recording/carried.js";
import type { FrameArray } from "../../recording/record.js";
import { normalsOf, type Skin } from "../../recording/skin.js";
import { placesInView } from "./coded.js";
import { nearestVertex, type Hit, type Ray } from "../pick/ray.js";
import { Sheet } from "./sheet.js";
import type { Space } from "../space.js";
import type { Colouring } from "./tint.js";
import type { ClipBox } from "./clip.js";

const BY_PIECE: Colouring = { kind: "class", field: 1 };
const REACH = 3; /* radii of the points: the surface lies about one outside of the outermost, which are two apart */

/** The points below a skin, as the same frame has them. */
export interface Covered {
  drawable: number;
  position: FrameArray;
  piece: FrameArray;
  radius: number; /** m, of the largest */
  values: (field: number) => FrameArray | undefined;
}

export class SkinView {
  readonly object: Sheet["object"];
  private readonly sheet: Sheet;
  private skin: Skin | null = null;
  private covered: Covered | null = null;
  private links: Links | null = null; /* of this frame, once they were needed */
  private colouring: Colouring = BY_PIECE;

  /** @param drawable number of the skin's own drawable, not of the points it covers
   *  @param pieces place of the points' field that numbers the pieces */
  constructor(
    private readonly drawable: number,
    private readonly pieces: number,
    private readonly space: Space,
  ) {
    this.sheet = new Sheet(drawable, space);
    this.object = this.sheet.object;
  }

  dispose(): void {
    this.sheet.dispose();
  }

  /** Shows a frame's mesh, or nothing. */
  show(skin: Skin | null, covered: Covered | null): void {
    if (skin?.position.data !== this.skin?.position.data || covered?.position.data !== this.covered?.position.data) this.links = null;
    this.skin = skin && skin.triangleCount > 0 ? skin : null;
    this.covered = covered;
    this.sheet.show(this.skin ? { position: this.skin.position, normals: normalsOf(this.skin), corners: this.skin.corners.data } : null, this.colouring, this.values());
  }

  /** Colours by a field of the points. */
  setColouring(colouring: Colouring): void {
    this.colouring = colouring.kind === "class" && colouring.field === this.pieces ? BY_PIECE : colouring;
    this.sheet.paint(this.colouring, this.values());
  }

  setClip(box: ClipBox): void {
    this.sheet.setClip(box);
  }

  /** The point below what the ray meets: it has the values that the surface shows. */
  pick(ray: Ray): Hit | null {
    if (!this.skin || !this.object.visible) return null;
    const found = nearestVertex(ray, placesInView(this.skin.position, this.space), this.skin.corners.data);
    if (found.element < 0) return null;
    const links = this.linked();
    const point = links ? pointBelow(links, found.element) : -1;
    return links && this.covered && point >= 0 ? { drawable: this.covered.drawable, block: 0, ...found, element: point } : { drawable: this.drawable, block: 0, ...found };
  }

  private linked(): Links | null {
    if (this.links || !this.skin || !this.covered) return this.links;
    const { position, piece, radius } = this.covered;
    return (this.links = linksOf(placesInView(this.skin.position, this.space), this.skin.piece, placesInView(position, this.space), piece, (REACH * radius) / this.space.size));
  }

  private values(): FrameArray | undefined {
    if (!this.skin || this.colouring.kind === "plain") return undefined;
    if (this.colouring === BY_PIECE) return this.skin.piece;
    const values = this.covered?.values(this.colouring.field);
    const links = values ? this.linked() : null;
    return values && links ? carried(links, values) : undefined;
  }
}
