/** What a campaign has found: its progress as it goes, and a table in the end. */
export class Results {
  /** Rounds that were repeated because of a slow moment. */
  repeated = 0;
  readonly #began = performance.now();
  readonly #failures: string[] = [];
  readonly #rows = new Map<string, Map<string, string>>();

  report(text: string): void {
    const seconds = ((performance.now() - this.#began) / 1000).toFixed(0);
    console.log(`${seconds.padStart(5)} s  ${text}`);
  }

  fail(...failures: readonly string[]): void {
    for (const failure of failures) this.report(`FOUND: ${failure}`);
    this.#failures.push(...failures);
  }

  add(name: string, column: string, value: number | string): void {
    const row = this.#rows.get(name) ?? new Map<string, string>();
    row.set(column, `${value}`);
    this.#rows.set(name, row);
    this.report(`${column}, ${name}: ${value}`);
  }

  /** Takeovers may take `most` milliseconds. */
  addTakeovers(
    name: string,
    nodes: number,
    rounds: number,
    takeovers: readonly number[],
    most: number,
  ): void {
    const sorted = takeovers.toSorted((a, b) => a - b);
    const seconds = (ms = 0) => `${(ms / 1000).toFixed(1)} s`;
    const median = seconds(sorted[Math.floor(sorted.length / 2)]);
    const times = rounds === 1 ? "once" : `${rounds} times`;
    const longest = rounds === 1 ? "" : `, longest ${seconds(sorted.at(-1))}`;
    const isMeasured = sorted.length > 0;
    const text = isMeasured ? `${times}: ${median}${longest}` : times;
    this.add(isMeasured ? `${name}: time of a takeover` : name, `${nodes} nodes`, text);
    for (const ms of sorted) {
      if (ms > most) this.fail(`${name}, ${nodes} nodes: a takeover took ${seconds(ms)}`);
    }
  }

  /** Something that is wrong on purpose must be found; in a short run it may not occur. */
  control(name: string, column: string, found: number, isRequired: boolean): void {
    this.add(`control, ${name}: findings`, column, found);
    if (isRequired && found === 0) this.fail(`${column}: the control "${name}" found nothing`);
  }

  /** False if something was found. */
  print(): boolean {
    const columns = ["2 nodes", "3 nodes"];
    console.log(`\n| | ${columns.join(" | ")} |\n|---|---|---|`);
    for (const [name, row] of this.#rows) {
      console.log(`| ${name} | ${columns.map((column) => row.get(column) ?? "-").join(" | ")} |`);
    }
    console.log("");
    if (this.repeated > 0) this.report(`${this.repeated} rounds were repeated`);
    for (const failure of this.#failures) console.error(failure);
    this.report(this.#failures.length === 0 ? "nothing was found" : "failed");
    return this.#failures.length === 0;
  }
}
