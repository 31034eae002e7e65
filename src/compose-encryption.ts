import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { findKeySource, keyFile } from "./compose-keys.ts";
import { findLocal } from "./compose-local.ts";
import { expectMark, keyMissing, markFolder } from "./compose-sealed.ts";
import { hasStore, openPlainStore, openStore } from "./compose-store.ts";
import { BelayError, refuse } from "./contract/errors.ts";
import { SESSION_LISTING } from "./contract/stream.ts";
import { IMPORT_TOOLS } from "./contract/vocabulary.ts";
import type { EncryptionAccess, EncryptionStatus } from "./doors/cli/program.ts";
import { readEncryptionMark } from "./files/encryption-mark.ts";
import { isSealed as isSealedText } from "./files/file-seal.ts";
import { withLock } from "./files/lock.ts";
import { replaceFile } from "./files/replace-file.ts";
import { listRejected, listSpool } from "./integrations/claude/spool.ts";
import { secretsFile } from "./server/webhooks/webhook-secrets.ts";
import { createMaintenance } from "./service/maintenance.ts";
import { findMirrors } from "./service/read/find-mirrors.ts";
import { hasKeySource, readStoreAddress } from "./service/read-store-address.ts";
import { SEALED_LIMITS } from "./store/append-rules.ts";
import type { PrepareSealer } from "./store/content-sealer.ts";
import { isSealed } from "./store/is-sealed.ts";
import { sweepKeys } from "./store/sealed/destroy-keys.ts";
import { KeyRing } from "./store/sealed/key-ring.ts";
import { prepareCopy } from "./store/sealed/prepare-copy.ts";
import { countOwners, rotateKeys } from "./store/sealed/rotate-keys.ts";
import { sealedStore } from "./store/sealed/sealed-store.ts";
import { partialCopy, sealFolder } from "./store/sqlite/care/seal-folder.ts";
import type { StreamStore } from "./store/stream-store.ts";

/** `belay encrypt`: shows how the data is encrypted, and changes the master key. */
export function composeEncryption(
  home: string,
  onNotice: (text: string) => void,
): EncryptionAccess {
  const open = () => openPlainStore({ home, onNotice }, SEALED_LIMITS);
  return {
    async status() {
      const mark = expectMark(home, readEncryptionMark);
      const readable = await findReadable();
      const source = sourceOf(process.env);
      const none: EncryptionStatus = {
        encrypted: mark !== null,
        key_from: source,
        master_key: mark?.master ?? null,
        owners: 0,
        kept_for_forks: 0,
        readable,
        plain: recordedFiles(home),
      };
      if (!(await hasStore(home)) || !hasKeySource(process.env)) return none;
      return withStore(open, async (store) => {
        if (!(await isSealed(store))) return { ...none, encrypted: false };
        const ring = await openRing(store);
        const owners = [...(await countOwners(store)).values()].reduce((sum, n) => sum + n, 0);
        const kept_for_forks = await sweepKeys(store, ring, Date.now());
        const mirrors = await findMirrors(sealedStore(store, ring, SESSION_LISTING));
        const plain = [...none.plain, ...mirrors.map((folder) => ({ what: "mirrors", folder }))];
        return { ...none, encrypted: true, master_key: ring.master, owners, kept_for_forks, plain };
      });
    },

    verifyWithoutKey: () =>
      withStore(open, (store) => createMaintenance(store).verify(undefined, { without_key: true })),

    async enable({ plain_mirrors }) {
      if (!hasKeySource(process.env)) throw keyFirst();
      const load = findKeySource(process.env);
      const [master] = await load();
      if (await hasStore(home)) {
        const isHere = readStoreAddress(process.env) === undefined;
        const isSealedNow = await withStore(open, async (store) => {
          if (!(await isSealed(store))) {
            if (isHere && findLocal(home) === "files") throw filesInPlace();
            await refuseMirrors(store, plain_mirrors);
            return false;
          }
          // The process that encrypted it may have been killed before it removed all plain files.
          if (findPlain(home).length === 0) throw isEncrypted(home);
          return true;
        });
        if (!isSealedNow) {
          refuseSpool(home);
          await sealStore(home, master?.fingerprint ?? "", (store, writers) =>
            prepareCopy(store, { load, declared: SESSION_LISTING }, writers, Date.now()),
          );
        }
      }
      // Opening the store marks the folder, and proves that the key is right.
      await withStore(
        () => openStore({ home, onNotice }),
        async ({ fileSeal }) => sealSecrets(home, fileSeal),
      );
      const removed = PLAIN_FOLDERS.filter((name) => existsSync(join(home, name)));
      for (const name of removed) rmSync(join(home, name), { recursive: true });
      rmSync(partialCopy(home), { recursive: true, force: true });
      const left = recordedFiles(home).map(() => WORK_TREES);
      return { encrypted: true, removed, left };
    },

    async rotate() {
      if (!(await hasStore(home))) throw nothingEncrypted(home);
      return withStore(open, async (store) => {
        if (!(await isSealed(store))) throw nothingEncrypted(home);
        if (!hasKeySource(process.env)) throw keyMissing(home);
        return withKeyFile(async () => {
          await addMasterKey(store);
          const masters = await findKeySource(process.env)();
          const now = Date.now();
          const wrapped = await rotateKeys(store, { masters, declared: SESSION_LISTING, now });
          const ring = await openRing(store);
          markFolder(home, ring.master, ring.fileSeal.publicKey);
          dropOldKeys();
          return { wrapped, master_key: ring.master };
        });
      });
    },
  };
}

