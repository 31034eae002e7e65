import { type ExpiringValues, MOST_VALUES } from "../../store/expiring-values.ts";

/** The expiring values of a server that shares its data with no other node. */
export class MemoryValues implements ExpiringValues {
  readonly #kinds = new Map<string, Map<string, { value: string; readonly until: number }>>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async add(kind: string, key: string, value: string, ms: number): Promise<void> {
    const values = this.#kinds.get(kind) ?? new Map();
    this.#kinds.set(kind, values);
    values.set(key, { value, until: this.#now() + ms });
    const [oldest] = values.keys();
    if (values.size > MOST_VALUES) values.delete(oldest);
  }

  async read(kind: string, key: string): Promise<string | null> {
    return this.#find(kind, key)?.value ?? null;
  }

  async replace(kind: string, key: string, before: string, value: string): Promise<boolean> {
    const found = this.#find(kind, key);
    if (found?.value !== before) return false;
    found.value = value;
    return true;
  }

  async take(kind: string, key: string): Promise<string | null> {
    const found = this.#find(kind, key);
    this.#kinds.get(kind)?.delete(key);
    return found?.value ?? null;
  }

  #find(kind: string, key: string): { value: string } | undefined {
    const found = this.#kinds.get(kind)?.get(key);
    return found && this.#now() < found.until ? found : undefined;
  }
}
