// `node scripts/write-openapi.ts` writes openapi.json, the answer of GET /openapi.json.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import about from "../package.json" with { type: "json" };
import { describeApi } from "../src/interfaces/http/openapi/describe-api.ts";

const file = fileURLToPath(new URL("../openapi.json", import.meta.url));
const biome = fileURLToPath(new URL("../node_modules/.bin/biome", import.meta.url));

writeFileSync(file, `${JSON.stringify(describeApi(about.version), null, 2)}\n`);
execFileSync(biome, ["format", "--write", file], { stdio: "ignore" });
