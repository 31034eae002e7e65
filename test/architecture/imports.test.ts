import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkFile } from "./import-rules.ts";
import { listFiles, root } from "./list-files.ts";

const files = [...listFiles("src"), ...listFiles("web/src")].filter((f) => /\.tsx?$/.test(f));

describe("the import table", () => {
  it("finds sources to check", () => {
    if (existsSync(join(root, "src"))) expect(files).not.toEqual([]);
  });

  it("is kept by every file", () => {
    const broken = files.flatMap((file) => checkFile(file, readFileSync(join(root, file), "utf8")));
    expect(broken).toEqual([]);
  });
});

describe("the checker reports", () => {
  it.each([
    ["src/contract/a.ts", `import x from "fastify";`],
    ["src/contract/a.ts", `import { readFile } from "node:fs/promises";`],
    ["src/contract/a.ts", `import { decide } from "../core/decide.ts";`],
    ["src/core/a.ts", `import { z } from "zod";`],
    ["src/core/a.ts", `import { hash } from "node:crypto";`],
    ["src/core/a.ts", `import type { StreamStore } from "../store/stream-store.ts";`],
    ["src/core/a.ts", `export * from "../service/runner.ts";`],
    ["src/store/stream-store.ts", `import { once } from "node:events";`],
    ["src/store/stream-store.ts", `import { decide } from "../core/decide.ts";`],
    ["src/store/stream-store.ts", `import { open } from "./sqlite/open.ts";`],
    ["src/store/sqlite/a.ts", `type D = import("../../core/decide.ts").Decide;`],
    ["src/store/sqlite/a.ts", `import { merge } from "../memory/merge.ts";`],
    ["src/store/sqlite/a.ts", `import pg from "pg";`],
    ["src/store/memory/a.ts", `import { DatabaseSync } from "node:sqlite";`],
    ["src/store/postgres/a.ts", `import { createClient } from "redis";`],
    ["src/store/memory/a.ts", `import { suite } from "../conformance/suite.ts";`],
    ["src/store/conformance/a.ts", `import { memory } from "../memory/memory-store.ts";`],
    ["src/store/conformance/a.ts", `import { evolve } from "../../core/evolve.ts";`],
    ["src/agent/agent-connection.ts", `import { spawn } from "node:child_process";`],
    ["src/agent/acp/a.ts", `import { script } from "../demo/script.ts";`],
    ["src/agent/acp/a.ts", `import { evolve } from "../../core/evolve.ts";`],
    ["src/files/a.ts", `import { findProject } from "../service/find-project.ts";`],
    ["src/files/a.ts", `import type { StreamStore } from "../store/stream-store.ts";`],
    ["src/files/a.ts", `import { DatabaseSync } from "node:sqlite";`],
    ["src/core/a.ts", `import { readFile } from "../files/read-file.ts";`],
    ["src/store/stream-store.ts", `import { readFile } from "../files/read-file.ts";`],
    ["src/process/a.ts", `import { readFile } from "../files/read-file.ts";`],
    ["web/src/a.tsx", `import { readFile } from "../../src/files/read-file.ts";`],
    ["src/service/a.ts", `export { open } from "../store/sqlite/open.ts";`],
    ["src/service/a.ts", `import { suite } from "../store/conformance/suite.ts";`],
    ["src/service/a.ts", `import { spawnAgent } from "../agent/acp/spawn-agent.ts";`],
    ["src/service/a.ts", `import { print } from "../doors/cli/print.ts";`],
    ["src/service/a.ts", `import pino from "pino";`],
    ["src/doors/http/a.ts", `const cli = await import("../cli/print.ts");`],
    ["src/doors/http/a.ts", `import { decide } from "../../core/decide.ts";`],
    ["src/doors/http/a.ts", `import { open } from "../../store/sqlite/open.ts";`],
    ["src/doors/http/a.ts", `import type { StreamStore } from "../../store/stream-store.ts";`],
    ["src/doors/http/a.ts", `import colors from "picocolors";`],
    ["src/settings-files/a.ts", `import { find } from "../service/find-project.ts";`],
    ["src/service/a.ts", `import { drive } from "../drive/run/drivers.ts";`],
    ["src/service/a.ts", `import { admit } from "../server/access/tokens.ts";`],
    ["src/service/a.ts", `import { listSpool } from "../integrations/claude/spool.ts";`],
    ["src/drive/run/a.ts", `import { startChores } from "../../server/chores/chores.ts";`],
    ["src/drive/a.ts", `const m = await import("../integrations/copilot/mirror-copilot.ts");`],
    ["src/server/chores/a.ts", `import { listSpool } from "../../integrations/claude/spool.ts";`],
    ["src/server/a.ts", `import { serveHttp } from "../doors/http/serve-http.ts";`],
    ["src/integrations/claude/hooks/a.ts", `import { z } from "zod";`],
    ["src/integrations/claude/hooks/a.ts", `await import(process.argv[2]);`],
    ["src/integrations/claude/a.ts", `const main = await import(\`../../main.ts\`);`],
    ["src/integrations/claude/a.ts", `import { restore } from "../copilot/copilot-restore.ts";`],
    ["src/integrations/claude/a.ts", `import { writeMirrors } from "../write-mirrors.ts";`],
    ["src/integrations/gaia/a.ts", `import { open } from "../../store/sqlite/open.ts";`],
    ["src/integrations/gaia/a.ts", `const pg = require("pg");`],
    ["src/doors/cli/a.ts", `import { listSpool } from "../../integrations/claude/spool.ts";`],
    ["web/src/a.tsx", `import { runner } from "../../src/service/runner.ts";`],
    ["web/src/a.tsx", `import { readFile } from "node:fs/promises";`],
    ["src/main.ts", `import { open } from "./store/sqlite/open.js";`],
    ["src/main.ts", `import { open } from "./store/sqlite/open";`],
    ["src/elsewhere/a.ts", ``],
    ["src/contract/a.ts", `export const = 1;`],
  ])("%s: %s", (file, text) => {
    expect(checkFile(file, text)).toEqual([expect.stringContaining(file)]);
  });

  it.each([
    `const now = Date.now();`,
    `const now = new Date();`,
    `const now = Date();`,
    `const roll = Math.random();`,
    `const id = crypto.randomUUID();`,
    `async function decide() {}`,
    `const decide = async () => {};`,
    `export const state = await head;`,
    `export type Later = Promise<void>;`,
    `export const decide = () => ({ process });`,
    `setTimeout(decide, 10);`,
  ])("src/core/a.ts: %s", (text) => {
    expect(checkFile("src/core/a.ts", text)).toEqual([expect.stringContaining("core is pure")]);
  });

  it("file, import and rule in one sentence", () => {
    expect(checkFile("src/store/sqlite/a.ts", `import { x } from "../../core/x.ts";`)).toEqual([
      "src/store/sqlite/a.ts imports ../../core/x.ts: " +
        "store adapter may import its own folder, contract, store port, store blobs, store log, store scan, files",
    ]);
  });
});

