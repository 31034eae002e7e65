/**
 * A cache of the values that were added last: at least this many, and at most twice as many. It forgets many at once,
 * because a map finds its oldest key slowly after single keys were deleted.
 */
export class Recent<T> {
  readonly #many: number;
  #kept = new Map<string, T>();
  #older = new Map<string, T>();

  constructor(many: number) {
    this.#many = many;
  }

  get(name: string): T | undefined {
    return this.#kept.get(name) ?? this.#older.get(name);
  }

  set(name: string, value: T): void {
    this.#kept.set(name, value);
    if (this.#kept.size < this.#many) return;
    this.#older = this.#kept;
    this.#kept = new Map();
  }

  delete(name: string): void {
    this.#kept.delete(name);
    this.#older.delete(name);
  }
}
