/** A cache of the values that were added last. */
export class Recent<T> {
  readonly #most: number;
  readonly #kept = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  get(name: string): T | undefined {
    return this.#kept.get(name);
  }

  /** Makes room by forgetting what was added first. */
  set(name: string, value: T): void {
    this.#kept.delete(name);
    this.#kept.set(name, value);
    if (this.#kept.size <= this.#most) return;
    const [first] = this.#kept.keys();
    if (first !== undefined) this.#kept.delete(first);
  }

  delete(name: string): void {
    this.#kept.delete(name);
  }
}