describe("the checker lets pass", () => {
  it.each([
    ["src/contract/a.ts", `import { z } from "zod"; import { id } from "./ids.ts";`],
    ["src/core/a.ts", `import type { Head } from "../contract/head.ts";`],
    ["src/core/a.ts", `// import "node:fs"; Date.now()\nexport const s = "import x from 'pg'";`],
    ["src/core/a.ts", `export const at = (ms: number) => new Date(ms).toISOString();`],
    ["src/core/a.ts", `export const a = (h: { process: 1 }) => ({ crypto: h.process });`],
    ["src/store/stream-store.ts", `import type { Care } from "./store-care.ts";`],
    ["src/store/sqlite/deep/a.ts", `import { DatabaseSync } from "node:sqlite"; import "../b.ts";`],
    [
      "src/store/postgres/a.ts",
      `import pg from "pg"; import "../stream-store.ts"; import "node:fs";`,
    ],
    ["src/store/conformance/a.ts", `import { it } from "vitest"; import fc from "fast-check";`],
    ["src/store/memory/memory-store.test.ts", `import { suite } from "../conformance/suite.ts";`],
    ["src/agent/acp/a.ts", `import { x } from "@agentclientprotocol/sdk"; import "node:net";`],
    [
      "src/service/a.ts",
      `import "../core/a.ts"; import "../store/stream-store.ts"; import "node:fs";`,
    ],
    ["src/files/a.ts", `import { openSync } from "node:fs"; import "./open-file.ts";`],
    ["src/store/sqlite/a.ts", `import { syncFolder } from "../../files/sync-folder.ts";`],
    ["src/agent/demo/a.ts", `import { openFile } from "../../files/open-file.ts";`],
    ["src/drive/a.ts", `import { changeSession } from "../service/change-session.ts";`],
    ["src/server/a.ts", `import { recoverAll } from "../drive/recovery/recover-all.ts";`],
    ["src/integrations/gaia/a.ts", `import { readFile } from "../../files/read-file.ts";`],
    ["src/integrations/claude/a.ts", `import type { Chore } from "../../server/chores/chores.ts";`],
    ["src/integrations/a.ts", `await import("./copilot/mirror-copilot.ts");`],
    ["src/doors/http/a.ts", `import swagger from "@fastify/swagger"; import "node:http";`],
    ["src/doors/cli/a.ts", `await import("./commands/list.ts"); import "../../service/a.ts";`],
    ["src/integrations/copilot/a.ts", `import { DatabaseSync } from "node:sqlite";`],
    [
      "src/main.ts",
      `import { open } from "./store/sqlite/open.ts"; await import(process.argv[2]);`,
    ],
    [
      "web/src/a.tsx",
      `import "react"; import "../../src/contract/ids.ts"; export const b = <b />;`,
    ],
  ])("%s: %s", (file, text) => {
    expect(checkFile(file, text)).toEqual([]);
  });
});
