import { existsSync } from "node:fs";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { type AnchorRecord, compareAnchored, readAnchor } from "../../log/anchor.ts";
import type { Finding } from "../../store-care.ts";
import type { Database } from "../database/database.ts";

/**
 * Compares what nodes have acknowledged with the stored events. Each node has an anchor of its own, so the result names the
 * nodes whose anchors were not compared.
 */
export async function* inspectAnchors(
  database: Database,
  own: { readonly file: string; readonly database: string },
  others: readonly string[],
): AsyncGenerator<Finding> {
  const nodes = new Set<string>();
  // One finding per stream is enough: the events after a lost one are lost too.
  const lost = new Map<string, Finding>();
  for (const file of [...(existsSync(own.file) ? [own.file] : []), ...others]) {
    const found = await compareFile(database, file, own, nodes);
    for (const [id, finding] of found) if (!lost.has(id)) lost.set(id, finding);
  }
  yield* lost.values();
  for (const { id, name } of await database.query<{ id: string; name: string }>(NODES)) {
    if (nodes.has(id)) continue;
    const what = `the anchor of node ${name} (${id}) was not compared. Copy postgres-anchor-${own.database}.log from its data folder, and add: --anchor FILE`;
    yield { kind: "unchecked", stream: null, seq: null, what };
  }
}

async function compareFile(
  database: Database,
  file: string,
  own: { readonly file: string; readonly database: string },
  nodes: Set<string>,
): Promise<Map<string, Finding>> {
  const lost = new Map<string, Finding>();
  let batch: AnchorRecord[] = [];
  let hasOrigin = false;
  const compare = async () => {
    for (const finding of await compareBatch(database, batch)) {
      if (!lost.has(finding.stream)) lost.set(finding.stream, finding);
    }
    batch = [];
  };
  for (const line of readLines(file)) {
    if (line.kind === "origin") {
      if (line.database !== own.database) throw ofAnother(file);
      hasOrigin = true;
      if (line.node !== null) nodes.add(line.node);
    }
    if (line.kind === "restart") {
      batch = [];
      lost.clear();
    }
    if (line.kind !== "record") continue;
    batch.push(line);
    if (batch.length >= BATCH) await compare();
  }
  // A power cut can take the origin from the own anchor, which its name identifies too.
  if (!hasOrigin && file !== own.file) throw ofAnother(file);
  await compare();
  return lost;
}

function* readLines(file: string): ReturnType<typeof readAnchor> {
  try {
    yield* readAnchor(file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BelayError(refuse("invalid_input", `Cannot read the anchor ${file}: ${why}.`));
  }
}

type LostEvent = Finding & { readonly stream: string };

async function compareBatch(
  database: Database,
  records: readonly AnchorRecord[],
): Promise<LostEvent[]> {
  if (records.length === 0) return [];
  const values = [records.map(({ id }) => id), records.map(({ seq }) => seq)];
  const rows = await database.query<Stored>(STORED, values);
  return records.flatMap((record, index) => {
    const { has_stream = false, hash = null, last, last_hash } = rows[index] ?? {};
    const isPurged = typeof last === "number" && typeof last_hash === "string";
    const tombstone = isPurged ? { seq: last, hash: last_hash } : null;
    const what = compareAnchored(record, { hasStream: has_stream, hash, tombstone });
    return what === undefined ? [] : [explain(record, what)];
  });
}

/** Only a person can know whether an older state of the database was wanted. */
function explain({ id, seq }: AnchorRecord, why: string): LostEvent {
  const what = `${why}. A failover without synchronous standbys can cause this, or a backup that was restored. To accept it: \`belay verify --accept-anchor\``;
  return { kind: "damage", stream: id, seq, what, lost_tail: true };
}

function ofAnother(file: string): BelayError {
  const message = `${file} is not an anchor of this database. Use the file postgres-anchor-*.log of a node that works with it.`;
  return new BelayError(refuse("invalid_input", message));
}

interface Stored {
  readonly has_stream: boolean;
  readonly hash: string | null;
  readonly last: number | null;
  readonly last_hash: string | null;
}

const BATCH = 1000;
const NODES = "SELECT n.id, n.name FROM belay.nodes n ORDER BY n.id";
const STORED = `SELECT s.sid IS NOT NULL AS has_stream, encode(e.hash, 'hex') AS hash, t.seq AS last,
    encode(t.hash, 'hex') AS last_hash
  FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS r (id, seq, n)
  LEFT JOIN belay.streams s ON s.id = r.id
  LEFT JOIN belay.events e ON e.sid = s.sid AND e.seq = r.seq
  LEFT JOIN belay.tombstones t ON t.id = r.id
  ORDER BY r.n`;
