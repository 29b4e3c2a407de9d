/** Pictures and films without a window: what `scree render` and `scree film` have a browser do (api/cli/drawing), with the view of the job page.
 *  They load this module into assets/draw.html and call `begin`, then `state` until it is done, then `part` for the file's bytes. */
import { h } from "./dom.js";
import * as english from "./english/draw.js";
import { FrameStore } from "./recording/frames.js";
import { Geometries } from "./recording/geometries.js";
import { decodeGeometry, decodeHeader, decodeJson, RecordType, type Frame } from "./recording/record.js";
import { fieldsToHideBy, type Hidden } from "./recording/hidden.js";
import { parseTopology, type Drawable, type Topology, type Vector } from "./recording/topology.js";
import { getFrames, getRecord } from "./service/api.js";
import { vectorChoices, vectorsOf, type VectorChoice } from "./recording/vectors.js";
import type { ClipShares } from "./view/clip.js";
import { ColourPanel } from "./view/fields/colour_panel.js";
import { makeFilm } from "./view/film.js";
import type { PaperChoice } from "./view/paper.js";
import { View3d } from "./view/view3d.js";

export interface Order {
  job: number;
  frame: number; /** of a picture, 0 for the first, -1 for the last */
  rate: number; /** of a film, pictures a second; 0: a picture */
  width: number; /** pixels */
  height: number;
  transparent: boolean; /** else on white */
  from: Vector | null; /** the side to look from; null: as the job page does at first */
  parallel: boolean;
  field: string; /** what colours; "": as the job page chooses, "none": nothing */
  range: [number, number] | null; /** of the colours, in the field's unit; null: as far as values reach */
  clip: ClipShares | null;
  hide: string; /** names of drawables, and FIELD=NUMBER, with commas between */
  shade: boolean;
  grains: number; /** that every point of sand is drawn as; 1: as one ball */
  arrows: string; /** vectors that are drawn: the name of a field, or "velocity"; "": none */
}

export interface State {
  done: boolean;
  error: string;
  share: number; /** of the pictures that are drawn, 0 ... 1 */
  bytes: number; /** of the file */
  frames: number; /** in it */
  time: number; /** s, of the last one */
}

const KEY_WAIT_MS = 2000;
const ARROWS_MOST = 20_000; /* more are a blur */
const STAGE_PIXELS = 800; /* of the longer side of the view in the page, which a picture's size does not depend on */

let state: State = { done: false, error: "", share: 0, bytes: 0, frames: 0, time: 0 };
let file = new Blob();

export const current = (): State => state;

