/** The 3D view: draws frames of any drawables it knows, on demand only. It knows nothing of methods. */
import { Box3, Color, Group, Raycaster, Scene, Vector2, Vector3, WebGLRenderer } from "three";
import { h, styleValue } from "../dom.js";
import * as english from "../english/view.js";
import { quantity } from "../format.js";
import type { Geometries } from "../recording/geometries.js";
import { enlarged } from "../recording/enlarged.js";
import { exploded } from "../recording/exploded.js";
import { withoutHidden, type Hidden } from "../recording/hidden.js";
import type { Frame, FrameBlock } from "../recording/record.js";
import { piecesOf, skinOf, uncovered } from "../recording/skin.js";
import { fieldOf, type Bounds, type Drawable, type Topology, type Vector } from "../recording/topology.js";
import type { Vectors } from "../recording/vectors.js";
import { Listeners } from "../service/listeners.js";
import { onTheme } from "../theme.js";
import { Annotations, type Arrow, type Gap } from "./annotations.js";
import { BodySet } from "./bodies.js";
import { clipBox, type Clip, type ClipShares } from "./clip.js";
import { ArrowField } from "./draw/arrows.js";
import { isInside, wholeBox } from "./draw/clip.js";
import { CellLayer } from "./draw/cells.js";
import { CylinderSet } from "./draw/cylinders.js";
import { Hover } from "./pick/hover.js";
import { InstanceLayer } from "./draw/instances.js";
import { arrayOf, blocksOf, type Layer } from "./draw/layer.js";
import { addLamps } from "./lamps.js";
import { Noise } from "./fields/noise.js";
import { Overlay, roundLength } from "./overlay.js";
import { drawKey, drawScale, type ColourKey, type PaperChoice } from "./paper.js";
import { DETAILS, Pace, type Detail } from "./pace.js";
import { PlaneSet } from "./pick/planes.js";
import { hasProcessor } from "./processor.js";
import { PointLayer } from "./draw/points.js";
import { isBefore, type Hit, type Ray } from "./pick/ray.js";
import { Shading } from "./shading.js";
import { SkinView, type Covered } from "./draw/skins.js";
import { spaceOf, toView, type Space } from "./space.js";
import { Steering } from "./steering.js";
import { SurfaceLayer } from "./draw/surface.js";
import { ThreadLayer } from "./draw/threads.js";
import type { Colouring } from "./draw/tint.js";
import { Viewpoint } from "./viewpoint.js";

const TRIANGLES_WITHOUT_PROCESSOR = 1.5e6; /* of all instances; as many take a program some two seconds */
const plus = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];

export class View3d {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  readonly viewpoint: Viewpoint;
  private readonly overlay = new Overlay();
  readonly noise: Noise;
  private readonly annotations: Annotations;
  private readonly space: Space;
  readonly steering: Steering;
  readonly onPicture = new Listeners<[]>(); /** called when a picture was drawn, once the view has its size */
  private readonly layers = new Map<number, Layer>();
  private readonly rig = new Map<number, PlaneSet | CylinderSet | BodySet>();
  private readonly skins = new Map<number, SkinView>(); /* by the points they cover */
  private readonly frames = new Map<number, Group>(); /* what is shown or hidden as one, by drawable */
  private readonly hover: Hover;
  private readonly forget: () => void;
  private unlistenTheme: () => void = () => undefined;
  private readonly fast: boolean; /* a graphics processor draws */
  private readonly note = h("p", { class: "view-note", hidden: true }, english.bar.tooMany);
  private clip = wholeBox();
  private hidden: Hidden[] = [];
  private vectors: { of: Vectors; factor: number } | null = null;
  private readonly arrowField: ArrowField;
  private asSurface = false;
  private readonly resize: ResizeObserver;
  private frame: Frame | null = null;
  private given: Frame | null = null; /* as the recording has it */
  private start: Frame | null = null;
  private enlargement = 1;
  private explosion = 0;
  private shading: Shading | null = null; /* null: plain light */
  private drawn: (() => void) | null = null;
  private request = 0;
  private readonly pace = new Pace();
  private readonly coasts = !matchMedia("(prefers-reduced-motion: reduce)").matches; /* on after the hand has let go */
  private detail: Detail = DETAILS[0] ?? { plain: false, pixels: 1, thin: 1 };
  private rest: ReturnType<typeof setTimeout> | null = null;
  private pictures = 0;
  private fitted = false;
  private seen: Bounds; /* what the view is fitted to: the run's bounds, and wherever the specimens went since */

