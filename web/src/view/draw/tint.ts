/** Colours of elements: by nothing, by a number between two values, or by class, from a table that shaders look up. */
import { DataTexture, NearestFilter, RGBAFormat, Vector2, Vector3, type RawShaderMaterial } from "three";
import { PALETTE_SIZE, paletteTable, scalarTable, type MapName } from "../../colour.js";
import type { FrameArray } from "../../recording/record.js";
import { codeOf, setUniform, type Upload } from "./coded.js";

/** How numbers become colours. */
export interface Scale {
  low: number;
  high: number;
  map: MapName;
  logarithmic: boolean; /** then 0 < low < high */
  only: boolean; /** what lies outside is left out of the picture */
}

/** How to colour: by nothing, by a number between two values, or by class. */
export type Colouring = { kind: "plain" } | ({ kind: "scalar"; field: number } & Scale) | { kind: "class"; field: number };

const TABLE_SIZE = 256;

/* Colours of what is coloured by nothing, one drawable after the other: calm, and told apart by lightness and warmth. */
const PLAIN: [number, number, number][] = [[0.55, 0.68, 0.72], [0.76, 0.68, 0.55], [0.62, 0.6, 0.74], [0.6, 0.72, 0.58], [0.75, 0.6, 0.6]];

/** For vertex shaders: declares the attribute `value` as COLOUR says, and what it stands for. */
export const TINT_INPUT = /* glsl */ `
uniform vec2 colourCode;
#if COLOUR == 1
in float value;
#elif COLOUR == 2
in uint value;
#endif
`;

/** For either shader: `scaleColour` of a place on the scale, 0 to 1, and `classColour` of a whole number. */
export const TINT_TABLE = /* glsl */ `
uniform sampler2D table;
uniform vec3 plainColour;
uniform vec2 scaleForm; /* the ends' ratio of a logarithmic scale, else 0; 1: what lies outside is left out */
vec3 scaleColour(float t) {
  if (scaleForm.x > 1.0) t = log(1.0 + max(t, 0.0) * (scaleForm.x - 1.0)) / log(scaleForm.x);
  return texelFetch(table, ivec2(int(clamp(t, 0.0, 1.0) * ${TABLE_SIZE - 1}.0 + 0.5), 0), 0).rgb;
}
bool leftOut(float t) {
  return scaleForm.y > 0.5 && (t < -1e-5 || t > 1.00001);
}
vec3 classColour(uint value) {
  uint slot = value == 0u ? 0u : 1u + ((value * 0x9e3779b1u) >> 8) % ${PALETTE_SIZE - 1}u;
  return texelFetch(table, ivec2(int(slot), 0), 0).rgb;
}
`;

/** For vertex shaders before others that look up the scale themselves, so that it is smooth between vertices: sets `onScale` (of the value `COLOUR == 1` names) and `colour`. */
export function tintSplit(scaleValue = "value"): string {
  return /* glsl */ `
  colour = plainColour;
#if COLOUR == 1
  onScale = colourCode.x + colourCode.y * ${scaleValue};
#elif COLOUR == 2
  colour = classColour(value);
#endif
`;
}

/** For vertex shaders: the whole colour of an element, and whether it is left out of the picture. */
export const TINT_COLOUR = /* glsl */ `
bool isLeftOut() {
#if COLOUR == 1
  return leftOut(colourCode.x + colourCode.y * value);
#else
  return false;
#endif
}
vec3 colourOf() {
#if COLOUR == 1
  return scaleColour(colourCode.x + colourCode.y * value);
#elif COLOUR == 2
  return classColour(value);
#else
  return plainColour;
#endif
}
`;

export function textureOf(table: Uint8Array): DataTexture {
  const texture = new DataTexture(table, table.length / 4, 1, RGBAFormat);
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

export class Tint {
  private readonly tables = new Map<MapName | "classes", DataTexture>();
  private readonly plain: Vector3;

  /** @param drawable number of the drawable, which chooses its plain colour */
  constructor(drawable: number) {
    this.plain = new Vector3(...(PLAIN[Math.abs(Math.trunc(drawable)) % PLAIN.length] ?? [0.6, 0.6, 0.6]));
  }

  dispose(): void {
    for (const table of this.tables.values()) table.dispose();
  }

  /** The uniforms that the shaders above use. */
  uniforms(): Record<string, { value: unknown }> {
    return { colourCode: { value: new Vector2(0, 1) }, scaleForm: { value: new Vector2() }, table: { value: this.tableOf("even") }, plainColour: { value: this.plain } };
  }

  private tableOf(name: MapName | "classes"): DataTexture {
    const table = this.tables.get(name) ?? textureOf(name === "classes" ? paletteTable() : scalarTable(TABLE_SIZE, name));
    this.tables.set(name, table);
    return table;
  }

  /** Sets a material's colouring. @returns what to upload as `value`, null for none
   *  @param array the values, one of each element; undefined where the frame has none */
  apply(material: RawShaderMaterial, colouring: Colouring, array: FrameArray | undefined): Upload | null {
    const whole = array !== undefined && !(array.data instanceof Float32Array);
    const kind = !array || colouring.kind === "plain" ? 0 : colouring.kind === "scalar" ? Number(!(array.data instanceof Uint32Array)) : whole ? 2 : 0;
    if (material.defines["COLOUR"] !== kind) {
      material.defines["COLOUR"] = kind;
      material.needsUpdate = true;
    }
    if (!array || kind === 0) return null;
    setUniform(material.uniforms, "table", this.tableOf(colouring.kind === "scalar" ? colouring.map : "classes"));
    if (colouring.kind === "scalar") {
      (material.uniforms["scaleForm"]?.value as Vector2).set(colouring.logarithmic ? colouring.high / colouring.low : 0, Number(colouring.only));
      const width = colouring.high - colouring.low || 1;
      const { low, span } = codeOf(array);
      (material.uniforms["colourCode"]?.value as Vector2).set((low[0] - colouring.low) / width, span[0] / width);
    }
    return { name: "value", data: array.data, itemSize: 1, ...(kind === 2 && array.data instanceof Uint16Array ? { whole: true } : {}) };
  }
}
