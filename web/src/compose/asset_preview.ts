/** A picture of an uploaded file as the specimen it would be, turned by dragging or with the arrow keys, and what is wrong with it. */
import { previewAsset, type AssetPreview } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/compose.js";
import { facesOf } from "./turned.js";

const SIZE = 220; /* pixels */
const PROBLEMS_SHOWN = 4;
const KEY_TURN = 0.2; /* rad */

export interface AssetPicture {
  element: HTMLElement;
  /** Shows the file of that name; nothing when there is none, or it is none that can be shown. */
  show(asset: string): void;
}

export function assetPicture(): AssetPicture {
  const element = h("div", { class: "asset-picture", hidden: true });
  let wanted = "";
  const show = (asset: string): void => {
    if (asset === wanted) return;
    wanted = asset;
    element.hidden = true;
    if (!/^sha256:[0-9a-f]{64}$/.test(asset)) return;
    previewAsset(asset)
      .then((preview) => {
        if (asset !== wanted) return; /* another was chosen meanwhile */
        element.replaceChildren(canvasOf(preview), h("div", {}, h("p", { class: "help" }, wordsOf(preview)), ...problemsOf(preview)));
        element.hidden = false;
      })
      .catch(() => undefined); /* a table, a mode basis: files that have no form */
  };
  return { element, show };
}

const short = (value: number): string => Number(value.toPrecision(4)).toString();

function wordsOf(preview: AssetPreview): string {
  const size = [0, 1, 2].map((a) => short((preview.high[a] ?? 0) - (preview.low[a] ?? 0))).join(" × ");
  const what = preview.kind === "image" ? english.assetImage(preview.grains) : preview.kind === "points" ? english.asset.points : english.asset.mesh;
  const volume = preview.volume === null ? english.asset.noSolid : english.assetVolume(short(preview.volume));
  return english.assetAbout(what, size, volume, preview.whole_triangles);
}

function problemsOf(preview: AssetPreview): HTMLElement[] {
  const shown = preview.problems.slice(0, PROBLEMS_SHOWN).map((problem) => h("p", { class: "problem" }, problem.detail));
  const more = preview.problems.length - shown.length;
  return more > 0 ? [...shown, h("p", { class: "problem" }, english.andMore(more))] : shown;
}

function canvasOf(preview: AssetPreview): HTMLCanvasElement {
  const scale = Math.max(1, Math.min(2, window.devicePixelRatio));
  const canvas = h("canvas", { width: SIZE * scale, height: SIZE * scale, tabindex: 0, role: "img", "aria-label": english.assetPicture(wordsOf(preview)) });
  let [turn, tilt] = [0.6, 0.4];
  const turnBy = (right: number, up: number): void => {
    turn += right;
    tilt = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, tilt + up));
    draw(canvas, preview, turn, tilt);
  };
  canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons & 1) turnBy(event.movementX / 80, event.movementY / 80);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    turnBy((step[0] ?? 0) * KEY_TURN, (step[1] ?? 0) * KEY_TURN);
  });
  turnBy(0, 0);
  return canvas;
}

function draw(canvas: HTMLCanvasElement, preview: AssetPreview, turn: number, tilt: number): void {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const half = canvas.width / 2;
  pen.clearRect(0, 0, canvas.width, canvas.height);
  for (const face of facesOf(preview, turn, tilt)) {
    const [ax, ay, bx, by, cx, cy] = face.at.map((value, k) => half * (1 + (k % 2 ? -0.95 : 0.95) * value)) as [number, number, number, number, number, number];
    pen.fillStyle = pen.strokeStyle = `hsl(${(205 + 137 * face.part) % 360} 35% ${Math.round(20 + 60 * face.light)}%)`;
    pen.beginPath();
    pen.moveTo(ax, ay);
    pen.lineTo(bx, by);
    pen.lineTo(cx, cy);
    pen.closePath();
    pen.fill();
    pen.stroke(); /* closes the seams between neighbours */
  }
}
