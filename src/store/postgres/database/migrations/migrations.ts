import { streams } from "./0001-streams.ts";
import { nodes } from "./0002-nodes.ts";
import { secret } from "./0003-secret.ts";

/** A migration's number is its place. A released migration is never changed. */
export const migrations: readonly string[] = [streams, nodes, secret];
