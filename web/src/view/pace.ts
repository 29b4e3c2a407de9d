/** How much detail the view draws while it moves. A graphics processor needs no help; software rendering does: when pictures of a moving view come too
 *  slowly, it is drawn plainer, then coarser, then with fewer balls, and in full again as soon as it rests. */

export interface Detail {
  plain: boolean; /** discs at their centre's depth instead of shaded balls */
  pixels: number; /** share of the screen's pixels along each side */
  thin: number; /** one ball in so many is drawn, larger */
}

export const DETAILS: Detail[] = [
  { plain: false, pixels: 1, thin: 1 },
  { plain: true, pixels: 1, thin: 1 },
  { plain: true, pixels: 0.5, thin: 1 },
  { plain: true, pixels: 0.5, thin: 4 },
  { plain: true, pixels: 0.5, thin: 16 },
];

const SLOW_MS = 80; /* between pictures: above it less is drawn */
const QUICK_MS = 28; /* below it, for long enough, more */
const QUICK_PICTURES = 45;
const BREAK_MS = 5000; /* a longer time between pictures is a pause */
const REST_MS = 350; /* without a movement: it rests */

export class Pace {
  private level = 0;
  private last = -1; /** time of the last picture of a movement */
  private quick = 0;

  /** A picture of the moving view is about to be drawn. @returns the detail for it */
  moving(now: number): Detail {
    const between = this.last < 0 ? NaN : now - this.last;
    this.last = now;
    if (between > SLOW_MS && between < BREAK_MS) {
      this.level = Math.min(DETAILS.length - 1, this.level + 1);
      this.quick = 0;
    } else if (between < QUICK_MS) {
      if (++this.quick < QUICK_PICTURES) return this.detail;
      this.level = Math.max(0, this.level - 1);
      this.quick = 0;
    }
    return this.detail;
  }

  /** Whether the view has come to rest, so that it is to be drawn in full. The level is remembered for the next movement. */
  resting(now: number): boolean {
    return this.last < 0 || now - this.last >= REST_MS;
  }

  /** The movement is over. */
  stop(): void {
    this.last = -1;
    this.quick = 0;
  }

  get detail(): Detail {
    return DETAILS[this.level] ?? { plain: false, pixels: 1, thin: 1 };
  }

  get restMs(): number {
    return REST_MS;
  }
}