/** Files that checkpoints have recorded. Belay does not encrypt them, and does not remove them either. */
const WORK_TREES = "work-trees";
function recordedFiles(home: string): EncryptionStatus["plain"] {
  const folder = join(home, WORK_TREES);
  return existsSync(folder) ? [{ what: "recorded files", folder }] : [];
}

/** The plain text in these folders is not needed, or is written again. */
const PLAIN_FOLDERS = ["agent-logs", "recovery", "demo-agent"];

/** Replaces the data with an encrypted copy. */
async function sealStore(home: string, master: string, prepare: PrepareSealer): Promise<void> {
  const url = readStoreAddress(process.env);
  if (url === undefined) return sealFolder(home, master, prepare);
  const { sealDatabase } = await import("./store/postgres/care/seal-database.ts");
  await sealDatabase(url, master, prepare);
}

/** Files and folders that an encrypted data folder must not have. */
function findPlain(home: string): string[] {
  const secrets = secretsFile(home);
  const hasSecrets = existsSync(secrets) && !isSealedText(readFileSync(secrets, "utf8"));
  return [
    ...[...PLAIN_FOLDERS.map((name) => join(home, name)), partialCopy(home)].filter(existsSync),
    ...(hasSecrets ? [secrets] : []),
  ];
}

async function refuseMirrors(store: StreamStore, plain_mirrors: boolean): Promise<void> {
  if (plain_mirrors) return;
  const [found] = await findMirrors(store);
  if (found !== undefined) throw keepsMirrors(found);
}

/** The spool files are plain text, and only an unencrypted store accepts them. */
function refuseSpool(home: string): void {
  const places = { home, cwd: home };
  const waiting = listSpool(places).length;
  const [rejected] = listRejected(places);
  if (waiting === 0 && rejected === undefined) return;
  const message =
    rejected === undefined
      ? "Some events of hooks are not stored yet. Run any command to store them, such as belay list; then run: belay encrypt enable"
      : `An event of a hook was rejected and is in plain text. Check ${rejected}, remove it, and run this again.`;
  throw new BelayError(refuse("store_busy", message));
}

function sealSecrets(home: string, seal: StreamStore["fileSeal"]): void {
  const file = secretsFile(home);
  const text = existsSync(file) ? readFileSync(file, "utf8") : null;
  if (text !== null && seal && !isSealedText(text)) replaceFile(file, seal.seal(text));
}

