import { readRedactionMark } from "./files/redaction-mark.ts";
import { runHookCommand } from "./integrations/claude/hooks/run-hook-command.ts";
import type { StoredRedaction } from "./redaction/stored-redaction.ts";
import { defaultOwner, homeFolder } from "./service/home-folder.ts";
import { newId } from "./service/new-id.ts";

/**
 * `belay hook NAME`: the composition root of hooks. They run on every delegation of an agent, so they have a bundle of
 * their own without anything they do not need.
 */
export async function runHookProcess(args: readonly string[]): Promise<never> {
  const home = homeFolder();
  const code = await runHookCommand(args, {
    home,
    ...(isRedacted(home) && { redaction: loadRedaction }),
    owner: defaultOwner(),
    now: Date.now,
    newId,
    async onChanged(store, changed) {
      const { writeMirrors } = await import("./integrations/write-mirrors.ts");
      const { recordsFolder } = await import("./compose-local.ts");
      const failures: string[] = [];
      const records = recordsFolder(home, store);
      await writeMirrors(store, changed, (text) => failures.push(text), records);
      const { noteMirrors } = await import("./compose-spool.ts");
      await noteMirrors(home, store);
      if (failures.length > 0) throw new Error(failures.join(" "));
    },
    mayEventsWait: async () => (await import("./compose-spool.ts")).mayEventsWait(home),
    cwd: workingFolder(),
    env: process.env,
    openStore: async (options) => (await import("./compose-hooks.ts")).composeHookStore(options),
  });
  // Exits at once, because work that has passed its deadline may still be running.
  process.exit(code);
}

/** True too if permissions hide the setting. */
function isRedacted(home: string): boolean {
  try {
    return readRedactionMark(home);
  } catch {
    return true;
  }
}

async function loadRedaction(): Promise<StoredRedaction> {
  const { openStoredRedaction } = await import("./redaction/stored-redaction.ts");
  return openStoredRedaction(process.env);
}

/** A removed folder has no name, and an agent may still run in it. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return "/nonexistent";
  }
}
