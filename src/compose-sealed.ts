import { BelayError, refuse } from "./contract/errors.ts";
import { SESSION_LISTING } from "./contract/stream.ts";
import {
  type EncryptionMark,
  findEncryptionMark,
  readEncryptionMark,
  writeEncryptionMark,
} from "./files/encryption-mark.ts";
import { errorCode, FileRefusal } from "./files/file-refusal.ts";
import { makeFolder } from "./files/make-folder.ts";
import { hasKeySource, readStoreAddress } from "./service/read-store-address.ts";
import { type ContentLimits, SEALED_LIMITS } from "./store/append-rules.ts";
import { isSealed } from "./store/is-sealed.ts";
import type { LoadMasterKeys } from "./store/sealed/master-key.ts";
import type { StoreCare } from "./store/store-care.ts";
import type { StreamStore } from "./store/stream-store.ts";

export type OpenedStore = StreamStore & Partial<StoreCare>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens a store, with encryption if the environment has a key. An empty store is then encrypted from its first event
 * on. With a wrong or missing key, nothing is opened or created.
 */
export async function openSealed(
  home: string,
  env: Environment,
  open: (limits?: ContentLimits) => Promise<OpenedStore>,
  mark: EncryptionMark | null = expectMark(home, findEncryptionMark),
): Promise<OpenedStore> {
  if (!hasKeySource(env)) {
    if (mark) throw keyMissing(home);
    const store = await open();
    if (!(await isSealed(store))) return untilSealed(store, home);
    await store.close();
    throw keyMissing(home);
  }
  const { findKeySource, refuseKeyInside } = await import("./compose-keys.ts");
  const source = findKeySource(env);
  const masters = await source();
  refuseKeyInside(home, env.BELAY_KEY_FILE);
  // On PostgreSQL another node may have rotated the key, so only the database knows which key it has.
  const isOwn = readStoreAddress(env) === undefined;
  if (isOwn && mark && masters.every(({ fingerprint }) => fingerprint !== mark.master)) {
    throw (await import("./store/sealed/key-ring.ts")).keyWrong();
  }
  const store = await open(SEALED_LIMITS);
  try {
    return await seal(store, home, source);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The mark of a data folder, by one of the functions that read it. */
export function expectMark(
  home: string,
  read: (home: string) => EncryptionMark | null,
): EncryptionMark | null {
  try {
    return read(home);
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error;
    throw new BelayError(refuse("storage_damaged", error.message), error);
  }
}

/**
 * A store without data may be encrypted by another process at any time. From then on this process, which has no key, must
 * write nothing. Once the store has data, other processes refuse to encrypt it while this one uses it.
 */
function untilSealed(store: OpenedStore, home: string): OpenedStore {
  let hasData = false;
  return {
    ...store,
    async transact(transaction) {
      if (!hasData && (await isSealed(store))) throw keyMissing(home);
      const outcome = await store.transact(transaction);
      hasData ||= outcome.kind === "committed" && outcome.streams.length > 0;
      return outcome;
    },
  };
}

async function seal(store: OpenedStore, home: string, load: LoadMasterKeys): Promise<OpenedStore> {
  const { KeyRing } = await import("./store/sealed/key-ring.ts");
  const { sealedStore } = await import("./store/sealed/sealed-store.ts");
  const options = { load, declared: SESSION_LISTING };
  const isThere = await isSealed(store);
  if (!isThere && !(await isEmpty(store))) throw notEncrypted(home);
  const ring = await (isThere ? KeyRing.open(store, options) : KeyRing.create(store, options));
  markFolder(home, ring.master, ring.fileSeal.publicKey);
  return sealedStore(store, ring, SESSION_LISTING);
}

/** For processes without the key: their hooks must not leave readable text either. */
export function markFolder(home: string, master: string, seal_for: string): void {
  const known = readEncryptionMark(home);
  if (known?.master === master && known.seal_for === seal_for) return;
  try {
    makeFolder(home);
    writeEncryptionMark(home, { master, seal_for });
  } catch (error) {
    // If the folder is read-only, hooks cannot leave events there.
    if (!READ_ONLY.has(errorCode(error) ?? "")) throw error;
  }
}

const READ_ONLY: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM"]);

async function isEmpty(store: StreamStore): Promise<boolean> {
  return (await store.readFeed({ after: "", limit: 1 })).events.length === 0;
}

export function keyMissing(home: string): BelayError {
  const message = `The data of ${home} is encrypted. Set BELAY_KEY_FILE to the file with its key, or BELAY_KEY_COMMAND to a command that prints it.`;
  return new BelayError(refuse("encryption_key_missing", message, { home }));
}

function notEncrypted(home: string): BelayError {
  const message = `An encryption key is set, but the data of ${home} is not encrypted. Run: belay encrypt enable, or unset the key.`;
  return new BelayError(refuse("encryption_key_wrong", message, { home }));
}
