/** Waiting times between attempts to reconnect: doubling, bounded, and spread so that many viewers don't come back at once. */
export class Backoff {
  private attempts = 0;

  constructor(
    private readonly first_ms = 300,
    private readonly most_ms = 15000,
    private readonly random: () => number = Math.random,
  ) {}

  /** Milliseconds to wait before the next attempt: between half and all of min(most, first * 2^n). */
  next(): number {
    const whole = Math.min(this.most_ms, this.first_ms * 2 ** Math.min(this.attempts, 30));
    this.attempts++;
    return whole * (0.5 + 0.5 * this.random());
  }

  reset(): void {
    this.attempts = 0;
  }
}