  /** Throws when the browser has no WebGL 2. */
  constructor(
    private readonly topology: Topology,
    private readonly geometries: Geometries,
  ) {
    this.fast = hasProcessor();
    this.renderer = new WebGLRenderer({ antialias: this.fast /* takes a program twice as long */, alpha: true, powerPreference: "high-performance" });
    this.renderer.setClearColor(0, 0);
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.element = h("div", { class: "view3d" }, this.canvas, this.overlay.element);
    this.space = spaceOf(topology.bounds);
    this.seen = topology.bounds;
    this.viewpoint = this.watched(new Viewpoint(this.canvas, this.space, () => this.seen, this.coasts));
    this.steering = new Steering(this.viewpoint.eye, this.space, this.element);
    for (const drawable of topology.drawables) this.add(drawable);
    for (const [id, part] of [...this.rig, ...this.layers, ...this.skins]) this.frameOf(id).add(part.object);
    this.annotations = new Annotations(this.space);
    this.arrowField = new ArrowField(this.space);
    this.scene.add(this.annotations.object, this.arrowField.object);
    this.forget = geometries.onChange.add(() => this.frame && this.place(this.frame));
    addLamps(this.scene, this.viewpoint.eye);
    this.canvas.addEventListener("webglcontextrestored", this.invalidate);
    this.noise = new Noise(this.space.size);
    this.hover = new Hover(this.canvas, topology, this.noise, (x, y) => this.pick(x, y));
    this.element.append(this.note, this.annotations.labels, this.hover.element);
    this.unlistenTheme = onTheme.add(this.applyTheme);
    this.applyTheme();
    this.resize = new ResizeObserver(() => this.measure());
    this.resize.observe(this.element);
  }

  /** Draws anew when the camera moves. */
  private watched(viewpoint: Viewpoint): Viewpoint {
    viewpoint.onMove.add(this.invalidate);
    viewpoint.onLens.add(() => this.applySize());
    viewpoint.onRelease.add(() => this.awaitRest());
    return viewpoint;
  }

  dispose(): void {
    cancelAnimationFrame(this.request);
    if (this.rest !== null) clearTimeout(this.rest);
    this.resize.disconnect();
    this.unlistenTheme();
    this.viewpoint.dispose();
    this.hover.dispose();
    this.forget();
    for (const part of this.parts()) part.dispose();
    this.annotations.dispose();
    this.arrowField.dispose();
    this.shading?.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.drawn?.();
    this.element.remove();
  }

  /** Shows a frame with the next picture. `drawn` is called when it is on the screen, or overtaken by a newer one. */
  show(frame: Frame, drawn: () => void): void {
    this.drawn?.();
    this.drawn = drawn;
    this.given = frame;
    const { drawables } = this.topology;
    this.frame = exploded(withoutHidden(this.start ? enlarged(frame, this.start, this.enlargement, drawables) : frame, this.hidden, drawables), this.explosion, drawables);
    this.place(this.frame);
    this.hover.show(withoutHidden(frame, this.hidden, drawables)); /* its numbers are the run's */
  }

  /** Shows displacements so many times as large.   @param start the run's first frame */
  setEnlarged(factor: number, start: Frame): void {
    this.enlargement = factor;
    this.start = start;
    if (this.given) this.show(this.given, () => undefined);
  }

  /** Moves pieces apart.   @param factor of their distances from the middle; 0: as they are */
  setExploded(factor: number): void {
    this.explosion = factor;
    if (this.given) this.show(this.given, () => undefined);
  }

