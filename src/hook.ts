import { chooseLocal, findLocal, recordsFolder } from "./compose-local.ts";
import { BelayError, refuse } from "./contract/errors.ts";
import { findEncryptionMark } from "./files/encryption-mark.ts";
import { makeFolder } from "./files/make-folder.ts";
import { readRedactionMark } from "./files/redaction-mark.ts";
import { runHookCommand } from "./integrations/claude/hooks/run-hook-command.ts";
import { checkProcess } from "./process/process-identity.ts";
import { defaultOwner, homeFolder } from "./service/home-folder.ts";
import { newId } from "./service/new-id.ts";
import { hasKeySource, readStoreAddress } from "./service/read-store-address.ts";
import type { ContentLimits } from "./store/append-rules.ts";
import { codedStore } from "./store/codec/coded-store.ts";
import { zstdCodec } from "./store/codec/zstd-codec.ts";
import { openSqliteReader } from "./store/sqlite/open-sqlite-reader.ts";

/**
 * `belay hook NAME`: the composition root of hooks. They run on every delegation of an agent, so they have a bundle of
 * their own without anything they do not need.
 */
export async function runHookProcess(args: readonly string[]): Promise<never> {
  const home = homeFolder();
  const code = await runHookCommand(args, {
    home,
    spoolsOnly: readRedactionMark(home),
    owner: defaultOwner(),
    now: Date.now,
    newId,
    async onChanged(store, changed) {
      const { writeMirrors } = await import("./integrations/write-mirrors.ts");
      const failures: string[] = [];
      await writeMirrors(
        store,
        changed,
        (text) => failures.push(text),
        recordsFolder(homeFolder(), store),
      );
      if (failures.length > 0) throw new Error(failures.join(" "));
    },
    cwd: workingFolder(),
    env: process.env,
    async openStore({ home, busyMs, readOnly }) {
      if (readStoreAddress(process.env) !== undefined) throw new BelayError(notFromHooks());
      const options = { folder: home, isAlive: checkProcess, busyMs };
      const isThere = findLocal(home) !== null;
      if (readOnly && !isThere) {
        throw new BelayError(refuse("storage_missing", `No Belay data in ${home}.`));
      }
      const { openSealed } = await import("./compose-sealed.ts");
      if (chooseLocal(home) === "files") {
        const { openFilesStore } = await import("./store/files/open-files-store.ts");
        const { lockParty } = await import("./service/mirror-lock.ts");
        const store = await openSealed(home, process.env, (limits) =>
          openFilesStore({ ...options, party: lockParty, limits }),
        );
        return codedStore(store, zstdCodec(Number.POSITIVE_INFINITY));
      }
      const mark = findEncryptionMark(home);
      const mayBeSealed = mark !== null || hasKeySource(process.env);
      if (readOnly && !mayBeSealed) return codedStore(await openSqliteReader(options), zstdCodec());
      const { openSqliteStore } = await import("./store/sqlite/open-sqlite-store.ts");
      const open = (limits?: ContentLimits) => {
        makeFolder(home);
        return openSqliteStore({ ...options, limits });
      };
      const store = await openSealed(home, process.env, open, mark);
      return codedStore(store, zstdCodec());
    },
  });
  // Exits at once, because work that has passed its deadline may still be running.
  process.exit(code);
}

function notFromHooks() {
  const message =
    "Hooks write into PostgreSQL through a server on this machine. Start one: belay serve";
  return refuse("storage_unsupported", message);
}

/** A removed folder has no name, and an agent may still run in it. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return "/nonexistent";
  }
}
