import type { Branch, Item, StoredBranches } from "./conversation.ts";
import { Pace } from "./pace.ts";

/** A record of a conversation whose records name their predecessor. */
export interface TreeNode<Ref> {
  readonly id: string;
  readonly parent: string | null;
  /**
   * `prompt` starts a turn, `answer` belongs to one, `result` answers a tool call wherever it is attached, `none` only
   * links its parent to its children.
   */
  readonly kind: "prompt" | "answer" | "result" | "none";
  /** Records of one answer, which belong together wherever they are attached. */
  readonly group: string | null;
  readonly ref: Ref;
}

/**
 * The branches of a tree of records. The first is the newest or the stored one; each other one leaves an earlier branch
 * at a record with a second child. Results of parallel calls are attached at the side and are not branches. `last` is
 * the record after which the tool would continue, if that is not the newest.
 */
export async function findBranches<Ref>(
  nodes: readonly TreeNode<Ref>[],
  stored: StoredBranches,
  readItems: (refs: readonly Ref[]) => Iterable<Item>,
  last: string | null = null,
): Promise<Branch[]> {
  const pace = new Pace();
  const tree = new Tree(nodes, last);
  const lines: BranchPath[] = [];
  const owner = new Map<number, BranchPath>();
  const add = (leaf: number, name: (path: readonly number[]) => string | null): void => {
    const { path, joins } = tree.pathTo(leaf, owner);
    const parent = joins === null ? null : (owner.get(joins) ?? null);
    const absorbed = parent && tree.isBeside(path, parent.groups);
    if (absorbed) {
      parent.beside.push(...path);
      for (const at of path) owner.set(at, parent);
      return;
    }
    const line: BranchPath = {
      key: name(path),
      parent,
      joins,
      path,
      beside: [],
      groups: new Set(),
    };
    for (const at of path) {
      owner.set(at, line);
      const group = nodes[at]?.group;
      if (group != null) line.groups.add(group);
    }
    lines.push(line);
  };

  const kept = stored.get(null);
  const trunk = tree.newestLeaf(kept === undefined ? null : (tree.at(kept) ?? null));
  if (pace.isDue) await pace.rest();
  if (trunk !== null) add(trunk, () => null);
  for (const turn of stored.values()) {
    const at = tree.at(turn);
    const leaf = at === undefined || owner.has(at) ? null : tree.newestLeaf(at);
    if (leaf !== null) add(leaf, (path) => tree.firstSaid(path));
    if (pace.isDue) await pace.rest();
  }
  for (let at = nodes.length - 1; at >= 0; at -= 1) {
    const kind = nodes[at]?.kind;
    if (owner.has(at) || kind === undefined || kind === "none") continue;
    add(at, (path) => tree.firstSaid(path));
    if (pace.isDue) await pace.rest();
  }
  const newest = tree.newestLeaf(null);
  const current = newest === null ? undefined : owner.get(newest);
  const drawn = new Map<BranchPath, DrawnBranch>();
  const branches: Branch[] = [];
  for (const line of lines) {
    if (pace.isDue) await pace.rest();
    const before = line.parent ? drawn.get(line.parent) : undefined;
    const branch = tree.draw(line, before);
    drawn.set(line, branch);
    branches.push({
      key: line.key,
      turns: branch.turns.map(({ id }) => id),
      from: line.key === null ? null : { branch: line.parent?.key ?? null, turns: branch.shared },
      current: line === current,
      items: (turn) => readItems((branch.turns[turn]?.nodes ?? []).map((at) => tree.refOf(at))),
    });
  }
  return branches;
}

/** A path from where it leaves another line down to a leaf. Numbers are indexes into the list of nodes. */
interface BranchPath {
  readonly key: string | null;
  readonly parent: BranchPath | null;
  readonly joins: number | null;
  readonly path: readonly number[];
  /** Records of parallel calls that are attached beside the path. */
  readonly beside: number[];
  readonly groups: Set<string>;
}

interface DrawnBranch {
  readonly turns: readonly { readonly id: string; readonly nodes: readonly number[] }[];
  readonly shared: number;
}

class Tree<Ref> {
  readonly #nodes: readonly TreeNode<Ref>[];
  readonly #at: ReadonlyMap<string, number>;
  readonly #last: number | null;

  constructor(nodes: readonly TreeNode<Ref>[], last: string | null) {
    this.#nodes = nodes;
    this.#at = new Map(nodes.map(({ id }, at) => [id, at]));
    this.#last = last === null ? null : (this.#at.get(last) ?? null);
  }

