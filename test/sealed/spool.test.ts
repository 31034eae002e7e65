import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/compose-store.ts";
import { BelayError, refuse } from "../../src/contract/errors.ts";
import { deliverSpool } from "../../src/integrations/claude/deliver-spool.ts";
import { startDeadline } from "../../src/integrations/claude/hooks/deadline.ts";
import type { HookDeps } from "../../src/integrations/claude/hooks/hook-deps.ts";
import { runHook } from "../../src/integrations/claude/hooks/run-hook.ts";
import { openSecrets } from "../../src/server/webhooks/webhook-secrets.ts";
import { newId } from "../../src/service/new-id.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { withKey } from "./with-key.ts";

const CANARY = "canary of a hook";
const SESSION = "402e7a18-1d9b-4983-815e-734ca53fd8fa";
const open = (home: string) => openStore({ home, onNotice: () => {} });

it("encrypts events of hooks in the spool until they are delivered", async () => {
  expect(await spool()).toEqual({ isReadable: true, delivered: true });
  expect(await withKey(spool)).toEqual({ isReadable: false, delivered: true });
});

it("encrypts the secrets of webhooks", async () => {
  expect(await keepSecret()).toEqual({ isReadable: true, secret: CANARY });
  expect(await withKey(keepSecret)).toEqual({ isReadable: false, secret: CANARY });
});

async function spool() {
  const [home, cwd] = [temporaryFolder(), temporaryFolder()];
  await (await open(home)).close();
  const deps: HookDeps = {
    home,
    owner: "local",
    cwd,
    env: {},
    now: Date.now,
    newId,
    onChanged: async () => {},
    openStore: async () => {
      throw new BelayError(refuse("store_busy", "Another process writes."));
    },
  };
  const hook = (hook_event_name: string, fields: object = {}) => {
    const payload = { session_id: SESSION, cwd, hook_event_name, ...fields };
    return runHook("claude-code", JSON.stringify(payload), deps, startDeadline(0, 20_000));
  };
  await hook("SessionStart");
  await hook("UserPromptSubmit", { prompt: CANARY });
  const files = readdirSync(join(home, "spool")).map((name) => join(home, "spool", name));
  expect(files.length).toBeGreaterThan(0);
  const isReadable = files.some((file) => readFileSync(file, "utf8").includes(CANARY));
  const store = await open(home);
  await deliverSpool({ store, now: Date.now, newId }, { home, cwd, owner: "local" });
  const { events } = await store.readFeed({ after: "", limit: 100 });
  await store.close();
  expect(readdirSync(join(home, "spool"))).toEqual([]);
  return { isReadable, delivered: JSON.stringify(events).includes(CANARY) };
}

async function keepSecret() {
  const home = temporaryFolder();
  const store = await open(home);
  const secrets = openSecrets(home, store.fileSeal);
  await secrets.store("hook", CANARY);
  await store.close();
  const text = readFileSync(join(home, "webhook-secrets.json"), "utf8");
  return { isReadable: text.includes(CANARY), secret: secrets.read("hook") };
}
