import type { TreeNode } from "./find-branches.ts";

/** Records that follow each other, as a tree: someone may have gone back and on another way. */
export class RecordChain<Ref> {
  readonly #nodes: TreeNode<Ref>[] = [];
  readonly #at = new Map<string, number>();
  #last: string | null = null;

  get nodes(): readonly TreeNode<Ref>[] {
    return this.#nodes;
  }

  /** Adds a record behind the last one. A record that is written again replaces the first one in its place. */
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

  /** What follows stands before this record instead of behind the last one. */
  goBackBefore(id: string): void {
    const at = this.#at.get(id);
    this.#last = at === undefined ? null : (this.#nodes[at]?.parent ?? null);
  }

  /** What follows stands before the last so many turns. */
  goBackTurns(turns: number): void {
    for (let left = turns; left > 0 && this.#last !== null; ) {
      const node: TreeNode<Ref> | undefined = this.#nodes[this.#at.get(this.#last) ?? -1];
      if (node?.kind === "prompt") left -= 1;
      this.#last = node?.parent ?? null;
    }
  }
}