  private add(drawable: Drawable): void {
    const { id, kind, changing, skinOf: covered } = drawable;
    if (kind === "points") this.layers.set(id, new PointLayer(drawable, this.space));
    else if (kind === "instances") this.layers.set(id, new InstanceLayer(drawable, this.geometries, this.space, this.fast ? Infinity : TRIANGLES_WITHOUT_PROCESSOR));
    else if (kind === "surface") this.layers.set(id, new SurfaceLayer(drawable, this.geometries, this.space));
    else if (kind === "threads") this.layers.set(id, new ThreadLayer(drawable, this.space, () => this.viewpoint.halfTangent));
    else if (kind === "grid") this.layers.set(id, new CellLayer(drawable, this.space));
    else if (kind === "planes") this.rig.set(id, new PlaneSet(drawable, this.space));
    else if (kind === "cylinders") this.rig.set(id, new CylinderSet(drawable, this.space));
    else if (kind === "mesh" && changing) this.skins.set(covered, new SkinView(id, this.drawable(covered)?.pieces ?? -1, this.space));
    else if (kind === "mesh") this.rig.set(id, new BodySet(drawable, this.space));
  }

  private parts(): (Layer | SkinView | PlaneSet | CylinderSet | BodySet)[] {
    return [...this.rig.values(), ...this.layers.values(), ...this.skins.values()];
  }

  private place(frame: Frame): void {
    for (const layer of this.layers.values()) layer.show(frame);
    for (const [id, set] of this.rig) {
      const [block] = blocksOf(frame, id);
      if (block) set.show(block);
    }
    this.note.hidden = ![...this.layers.values()].some((layer) => layer instanceof InstanceLayer && layer.tooMany);
    this.showSkins();
    this.follow();
    this.invalidate();
  }

  private frameOf(drawable: number): Group {
    const known = this.frames.get(drawable);
    if (known) return known;
    const frame = new Group();
    this.frames.set(drawable, frame);
    this.scene.add(frame);
    return frame;
  }

  /** Shows or hides a drawable, with the skin that covers it. */
  setShown(drawable: number, on: boolean): void {
    this.frameOf(drawable).visible = on;
    this.invalidate();
  }

  /** Draws occlusion, outlines, distance and a shadow on the ground, while the view is at rest. */
  setShaded(on: boolean): void {
    if (on === (this.shading !== null)) return;
    this.shading?.dispose();
    this.shading = on ? new Shading(this.renderer) : null;
    this.element.dataset["shaded"] = String(on);
    this.invalidate();
  }

  /** Whether that costs little: a graphics processor draws. */
  get shadesByItself(): boolean {
    return this.fast;
  }

  /** Draws the scene into the canvas.   @param ground what distance fades to */
  private paint(ground: string, height: number): void {
    if (!this.shading || this.detail !== DETAILS[0]) return this.renderer.render(this.scene, this.viewpoint.eye);
    const panes = [...this.rig.values()].filter((set) => !(set instanceof BodySet)).map((set) => set.object);
    const colour = new Color(ground).convertLinearToSRGB(); /* its numbers as they are written: nothing converts them on the way */
    const { min: low, max: high } = this.elementsBox();
    this.shading.draw({ scene: this.scene, camera: this.viewpoint.eye, low, high, without: [...panes, this.annotations.object, this.arrowField.object], ground: colour, sized: (pixels) => this.layers.forEach((layer) => layer.setViewportHeight(pixels)) });
    for (const layer of this.layers.values()) layer.setViewportHeight(height);
  }

  /** Around all that moves, in the view's units; around the scene where nothing does. */
  private elementsBox(): Box3 {
    const box = new Box3();
    for (const layer of this.layers.values()) {
      const bounds = layer.bounds();
      if (bounds) box.union(new Box3(new Vector3(...toView(this.space, bounds.minimum)), new Vector3(...toView(this.space, bounds.maximum))));
    }
    return box.isEmpty() ? new Box3(new Vector3(...toView(this.space, this.seen.minimum)), new Vector3(...toView(this.space, this.seen.maximum))) : box;
  }

  /** Whether there are surfaces to be shown instead of balls. */
  get hasSurfaces(): boolean {
    return this.skins.size > 0;
  }

  /** Whether there are balls whose size can be chosen. */
  get hasBalls(): boolean {
    return [...this.layers.values()].some((layer) => layer instanceof PointLayer);
  }

  /** Shows skins, with the balls that have none, or all balls. */
  setSurface(on: boolean): void {
    this.asSurface = on;
    this.showSkins();
    this.invalidate();
  }

