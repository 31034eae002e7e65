// `npm run generate` writes every file that follows from the sources. `--types` writes only the types of the library, which a
// build puts into dist, over those that the compiler derives: they need no schema library, and each input has a name.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import about from "../package.json" with { type: "json" };

const root = fileURLToPath(new URL("../", import.meta.url));

if (process.argv.includes("--types")) {
  const { printOperationTypes } = await import("./print-library.ts");
  write("dist/types/doors/library/operations.d.ts", printOperationTypes());
} else {
  const { describeApi } = await import("../src/doors/http/openapi/describe-api.ts");
  const { writeSchema } = await import("../src/doors/graphql/create-schema.ts");
  const { listMessages } = await import("../test/language/list-messages.ts");
  write("openapi.json", `${JSON.stringify(describeApi(about.version), null, 2)}\n`);
  write("schema.graphql", writeSchema());
  write("docs/messages.md", listMessages());
}

function write(name: string, text: string): void {
  writeFileSync(join(root, name), name.endsWith(".md") ? text : format(name, text));
}

function format(name: string, text: string): string {
  return execFileSync(
    join(root, "node_modules/.bin/biome"),
    ["format", `--stdin-file-path=${basename(name)}`],
    {
      cwd: root,
      input: text,
      encoding: "utf8",
      maxBuffer: 1 << 24,
    },
  );
}