  at(id: string): number | undefined {
    return this.#at.get(id);
  }

  refOf(at: number): Ref {
    const node = this.#nodes[at];
    if (!node) throw new RangeError(`there is no record ${at}`);
    return node.ref;
  }

  /** The last record, or the newest with content, below one or anywhere. */
  newestLeaf(below: number | null): number | null {
    const isBelow = new Map<number, boolean>();
    if (below !== null) isBelow.set(below, true);
    const leads = (leaf: number): boolean => {
      if (below === null) return true;
      const { path, joins } = this.pathTo(leaf, isBelow);
      const found = joins !== null && isBelow.get(joins) === true;
      for (const at of path) isBelow.set(at, found);
      return found;
    };
    if (this.#last !== null && leads(this.#last)) return this.#last;
    for (let at = this.#nodes.length - 1; at >= 0; at -= 1) {
      if (this.#nodes[at]?.kind !== "none" && leads(at)) return at;
    }
    return null;
  }

  /** The records from a known one, or a root, down to this one. */
  pathTo(leaf: number, taken: ReadonlyMap<number, unknown>) {
    const path: number[] = [];
    const seen = new Set<number>();
    let at: number | null = leaf;
    while (at !== null && !taken.has(at) && !seen.has(at)) {
      path.push(at);
      seen.add(at);
      at = this.#parentOf(at);
    }
    return { path: path.reverse(), joins: at !== null && taken.has(at) ? at : null };
  }

  /** True if the whole path only answers calls, or belongs to answers, of another line. */
  isBeside(path: readonly number[], groups: ReadonlySet<string>): boolean {
    return path.every((at) => {
      const node = this.#nodes[at];
      if (node?.kind === "result" || node?.kind === "none") return true;
      return node?.group != null && groups.has(node.group);
    });
  }

  firstSaid(path: readonly number[]): string {
    const at = path.find((each) => this.#nodes[each]?.kind !== "none") ?? path[0] ?? 0;
    return this.#nodes[at]?.id ?? "";
  }

  /** The whole line from its root, cut into turns. */
  draw(line: BranchPath, before: DrawnBranch | undefined): DrawnBranch {
    const own = this.#merge(line.path, line.beside);
    const inherited = before && line.joins !== null ? this.#upTo(before, line.joins) : [];
    const turns: { id: string; nodes: number[] }[] = inherited.map((turn) => ({
      id: turn.id,
      nodes: [...turn.nodes],
    }));
    for (const at of own) {
      const node = this.#nodes[at];
      if (!node || node.kind === "none") continue;
      const last = turns.at(-1);
      if (node.kind === "prompt" || !last) turns.push({ id: node.id, nodes: [at] });
      else last.nodes.push(at);
    }
    // A turn that starts the same and ends differently is not shared.
    const differs = turns.findIndex(({ nodes }, nth) => {
      const other = before?.turns[nth]?.nodes;
      return !other || other.length !== nodes.length || other.at(-1) !== nodes.at(-1);
    });
    return { turns, shared: differs < 0 ? turns.length : differs };
  }

  #upTo({ turns }: DrawnBranch, joins: number) {
    const kept: { id: string; nodes: readonly number[] }[] = [];
    for (const turn of turns) {
      const nodes = turn.nodes.filter((at) => this.#isAncestor(at, joins));
      if (nodes.length === 0) break;
      kept.push({ id: turn.id, nodes });
    }
    return kept;
  }

  readonly #ancestors = new Map<number, ReadonlySet<number>>();
  /** Side results count with the record that they are attached to. */
  #isAncestor(at: number, of: number): boolean {
    let found = this.#ancestors.get(of);
    if (!found) {
      found = new Set(this.pathTo(of, new Map()).path);
      this.#ancestors.set(of, found);
    }
    if (found.has(at)) return true;
    const parent = this.#parentOf(at);
    const isResult = this.#nodes[at]?.kind === "result" && at <= of;
    return isResult && parent !== null && found.has(parent);
  }

  /** Records beside the path are placed where they were written. */
  #merge(path: readonly number[], beside: readonly number[]): readonly number[] {
    if (beside.length === 0) return path;
    const waiting = [...beside].sort((a, b) => a - b);
    const merged: number[] = [];
    for (const at of path) {
      while (waiting[0] !== undefined && waiting[0] < at) merged.push(waiting.shift() ?? at);
      merged.push(at);
    }
    return [...merged, ...waiting];
  }

  #parentOf(at: number): number | null {
    const parent = this.#nodes[at]?.parent;
    return parent == null ? null : (this.#at.get(parent) ?? null);
  }
}
