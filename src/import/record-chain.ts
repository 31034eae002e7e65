import type { TreeNode } from "./find-branches.ts";

/** Consecutive records as a tree, because the user may have gone back and continued differently. */
export class RecordChain<Ref> {
  readonly #nodes: TreeNode<Ref>[] = [];
  readonly #at = new Map<string, number>();
  #last: string | null = null;

  get nodes(): readonly TreeNode<Ref>[] {
    return this.#nodes;
  }

  /** The record that the next one follows; null if there is none. */
  get last(): string | null {
    return this.#last;
  }

  /** Adds a record after the last one. A repeated record replaces the first one in its place. */
  add(id: string, kind: TreeNode<Ref>["kind"], ref: Ref, parent: string | null = this.#last): void {
    const known = this.#at.get(id);
    const before = known === undefined ? undefined : this.#nodes[known];
    if (known !== undefined && before) {
      this.#nodes[known] = { ...before, kind, ref };
      return;
    }
    this.#at.set(id, this.#nodes.length);
    this.#nodes.push({ id, parent, kind, group: null, ref });
    this.#last = id;
  }

  has(id: string): boolean {
    return this.#at.has(id);
  }

  /**
   * Takes a list of all current records. A record that is missing at its start, or was replaced by a new one, was
   * summarized and stays. Others were withdrawn, so that the following records leave them as a branch.
   */
  restate(all: readonly { id: string; kind: TreeNode<Ref>["kind"]; ref: Ref }[]): void {
    const records = [...new Map(all.map((record) => [record.id, record])).values()];
    const line = this.#line();
    const places = new Map(line.map((id, place) => [id, place]));
    const next = records.map(({ id }) => places.get(id) ?? null);
    for (let nth = next.length - 1; nth >= 0; nth -= 1) next[nth] ??= next[nth + 1] ?? null;
    let place = next[0] ?? line.length;
    let last = line[place - 1] ?? null;
    for (const [nth, { id, kind, ref }] of records.entries()) {
      const at = next[nth] ?? line.length;
      const isKnown = places.has(id);
      if (!isKnown && at > place) last = line[at - 1] ?? last;
      this.#put({ id, kind, ref, parent: last });
      last = id;
      place = Math.max(place, isKnown ? at + 1 : at);
    }
    this.#last = last;
  }

  /** The records from the first to the last one. */
  #line(): string[] {
    const line: string[] = [];
    for (let id = this.#last; id !== null; id = this.#nodes[this.#at.get(id) ?? -1]?.parent ?? null)
      line.push(id);
    return line.reverse();
  }

  #put({ id, kind, ref, parent }: Pick<TreeNode<Ref>, "id" | "kind" | "ref" | "parent">): void {
    const at = this.#at.get(id) ?? this.#nodes.length;
    this.#at.set(id, at);
    this.#nodes[at] = { id, parent, kind, group: null, ref };
  }

  /** The following records come after this record; null means the start. */
  goTo(id: string | null): void {
    this.#last = id;
  }

  /** The following records come before this record instead of after the last one. */
  goBackBefore(id: string): void {
    const at = this.#at.get(id);
    this.#last = at === undefined ? null : (this.#nodes[at]?.parent ?? null);
  }

  /** The following records come before this many of the last turns. */
  goBackTurns(turns: number): void {
    for (let left = turns; left > 0 && this.#last !== null; ) {
      const node: TreeNode<Ref> | undefined = this.#nodes[this.#at.get(this.#last) ?? -1];
      if (node?.kind === "prompt") left -= 1;
      this.#last = node?.parent ?? null;
    }
  }
}
