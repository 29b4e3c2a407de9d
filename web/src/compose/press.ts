/**
 * Waits while a pointer is held down on something. What an answer of the server adds to a form moves all that lies below it; between the
 * press and the release of a button that takes the button away from under the pointer, and the browser sends no click.
 */
export class Press {
  private isDown = false;
  private readonly waiting: (() => void)[] = [];
  private readonly ended = new AbortController();

  constructor() {
    const { signal } = this.ended;
    const release = (): void => {
      this.isDown = false;
      /* The click comes after the release: what waits goes on in a task behind it. */
      for (const goOn of this.waiting.splice(0)) setTimeout(goOn, 0);
    };
    for (const name of ["pointerup", "pointercancel"] as const) window.addEventListener(name, release, { signal, capture: true });
    window.addEventListener("blur", release, { signal }); /* released over another window: the page is not told */
  }

  /** Counts a pointer that is held down on this element. */
  watch(element: HTMLElement): void {
    element.addEventListener("pointerdown", () => (this.isDown = true), { signal: this.ended.signal, capture: true });
  }

  /** Resolves when no pointer is held down on an element that is watched, at once where none is. */
  released(): Promise<void> {
    return this.isDown ? new Promise((goOn) => this.waiting.push(goOn)) : Promise.resolve();
  }

  dispose(): void {
    this.ended.abort();
  }
}
