/** What a page is: an element, a title for the tab, and an end. */
import type { LiveStream } from "../service/stream.js";

export interface Page {
  title: string;
  element: HTMLElement;
  dispose(): void;
}

/** What pages get from the frame around them. */
export interface Surroundings {
  stream: LiveStream;
  /** Says something once: for screen readers, and to the eye when it is an error. */
  say(message: string, error?: boolean): void;
  setTitle(title: string): void;
}