/** Bytes of the file in base64. */
export async function part(from: number, size: number): Promise<string> {
  const bytes = new Uint8Array(await file.slice(from, from + size).arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** Starts; `state` says when it is done. */
export function begin(order: Order): void {
  state = { done: false, error: "", share: 0, bytes: 0, frames: 0, time: 0 };
  void make(order).then(
    (made) => {
      file = made;
      state = { ...state, done: true, bytes: made.size };
    },
    (error: unknown) => (state = { ...state, done: true, error: error instanceof Error ? error.message : String(error) }),
  );
}

class Picture {
  private readonly view: View3d;
  private readonly colours: ColourPanel;
  readonly choice: PaperChoice;
  private readonly arrows: VectorChoice | undefined;
  private hidden: Hidden[] = [];

  constructor(private readonly order: Order, private readonly topology: Topology, geometries: Geometries) {
    this.choice = { width: order.width, height: order.height, ground: order.transparent ? null : "#ffffff", dark: false };
    this.view = new View3d(topology, geometries);
    this.colours = new ColourPanel(topology, this.view.noise, (drawable, colouring) => this.view.setColouring(drawable, colouring));
    if (this.view.hasSurfaces) {
      this.view.setSurface(true);
      this.colours.choosePieces();
    }
    if (order.field !== "" && !this.colours.colourBy(order.field)) throw new Error(english.drawNoField(order.field, this.colours.names.join(", ")));
    if (order.clip) this.view.setClip(null, order.clip);
    this.hide(order.hide.split(",").filter((name) => name !== ""), topology.drawables);
    this.view.setShaded(order.shade);
    if (order.grains > 1 && !this.view.hasGrains) throw new Error(english.draw.noGrains);
    this.view.setGrains(order.grains);
    const vectors = vectorChoices(topology.drawables);
    this.arrows = vectors.find(({ name }) => name === order.arrows);
    if (order.arrows !== "" && !this.arrows) throw new Error(english.drawNoVectors(order.arrows, vectors.map(({ name }) => name).join(", ")));
  }

  /** Whether the frame before is needed: velocities are what things have moved by since. */
  get wantsBefore(): boolean {
    return this.arrows !== undefined && this.arrows.field < 0;
  }

  /** Leaves drawables out by their names, and elements by the number that a field gives them. */
  private hide(names: string[], drawables: Drawable[]): void {
    const hidden: Hidden[] = [];
    for (const name of names) {
      const [field = "", number] = name.split("=");
      const whole = drawables.filter((drawable) => drawable.name === name);
      const parts = number !== undefined && /^\d+$/.test(number) ? drawables.flatMap((drawable) => fieldsToHideBy(drawable).filter((one) => one.name === field).map((one) => ({ drawable: drawable.id, field: one.field, values: new Set([Number(number)]) }))) : [];
      if (whole.length + parts.length === 0) throw new Error(english.drawNothing(name, [...drawables.map((drawable) => drawable.name), ...drawables.flatMap((drawable) => fieldsToHideBy(drawable).map((one) => english.drawByNumber(one.name)))].filter((one, i, all) => one !== "" && all.indexOf(one) === i).join(", ")));
      for (const { id } of whole) this.view.setShown(id, false);
      for (const part of parts) {
        const known = hidden.find((one) => one.drawable === part.drawable && one.field === part.field);
        if (known) for (const value of part.values) known.values.add(value);
        else hidden.push(part);
      }
    }
    if (hidden.length > 0) this.view.setHidden(hidden);
    this.hidden = hidden;
  }

  /** Puts the view into the page and waits until it knows its size. */
  async lay(order: Order): Promise<void> {
    const scale = STAGE_PIXELS / Math.max(order.width, order.height);
    this.view.element.style.width = `${Math.max(1, order.width * scale)}px`;
    this.view.element.style.height = `${Math.max(1, order.height * scale)}px`;
    document.body.replaceChildren(h("div", { class: "draw-stage" }, this.view.element));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    this.view.viewpoint.setParallel(order.parallel);
    if (order.from) this.view.viewpoint.lookAlong(order.from);
    else this.view.viewpoint.fit();
  }

  /** Lets the colours know a frame before it is drawn: classes are counted beside the page. */
  async prepare(frame: Frame): Promise<void> {
    this.colours.update(frame);
    if (this.order.range) this.colours.fixRange(...this.order.range);
    for (let waited = 0; this.colours.key === null && this.colours.coloured && waited < KEY_WAIT_MS; waited += 10) await new Promise((done) => setTimeout(done, 10));
  }

  /** The ends of the colours stay as they are. */
  holdColours(): void {
    this.colours.holdRange();
  }

  /** @param before the frame before it, where `wantsBefore`; null: there is none */
  draw(frame: Frame, before: Frame | null, canvas: HTMLCanvasElement): void {
    this.colours.update(frame);
    this.view.show(frame, () => undefined);
    if (this.arrows) this.view.setVectors(vectorsOf(frame, before, this.topology.drawables, this.arrows, ARROWS_MOST, this.hidden), 1);
    this.view.drawInto(canvas, this.choice, this.colours.key);
    state = { ...state, frames: state.frames + 1, time: frame.time };
  }
}

/** The shapes stand right behind the topology, one record each. */
async function readShapes(job: number, topologySeq: number, end: number): Promise<{ topology: Topology; geometries: Geometries }> {
  const geometries = new Geometries();
  const record = await getRecord(job, topologySeq, 0);
  const topology = parseTopology(decodeJson(record, decodeHeader(record)));
  for (let seq = topologySeq + 1; seq < end; seq++) {
    const next = await getRecord(job, seq, 0);
    const header = decodeHeader(next);
    if (header.type !== RecordType.geometry) break;
    geometries.put(decodeGeometry(next, header));
  }
  return { topology, geometries };
}

async function make(order: Order): Promise<Blob> {
  const { frames, topology_seq: topologySeq } = await getFrames(order.job);
  const [first, last] = [frames[0], frames[frames.length - 1]];
  if (!first || !last || topologySeq === null) throw new Error(english.drawNoFrames(order.job));
  const { topology, geometries } = await readShapes(order.job, topologySeq, first.seq);
  const picture = new Picture(order, topology, geometries);
  const store = new FrameStore(order.job, 0);
  const before = async (index: number): Promise<Frame | null> => (picture.wantsBefore && index > 0 ? store.load(frames[index - 1]?.seq ?? first.seq) : null);
  await picture.lay(order);
  if (order.rate > 0) {
    await picture.prepare(await store.load(last.seq));
    if (!order.range) picture.holdColours();
    const film = await makeFilm({
      ...picture.choice,
      rate: order.rate,
      count: frames.length,
      draw: async (index, canvas) => picture.draw(await store.load(frames[index]?.seq ?? last.seq), await before(index), canvas),
      progress: (share) => (state = { ...state, share }),
      signal: new AbortController().signal,
    });
    if (film) return film;
    throw new Error(english.draw.endedEarly);
  }
  const mark = order.frame < 0 ? last : frames[order.frame];
  if (!mark) throw new Error(english.drawNoFrame(order.job, order.frame, frames.length - 1));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [order.width, order.height];
  const frame = await store.load(mark.seq);
  await picture.prepare(frame);
  picture.draw(frame, await before(frames.indexOf(mark)), canvas);
  const png = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (!png) throw new Error(english.drawTooLarge(order.width, order.height));
  return png;
}