  private showSkins(): void {
    for (const drawable of this.topology.drawables) {
      const skinView = drawable.changing ? this.skins.get(drawable.skinOf) : undefined;
      if (!skinView) continue;
      const skin = this.frame && this.asSurface ? skinOf(this.frame, drawable.id) : null;
      const covered = this.coveredBy(drawable.skinOf);
      const points = this.layers.get(drawable.skinOf);
      const piece = covered?.piece;
      skinView.show(skin, covered);
      if (points instanceof PointLayer) points.showOnly(skin && piece ? uncovered(piece, piecesOf(skin)) : null);
    }
  }

  /** The points below a skin; null when the frame lacks what is needed of them. */
  private coveredBy(id: number): Covered | null {
    const [block, drawable] = [this.block(id), this.drawable(id)];
    const [position, piece] = [arrayOf(block, 0, 3), arrayOf(block, drawable?.pieces ?? -1, 1)];
    if (!drawable || !position || !piece) return null;
    const radius = arrayOf(block, fieldOf(drawable, "radius", 1), 1)?.high[0] ?? drawable.radius;
    return radius > 0 ? { drawable: id, position, piece, radius, values: (field) => arrayOf(block, field, 1) } : null;
  }

  /** Keeps what is drawn in the picture when it leaves the run's bounds, until the user takes the camera; a far flung splinter is let go. */
  private follow(): void {
    const { minimum, maximum } = this.topology.bounds;
    const grown: Bounds = { minimum: [...this.seen.minimum], maximum: [...this.seen.maximum] };
    let left = false;
    for (const layer of this.layers.values()) {
      const box = layer.bounds();
      if (!box) continue;
      for (const axis of [0, 1, 2] as const) {
        const room = this.space.size;
        const low = Math.max(box.minimum[axis], minimum[axis] - room);
        const high = Math.min(box.maximum[axis], maximum[axis] + room);
        if (low < grown.minimum[axis]) grown.minimum[axis] = low - 0.1 * room;
        if (high > grown.maximum[axis]) grown.maximum[axis] = high + 0.1 * room;
        left ||= low < this.seen.minimum[axis] || high > this.seen.maximum[axis];
      }
    }
    if (!left) return;
    this.seen = grown;
    if (this.fitted && !this.viewpoint.chosen) this.viewpoint.fit();
  }

  private drawable(id: number): Drawable | undefined {
    return this.topology.drawables.find((drawable) => drawable.id === id);
  }

  block(drawable: number): FrameBlock | undefined {
    return this.frame?.blocks.find((block) => block.drawable === drawable);
  }

  setColouring(drawable: number, colouring: Colouring): void {
    this.layers.get(drawable)?.setColouring(colouring);
    this.skins.get(drawable)?.setColouring(colouring);
    this.invalidate();
  }

  /** Cuts away what lies beyond a plane, and what lies outside of a box; null: neither. */
  setClip(plane: Clip | null, shares: ClipShares | null): void {
    this.clip = clipBox(plane, shares, this.topology.bounds, this.space);
    for (const part of [...this.layers.values(), ...this.skins.values()]) part.setClip(this.clip);
    this.layArrows();
    this.invalidate();
  }

  /** Leaves out elements by values of a field. */
  setHidden(hidden: Hidden[]): void {
    this.hidden = hidden;
    if (this.given) this.show(this.given, () => undefined);
  }

  /** Arrows at the elements: so many times as long as they would be; null: none.   @returns how many are drawn */
  setVectors(vectors: Vectors | null, factor: number): number {
    this.vectors = vectors && { of: vectors, factor };
    return this.layArrows();
  }

  private layArrows(): number {
    this.invalidate();
    return this.arrowField.show(this.vectors?.of ?? null, this.vectors?.factor ?? 1, this.clip);
  }

  /** Whether there are points whose grains can be drawn. */
  get hasGrains(): boolean {
    return [...this.layers.values()].some((layer) => layer instanceof PointLayer && layer.hasGrains);
  }

  /** Draws every point that has a name as so many grains; 1: as one ball. */
  setGrains(many: number): void {
    for (const layer of this.layers.values()) if (layer instanceof PointLayer) layer.setGrains(many);
    this.invalidate();
  }

  setBallSize(factor: number): void {
    for (const layer of this.layers.values()) if (layer instanceof PointLayer) layer.setBallSize(factor);
    this.invalidate();
  }

