// `node scripts/write-graphql-schema.ts` writes schema.graphql: all that /graphql answers, for clients' tools.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { writeSchema } from "../src/interfaces/graphql/create-schema.ts";

writeFileSync(fileURLToPath(new URL("../schema.graphql", import.meta.url)), writeSchema());
