import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createContext, inFolder } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";

const home = mkdtempSync(join(tmpdir(), "belay-same-ids-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it("a person who uses another's session id changes no file of that session in the data folder", async () => {
  const store = openMemoryStore();
  const context = inFolder(home, createContext(store, undefined, home));
  const service = createService(context);
  const as = (owner: string) =>
    ({ owner, actor: owner, interface: "library", trace_id: null }) as const;
  const id = "deploy";
  for (const owner of ["local", "bob", "../b/ob"]) {
    await service.call("create", { agent_name: owner, session_id: id }, as(owner));
    await service.call("save_checkpoint", { id, name: "one", state: { owner } }, as(owner));
  }
  for (const [folder, file] of [
    ["agent-logs", `${id}.log`],
    [join("recovery", id), "CHECKPOINT_1.md"],
  ] as const) {
    mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, folder, file), "local's");
  }
  const readOwn = () => readFileSync(join(home, "agent_sessions", `${id}.json`), "utf8");
  expect(readOwn()).toContain('"agent_name": "local"');
  const own = listFiles();
  for (const owner of ["bob", "../b/ob"]) {
    const [stream] = (await store.list({ kind: "session", owner, filter: {}, limit: 1 })).streams;
    await service.call("delete", { id }, as(owner));
    if (stream) await context.onPurged?.(stream);
  }
  expect(readOwn()).toContain('"agent_name": "local"');
  const left = listFiles();
  expect(left).toHaveLength(4);
  expect(own).toEqual(expect.arrayContaining(left));
  expect(own.length).toBe(8);
});

function listFiles(): string[] {
  return ["agent_sessions", "agent_checkpoints", "agent-logs", join("recovery", "deploy")].flatMap(
    (folder) => readdirSync(join(home, folder)).map((name) => join(folder, name)),
  );
}
