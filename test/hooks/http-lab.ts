import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answerHookRequest } from "../../src/integrations/claude/hooks/answer-hook-request.ts";
import { writeMirrors } from "../../src/integrations/write-mirrors.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller, ServiceContext } from "../../src/service/service-context.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { createLab, START } from "./hook-lab.ts";

export type HttpLab = Awaited<ReturnType<typeof createHttpLab>>;

/** A server's part of hooks: its open store, its own folder, and a user's project elsewhere. */
export async function createHttpLab(owner = "local") {
  const lab = createLab({ owner });
  const project = mkdtempSync(join(tmpdir(), "belay-hooked-"));
  mkdirSync(lab.home, { recursive: true });
  const store = await openSqliteStore({ folder: lab.home, isAlive: () => false });
  let later = 0;
  const failures: string[] = [];
  const context: ServiceContext = {
    store,
    now: () => START + later,
    newId,
    onChanged: (changed) => writeMirrors(store, changed, () => {}),
  };
  const caller: Caller = { owner, actor: "token:test", interface: "api", trace_id: "t-1" };
  return {
    ...lab,
    store,
    context,
    caller,
    /** The working folder that an agent reports. */
    project,
    failed: failures,
    wait: (ms: number) => {
      later += ms;
      lab.wait(ms);
    },
    post: (payload: unknown, over: Partial<ServiceContext> = {}, by = caller) =>
      answerHookRequest(typeof payload === "string" ? payload : JSON.stringify(payload), by, {
        context: { ...context, ...over },
        home: lab.home,
        cwd: lab.cwd,
        env: {},
        noteFailure: (hook, problem) => void failures.push(`${hook}: ${problem}`),
      }),
    /** All files in the project and in the server's own folder. */
    written: () => [...list(project), ...list(lab.cwd)],
    async end() {
      await store.close().catch(() => undefined);
      rmSync(project, { recursive: true, force: true });
      lab.clean();
    },
  };
}

function list(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" });
}