  setRigVisible(visible: boolean): void {
    for (const set of this.rig.values()) set.object.visible = visible;
    this.invalidate();
  }

  /** Lines along which elements went, m. */
  setPaths(paths: Vector[][]): void {
    this.annotations.setPaths(paths);
    this.element.dataset["paths"] = String(paths.length);
    this.invalidate();
  }

  /** Arrows along which something goes. */
  setArrows(arrows: Arrow[]): void {
    this.annotations.setArrows(arrows);
    this.invalidate();
  }

  /** Lengths between places. */
  setGaps(gaps: Gap[]): void {
    this.annotations.setGaps(gaps);
    this.invalidate();
  }

  /** Puts a box around what is meant: drawables by name, and parts of the rig, whose names come second ("" of other things). Null: none.
   *  @returns the box, m; null: nothing of that is drawn */
  lightUp(meant: ((drawable: string, part: string) => boolean) | null): Bounds | null {
    const box = new Box3();
    const add = ({ minimum, maximum }: Bounds): void => void box.union(new Box3(new Vector3(...minimum), new Vector3(...maximum)));
    for (const layer of this.layers.values()) {
      const bounds = meant?.(layer.drawable.name, "") ? layer.bounds() : null;
      const [x, y, z] = this.frameOf(layer.drawable.id).position.toArray().map((part) => part * this.space.size) as Vector;
      if (bounds) add({ minimum: plus(bounds.minimum, [x, y, z]), maximum: plus(bounds.maximum, [x, y, z]) });
    }
    for (const set of this.rig.values()) for (const { name, bounds } of set.boxes()) if (meant?.(set.drawable.name, name)) add(bounds);
    const found = box.isEmpty() ? null : { minimum: box.min.toArray(), maximum: box.max.toArray() };
    this.outline(found);
    return found;
  }

  /** Draws a box, m; null: none. */
  outline(box: Bounds | null): void {
    this.annotations.setBox(box);
    this.element.dataset["lit"] = String(box !== null);
    if (box) this.element.dataset["box"] = JSON.stringify([box.minimum, box.maximum]);
    this.invalidate();
  }

  /** Draws drawables, and parts of the rig by their names, so far from where the frame has them, m. */
  displace(by: (drawable: string, part: string) => Vector): void {
    for (const { drawable } of this.layers.values())
      for (const id of [drawable.id, ...this.topology.drawables.filter(({ skinOf: covered }) => covered === drawable.id).map((skin) => skin.id)])
        this.frameOf(id).position.set(...by(drawable.name, "")).divideScalar(this.space.size);
    for (const [id, set] of this.rig) {
      const block = this.block(id);
      if (block) set.show(block, (part) => by(set.drawable.name, part));
    }
    this.invalidate();
  }

  /** The element at a place of the canvas, counted in the frame as it is shown; null where none is. */
  elementAt(x: number, y: number): { drawable: number; element: number; block: FrameBlock } | null {
    const hit = this.pick(x, y)?.hit;
    const block = hit && this.frame ? blocksOf(this.frame, hit.drawable)[hit.block] : undefined;
    return hit && block ? { drawable: hit.drawable, element: hit.element, block } : null;
  }

  /** The names of the drawable and the part of the rig ("" of other things) at a place of the canvas; null where nothing is. */
  named(x: number, y: number): { drawable: string; part: string } | null {
    const found = this.pick(x, y);
    return found && { drawable: this.drawable(found.hit.drawable)?.name ?? "", part: found.name };
  }

