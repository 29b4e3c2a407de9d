/** Skins: the surfaces of the pieces of a body, shown in place of the points that they cover, coloured by piece or in one colour. */
import type { Vector3 } from "three";
import { normalsOf, type Skin } from "../../recording/skin.js";
import { placesInView } from "./coded.js";
import { nearestVertex, type Hit, type Ray } from "../pick/ray.js";
import { Sheet } from "./sheet.js";
import type { Space } from "../space.js";
import type { Colouring } from "./tint.js";

const BY_PIECE: Colouring = { kind: "class", field: 1 };

export class SkinView {
  readonly object: Sheet["object"];
  private readonly sheet: Sheet;
  private skin: Skin | null = null;
  private colouring: Colouring = BY_PIECE;

  /** @param drawable number of the skin's own drawable, not of the points it covers */
  constructor(
    private readonly drawable: number,
    private readonly space: Space,
  ) {
    this.sheet = new Sheet(drawable, space);
    this.object = this.sheet.object;
  }

  dispose(): void {
    this.sheet.dispose();
  }

  /** Shows a frame's mesh, or nothing. */
  show(skin: Skin | null): void {
    this.skin = skin && skin.triangleCount > 0 ? skin : null;
    this.sheet.show(this.skin ? { position: this.skin.position, normals: normalsOf(this.skin), corners: this.skin.corners.data } : null, this.colouring, this.skin?.piece);
  }

  colourByPiece(on: boolean): void {
    this.colouring = on ? BY_PIECE : { kind: "plain" };
    this.sheet.paint(this.colouring, this.skin?.piece);
  }

  setClip(normal: Vector3, distance: number): void {
    this.sheet.setClip(normal, distance);
  }

  pick(ray: Ray): Hit | null {
    if (!this.skin || !this.object.visible) return null;
    const found = nearestVertex(ray, placesInView(this.skin.position, this.space), this.skin.corners.data);
    return found.element < 0 ? null : { drawable: this.drawable, block: 0, ...found };
  }
}
