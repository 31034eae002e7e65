import { chooseLocal, findLocal } from "./compose-local.ts";
import { BelayError, refuse } from "./contract/errors.ts";
import { findEncryptionMark } from "./files/encryption-mark.ts";
import { makeFolder } from "./files/make-folder.ts";
import type { HookDeps } from "./integrations/claude/hooks/hook-deps.ts";
import { checkProcess } from "./process/process-identity.ts";
import { hasKeySource, readStoreAddress } from "./service/read-store-address.ts";
import type { ContentLimits } from "./store/append-rules.ts";
import { codedStore } from "./store/codec/coded-store.ts";
import { zstdCodec } from "./store/codec/zstd-codec.ts";
import { openSqliteReader } from "./store/sqlite/open-sqlite-reader.ts";
import type { StreamStore } from "./store/stream-store.ts";

/** Opens the data folder for a hook that reads or writes it. Most hooks that only record do neither. */
export async function composeHookStore({
  home,
  busyMs,
  readOnly,
}: Parameters<HookDeps["openStore"]>[0]): Promise<StreamStore> {
  if (readStoreAddress(process.env) !== undefined) throw new BelayError(notFromHooks());
  const options = { folder: home, isAlive: checkProcess, busyMs };
  const isThere = findLocal(home) !== null;
  if (readOnly && !isThere) {
    throw new BelayError(refuse("storage_missing", `No Belay data in ${home}.`));
  }
  if (chooseLocal(home) === "files") {
    const { openSealed } = await import("./compose-sealed.ts");
    const { openFilesStore } = await import("./store/files/open-files-store.ts");
    const store = await openSealed(home, process.env, (limits) =>
      openFilesStore({ ...options, limits }),
    );
    return codedStore(store, zstdCodec(Number.POSITIVE_INFINITY));
  }
  const mark = findEncryptionMark(home);
  const mayBeSealed = mark !== null || hasKeySource(process.env);
  const reader = readOnly && !mayBeSealed ? await openReader(options) : null;
  if (reader) return codedStore(reader, zstdCodec());
  const { openSealed } = await import("./compose-sealed.ts");
  const { openSqliteStore } = await import("./store/sqlite/open-sqlite-store.ts");
  const open = (limits?: ContentLimits) => {
    makeFolder(home);
    return openSqliteStore({ ...options, limits });
  };
  const store = await openSealed(home, process.env, open, mark);
  return codedStore(store, zstdCodec());
}

/** Null for a database of an older version, which must be opened for writing once. */
async function openReader(
  options: Parameters<typeof openSqliteReader>[0],
): Promise<StreamStore | null> {
  try {
    return await openSqliteReader(options);
  } catch (error) {
    if (error instanceof BelayError && error.code === "storage_read_only") return null;
    throw error;
  }
}

function notFromHooks() {
  const message =
    "Hooks write into PostgreSQL through a server on this machine. Start one: belay serve";
  return refuse("storage_unsupported", message);
}
