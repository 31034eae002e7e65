// `node scripts/write-graphql-schema.ts` writes schema.graphql, the schema of /graphql for clients' tools.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { writeSchema } from "../src/interfaces/graphql/create-schema.ts";

const file = fileURLToPath(new URL("../schema.graphql", import.meta.url));
const biome = fileURLToPath(new URL("../node_modules/.bin/biome", import.meta.url));

writeFileSync(file, writeSchema());
execFileSync(biome, ["format", "--write", file], { stdio: "ignore" });
