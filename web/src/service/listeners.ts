/** A list of functions to call when something happens. */
export class Listeners<T extends unknown[]> {
  private readonly list = new Set<(...values: T) => void>();

  /** @returns a function that takes the listener off again */
  add(listener: (...values: T) => void): () => void {
    this.list.add(listener);
    return () => this.list.delete(listener);
  }

  call(...values: T): void {
    for (const listener of [...this.list]) listener(...values);
  }
}