function openRing(store: StreamStore): Promise<KeyRing> {
  return KeyRing.open(store, { load: findKeySource(process.env), declared: SESSION_LISTING });
}

async function withStore<T>(
  open: () => Promise<StreamStore>,
  work: (store: StreamStore) => Promise<T>,
): Promise<T> {
  const store = await open();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Two rotations at once would each remove the key with which the other one has just wrapped keys. */
async function withKeyFile<T>(work: () => Promise<T>): Promise<T> {
  const { BELAY_KEY_FILE: file } = process.env;
  if (file === undefined || !existsSync(file)) return work();
  const done = await withLock(`${keyFile(file)}.lock`, async () => ({ result: await work() }));
  if (done === null) throw keyInUse(file);
  return done.result;
}

/** Puts a new key before the old one, unless an interrupted rotation has done that; then that key is used. */
async function addMasterKey(store: StreamStore): Promise<void> {
  const masters = await findKeySource(process.env)();
  await openRing(store);
  if (masters.length > 1) return;
  if (process.env.BELAY_KEY_FILE === undefined) throw newKeyFirst();
  const file = keyFile(process.env.BELAY_KEY_FILE);
  const old = readFileSync(file, "utf8").trim();
  replaceFile(file, `${randomBytes(32).toString("hex")}\n${old}\n`, { mode: "kept" });
}

/** Called when the old keys wrap nothing any more. */
function dropOldKeys(): void {
  if (process.env.BELAY_KEY_FILE === undefined) return;
  const file = keyFile(process.env.BELAY_KEY_FILE);
  const [first = ""] = readFileSync(file, "utf8").trim().split(/\s+/);
  replaceFile(file, `${first}\n`, { mode: "kept" });
}

function sourceOf(env: NodeJS.ProcessEnv): EncryptionStatus["key_from"] {
  if (env.BELAY_KEY_FILE !== undefined) return "BELAY_KEY_FILE";
  return env.BELAY_KEY_COMMAND === undefined ? null : "BELAY_KEY_COMMAND";
}

/** Folders outside of Belay's data in which agents store conversations. */
async function findReadable(): Promise<EncryptionStatus["readable"]> {
  const { IMPORTERS } = await import("./integrations/importers.ts");
  return IMPORT_TOOLS.flatMap((tool) => {
    const folder = IMPORTERS[tool].home(process.env, homedir());
    return existsSync(folder) ? [{ tool, folder }] : [];
  });
}

function keyFirst(): BelayError {
  const message =
    "No encryption key is set. Set BELAY_KEY_FILE to a file with 64 hexadecimal digits: openssl rand -hex 32";
  return new BelayError(refuse("encryption_key_missing", message));
}

function filesInPlace(): BelayError {
  const message =
    "A store in files that has data cannot be encrypted. Start with an empty folder and the key.";
  return new BelayError(refuse("storage_unsupported", message));
}

function isEncrypted(home: string): BelayError {
  const message = `The data of ${home} is already encrypted. Change the key with: belay encrypt rotate`;
  return new BelayError(refuse("storage_unsupported", message, { home }));
}

function keepsMirrors(workspace: string): BelayError {
  const message = `The workspace ${workspace} has mirrors, which are not encrypted. To keep them as they are, run: belay encrypt enable --plain-mirrors`;
  return new BelayError(refuse("not_allowed", message, { workspace }));
}

function nothingEncrypted(home: string): BelayError {
  const message = `The data of ${home} is not encrypted, so there is no key to change.`;
  return new BelayError(refuse("storage_unsupported", message, { home }));
}

function keyInUse(file: string): BelayError {
  const message = `Another process is changing the encryption key file ${file}. Wait until it has finished, then run: belay encrypt rotate`;
  return new BelayError(refuse("store_busy", message, { file }));
}

function newKeyFirst(): BelayError {
  const message =
    "BELAY_KEY_COMMAND prints one key. Let it print the new key on the first line and the old one on the second, run this again, and then remove the old one.";
  return new BelayError(refuse("encryption_key_missing", message));
}
