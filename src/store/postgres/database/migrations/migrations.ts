import { streams } from "./0001-streams.ts";
import { nodes } from "./0002-nodes.ts";
import { secret } from "./0003-secret.ts";
import { required } from "./0004-required.ts";
import { writePlans } from "./0005-write-plans.ts";
import { agentLists } from "./0006-agent-lists.ts";
import { expiring } from "./0007-expiring.ts";
import { writeBatch } from "./0008-write-batch.ts";
import { chunkSums } from "./0009-chunk-sums.ts";

interface Migration {
  readonly sql: string;
  /**
   * True if a node that does not know this migration cannot work with the tables any more. Within a minor version
   * migrations only add, so this is false.
   */
  readonly isRequired: boolean;
}

/** A migration's number is its place. A released migration is never changed. */
export const migrations: readonly Migration[] = [
  { sql: streams, isRequired: true },
  { sql: nodes, isRequired: true },
  { sql: secret, isRequired: false },
  { sql: required, isRequired: false },
  { sql: writePlans, isRequired: false },
  { sql: agentLists, isRequired: false },
  { sql: expiring, isRequired: false },
  { sql: writeBatch, isRequired: false },
  { sql: chunkSums, isRequired: false },
];
