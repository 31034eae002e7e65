// `npm run write:library` writes the library's types and bindings from the table of operations.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { printBinding, printOperationTypes } from "./print-library.ts";

const biome = fileURLToPath(new URL("../node_modules/.bin/biome", import.meta.url));

write("../src/library/operations.ts", printOperationTypes());
write("../src/library/bind-operations.ts", printBinding());

function write(relative: string, text: string): void {
  const file = fileURLToPath(new URL(relative, import.meta.url));
  writeFileSync(file, text);
  execFileSync(biome, ["format", "--write", file], { stdio: "ignore" });
}