  /** What is at a place of the canvas, and how it is called: shares of its width and height, from the top left. Panes of the rig count only where
   *  nothing else is. */
  private pick(x: number, y: number): { hit: Hit; name: string } | null {
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2(2 * x - 1, 1 - 2 * y), this.viewpoint.eye);
    const { origin, direction } = caster.ray;
    const ray: Ray = { from: [origin.x, origin.y, origin.z], along: [direction.x, direction.y, direction.z], kept: (px, py, pz) => isInside(this.clip, px, py, pz) };
    let best: Hit | null = null;
    for (const layer of [...this.layers.values(), ...this.skins.values()]) {
      const hit = layer.object.visible && layer.object.parent?.visible !== false ? layer.pick(ray) : null;
      if (hit && isBefore(hit, best)) best = hit;
    }
    let name = "";
    for (const set of this.rig.values()) {
      if (!set.object.visible || set.object.parent?.visible === false || (best && !(set instanceof BodySet))) continue;
      const found = set.pick(caster);
      if (!found || (best && found.hit.distance >= best.distance)) continue;
      best = found.hit;
      name = found.name;
    }
    return best && { hit: best, name };
  }

  /** Draws the view as it is turned now, in full and in the size of a canvas, with key and scale. */
  drawInto(canvas: HTMLCanvasElement, choice: PaperChoice, key: ColourKey | null): void {
    const context = canvas.getContext("2d");
    if (!context) return;
    const { width, height } = choice;
    this.applyDetail(DETAILS[0] ?? this.detail);
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(width, height, false);
    for (const layer of this.layers.values()) layer.setViewportHeight(height);
    this.viewpoint.setAspect(width / height);
    this.paint(choice.ground ?? "#ffffff", height);
    context.clearRect(0, 0, width, height);
    if (choice.ground !== null) {
      context.fillStyle = choice.ground;
      context.fillRect(0, 0, width, height);
    }
    context.drawImage(this.canvas, 0, 0, width, height);
    const metresPerPixel = this.viewpoint.unitsPerPixel(height) * this.space.size;
    const metres = roundLength(0.2 * width * metresPerPixel);
    drawScale(context, metres / metresPerPixel, quantity(metres, "m"), choice);
    if (key) drawKey(context, key, choice);
    this.measure();
  }

  readonly invalidate = (): void => {
    if (this.request === 0) this.request = requestAnimationFrame(() => this.tick());
  };

  private readonly applyTheme = (): void => {
    for (const set of this.rig.values()) set.setColour(styleValue("--rig"));
    this.annotations.setColour(styleValue("--mark"));
    this.arrowField.setColour(styleValue("--mark"));
    this.invalidate();
  };

  private tick(): void {
    this.request = 0;
    this.viewpoint.update(); /* calls invalidate while it still coasts */
    const now = performance.now();
    if (this.viewpoint.steered && this.viewpoint.chosen) this.applyDetail(this.pace.moving(now));
    else if (!this.viewpoint.held && this.pace.resting(now)) {
      this.pace.stop();
      this.applyDetail(DETAILS[0] ?? this.detail);
    }
    if (this.viewpoint.steered) this.awaitRest();
    this.viewpoint.steered = false;
    this.render();
    this.element.dataset["pictures"] = String(++this.pictures);
    const drawn = this.drawn;
    this.drawn = null;
    drawn?.();
  }

  /** Draws in full once the view has come to rest. */
  private awaitRest(): void {
    if (this.rest !== null) clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.rest = null;
      this.invalidate();
    }, this.pace.restMs + 10);
  }

  private applyDetail(detail: Detail): void {
    if (detail === this.detail) return;
    const resized = detail.pixels !== this.detail.pixels;
    this.detail = detail;
    this.viewpoint.setCoasting(this.coasts && detail === DETAILS[0]); /* at a few pictures a second coasting would take many seconds */
    this.element.dataset["detail"] = String(DETAILS.indexOf(detail));
    for (const layer of this.layers.values()) layer.setDetail(detail);
    if (resized) this.applySize();
  }

  private applySize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    const ratio = Math.min(2, devicePixelRatio) * this.detail.pixels;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    for (const layer of this.layers.values()) layer.setViewportHeight(height * ratio);
  }

  private render(): void {
    this.paint(styleValue("--view"), this.element.clientHeight * this.renderer.getPixelRatio());
    this.annotations.place(this.viewpoint.eye);
    this.overlay.update(this.viewpoint.eye, this.viewpoint.unitsPerPixel(this.element.clientHeight) * this.space.size);
    if (this.fitted) this.onPicture.call();
  }

  private measure(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0 || height === 0) return;
    this.applySize();
    this.viewpoint.setAspect(width / height);
    if (!this.fitted && !this.viewpoint.chosen) this.viewpoint.fit(true);
    this.fitted = true;
    this.renderer.render(this.scene, this.viewpoint.eye); /* at once: setSize has cleared the canvas */
    this.invalidate();
  }
}
