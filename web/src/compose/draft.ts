/** Unfinished scenes, kept in this browser by the address they are edited at, until they run or are thrown away. */
import type { Json, JsonObject } from "../json.js";

const PREFIX = "scree-draft:";
const MOST = 20; /* drafts kept; the oldest goes first */

export interface Draft {
  scene: Json;
  text: string | null; /** what stood in the JSON editor, when that was not JSON */
  study?: JsonObject | null; /** the study that was being set up with the scene, without the scene */
  saved: number; /** milliseconds, as Date.now() */
}

/** The part of Storage that is used; browsers may refuse it altogether, and then there are no drafts. */
export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

export function browserShelf(): Shelf | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

export function loadDraft(shelf: Shelf | null, place: string): Draft | null {
  try {
    const draft = JSON.parse(shelf?.getItem(PREFIX + place) ?? "null") as Partial<Draft> | null;
    return draft && draft.scene !== undefined ? { scene: draft.scene, text: draft.text ?? null, saved: draft.saved ?? 0, ...(draft.study ? { study: draft.study } : {}) } : null;
  } catch {
    return null;
  }
}

export function saveDraft(shelf: Shelf | null, place: string, draft: Draft): void {
  try {
    shelf?.setItem(PREFIX + place, JSON.stringify(draft));
    if (shelf) thin(shelf);
  } catch {
    /* The storage is full or forbidden: the scene stays on the page, as without drafts. */
  }
}

export function dropDraft(shelf: Shelf | null, place: string): void {
  try {
    shelf?.removeItem(PREFIX + place);
  } catch {
    /* see above */
  }
}

function thin(shelf: Shelf): void {
  const keys = Array.from({ length: shelf.length }, (_, i) => shelf.key(i) ?? "").filter((key) => key.startsWith(PREFIX));
  if (keys.length <= MOST) return;
  const age = (key: string): number => loadDraft(shelf, key.slice(PREFIX.length))?.saved ?? 0;
  keys.sort((a, b) => age(a) - age(b));
  for (const key of keys.slice(0, keys.length - MOST)) shelf.removeItem(key);
}
