/** Colour tables as textures that shaders look up. */
import { DataTexture, NearestFilter, RGBAFormat } from "three";

export function textureOf(table: Uint8Array): DataTexture {
  const texture = new DataTexture(table, table.length / 4, 1, RGBAFormat);
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}
