/** What runs of the gallery's scenes take on this server, as their checks say. A check may take seconds, so it is made for a scene that comes into sight, one at a
 *  time, and its answer is kept while the page is open. */
import { checkScene, type Estimate, type GalleryScene } from "../service/api.js";
import { h } from "../dom.js";
import * as english from "../english/pages.js";
import { bytes, count, duration, singular } from "../format.js";

const known = new Map<string, Estimate>();

/** "METHOD · what it is made of · about 5.8 s here · ≤ 3.3 MB"; the method alone while nothing more is known. */
export function factsText(method: string, estimate: Estimate | undefined): string {
  if (!estimate) return method;
  const first = estimate.counts[0];
  const label = first ? first.label.toLowerCase() : english.gallery.nodes, number = first ? first.value : estimate.node_count;
  const quick = estimate.run_seconds !== null && estimate.run_seconds < 0.1;
  const time = quick ? english.gallerySoon(duration(0.1)) : english.galleryTime(duration(estimate.run_seconds));
  return [method, `${count(number)} ${number === 1 ? singular(label) : label}`, time, `≤ ${bytes(estimate.record_bytes)}`].join(" · ");
}

interface Line {
  scene: GalleryScene;
  element: HTMLElement;
}

export class GalleryFacts {
  private readonly lines = new Map<Element, Line>();
  private readonly waiting = new Set<Line>(); /* in sight, not checked yet; in the order in which they came */
  private asking: AbortController | null = null;
  private readonly seen = new IntersectionObserver((entries) => this.look(entries));

  /** A line of text about a scene, which grows when it has been seen. */
  line(scene: GalleryScene): HTMLElement {
    const estimate = known.get(scene.name);
    const element = h("p", { class: "soft gallery-facts" }, factsText(scene.method, estimate));
    if (!estimate) {
      this.lines.set(element, { scene, element });
      this.seen.observe(element);
    }
    return element;
  }

  dispose(): void {
    this.seen.disconnect();
    this.waiting.clear();
    this.asking?.abort();
  }

  private look(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const line = this.lines.get(target);
      if (!line) continue;
      if (isIntersecting) this.waiting.add(line);
      else this.waiting.delete(line);
    }
    void this.ask();
  }

  private async ask(): Promise<void> {
    const [line] = this.waiting;
    if (!line || this.asking) return;
    const asking = new AbortController();
    this.asking = asking;
    this.waiting.delete(line);
    try {
      const { estimate } = await checkScene(line.scene.scene, "", asking.signal);
      known.set(line.scene.name, estimate);
      line.element.textContent = factsText(line.scene.method, estimate);
      this.seen.unobserve(line.element);
    } catch {
      /* the server is busy or away: it is asked again when the scene comes into sight again */
    }
    this.asking = null;
    if (!asking.signal.aborted) await this.ask();
  }
}
