import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { ListingDeclaration } from "../../contract/stream.ts";
import { FileSeal } from "../../files/file-seal.ts";
import { RING_ENTRY, RING_OWNER } from "../is-sealed.ts";
import type { Append, NamedPlace, StreamStore } from "../stream-store.ts";
import { IndexHashes } from "./index-hashes.ts";
import {
  type DataEntry,
  entryRef,
  type KeyEntry,
  type OwnerEntry,
  readEntry,
  type StoreEntry,
  toEntryAppend,
  unwrapKey,
  wrapKey,
} from "./key-entry.ts";
import type { LoadMasterKeys, MasterKey } from "./master-key.ts";
import { Recent } from "./recent.ts";

/** The decrypted key of one stream. */
export interface DataKey extends Omit<DataEntry, "is" | "wrapped"> {
  /** Sixteen hexadecimal digits. */
  readonly id: string;
  readonly secret: KeyObject;
}

interface RingOptions {
  readonly load: LoadMasterKeys;
  readonly declared: ListingDeclaration;
  readonly now?: () => number;
}

export interface FoundEntry<T extends KeyEntry> {
  readonly id: string;
  readonly key: string;
  readonly entry: T;
}

const KEPT_KEYS = 4096;

/**
 * The keys of an encrypted store, as entries in the store itself. A master key from outside wraps one key for each
 * owner; an owner's key wraps one key for each stream. Here, opening a key means decrypting it.
 */
export class KeyRing {
  readonly hashes: IndexHashes;
  readonly fileSeal: FileSeal;
  /** For messages between the processes that have the key. */
  readonly messageSecret: Uint8Array;
  readonly #store: StreamStore;
  readonly #options: RingOptions;
  readonly #owners = new Map<string, KeyObject>();
  readonly #data = new Recent<DataKey>(KEPT_KEYS);
  #masters: readonly MasterKey[];
  /** The ring's own entry, and the master key that wraps it. */
  #own: OpenedEntry;

  private constructor(
    store: StreamStore,
    options: RingOptions,
    masters: readonly MasterKey[],
    own: OpenedEntry,
  ) {
    this.#store = store;
    this.#options = options;
    this.#masters = masters;
    this.#own = own;
    const root = own.secret.export();
    this.hashes = new IndexHashes(root);
    const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", root, "", purpose, 32));
    this.fileSeal = new FileSeal(derive("belay file seal"));
    this.messageSecret = derive("belay message secret");
  }

  /** Opens the ring in a store. Throws `encryption_key_wrong` if none of the caller's master keys opens it. */
  static async open(store: StreamStore, options: RingOptions): Promise<KeyRing> {
    const masters = await options.load();
    const found = await findStoreEntry(store, masters);
    return new KeyRing(store, options, masters, found);
  }

  /** Creates a ring in an empty store. */
  static async create(store: StreamStore, options: RingOptions): Promise<KeyRing> {
    const masters = await options.load();
    const { declared, now = Date.now } = options;
    const [master] = masters;
    if (!master) throw keyWrong();
    const purpose = { is: "store", master: master.fingerprint } as const;
    const entry = { ...purpose, wrapped: wrapKey(master.secret, purpose, randomBytes(32)) };
    await addEntry(
      store,
      [],
      toEntryAppend(`${RING_ENTRY}.1`, entry, [RING_ENTRY], now(), declared),
    );
    return KeyRing.open(store, options);
  }

  get declared(): ListingDeclaration {
    return this.#options.declared;
  }

  /**
   * The fingerprint of the master key that wraps the ring. A new key is not used before a rotation, so that someone who
   * removes it again loses nothing.
   */
  get master(): string {
    return this.#own.master.fingerprint;
  }

  find(id: string): DataKey | undefined {
    return this.#data.get(id);
  }

  owner(owner: string): KeyObject | undefined {
    return this.#owners.get(owner);
  }

  forget(id: string): void {
    this.#data.delete(id);
  }

  /**
   * Opens the keys of streams and of the streams that they continue, so that `find` returns them. Ids that are not in
   * the ring are ignored.
   */
  async load(ids: Iterable<string>): Promise<void> {
    let wanted = this.unopened(ids);
    while (wanted.length > 0) {
      const parts = await this.#store.read(wanted.map((id) => ({ ref: entryRef(id) })));
      const bases: string[] = [];
      for (const [n, id] of wanted.entries()) {
        const entry = readEntry(parts[n]?.stream.head);
        if (entry?.is !== "data") continue;
        const by = this.#owners.get(entry.owner) ?? (await this.#findOwner(entry.owner));
        if (!by) continue;
        this.#keep(id, entry, unwrapKey(by, entry));
        if (entry.base) bases.push(entry.base.key);
      }
      wanted = bases.length > 0 ? this.unopened(bases) : bases;
    }
  }

  /** The keys to open next, so that `find` returns these and all that they continue. */
  unopened(ids: Iterable<string>): string[] {
    const unopened = new Set<string>();
    for (let next of ids) {
      let key = this.find(next);
      while (key?.base) {
        next = key.base.key;
        key = this.find(next);
      }
      if (!key) unopened.add(next);
    }
    return [...unopened];
  }

  /** Opens the keys of owners, and creates missing ones. */
  async ensureOwners(owners: Iterable<string>): Promise<void> {
    for (const owner of owners) {
      if (this.#owners.has(owner) || (await this.#findOwner(owner))) continue;
      await this.#addOwner(owner);
    }
  }

  /** A new key for a stream, and the append that puts it into the ring. Its owner's key must be open. */
  newDataKey(
    id: string,
    { writer, owner, base }: Omit<DataEntry, "is" | "wrapped">,
    at: number,
  ): { readonly key: DataKey; readonly append: Append } {
    const by = this.#owners.get(owner);
    if (!by) throw new Error("the key of an owner was not opened");
    const bytes = randomBytes(32);
    const purpose = { is: "data", writer, owner, base } as const;
    const entry = { ...purpose, wrapped: wrapKey(by, purpose, bytes) };
    const names = base ? [childOf(base.key)] : [];
    const append = toEntryAppend(id, entry, names, at, this.#options.declared);
    return { key: this.#keep(id, entry, createSecretKey(bytes)), append };
  }

  #keep(id: string, { writer, owner, base }: DataEntry, secret: KeyObject): DataKey {
    const key = { id, writer, owner, base, secret };
    this.#data.set(id, key);
    return key;
  }

  async #findOwner(owner: string): Promise<KeyObject | undefined> {
    const entries = await findNamed<OwnerEntry>(this.#store, ownerName(owner), "owner");
    if (entries.length === 0) return undefined;
    for (const masters of [async () => this.#masters, () => this.#reload()]) {
      const opened = openFirst(entries, await masters());
      if (!opened) continue;
      this.#owners.set(owner, opened.secret);
      return opened.secret;
    }
    throw keyWrong();
  }

  /**
   * The key is added only if the ring itself still has the same master key, because another process may have changed
   * it.
   */
  async #addOwner(owner: string): Promise<void> {
    const { declared, now = Date.now } = this.#options;
    const { id, master } = this.#own;
    const purpose = { is: "owner", owner, master: master.fingerprint } as const;
    const entry = { ...purpose, wrapped: wrapKey(master.secret, purpose, randomBytes(32)) };
    const key = `owner.${this.hashes.name("", owner)}.1`;
    const append = toEntryAppend(key, entry, [ownerName(owner), OWNERS], now(), declared);
    const isCurrent = await addEntry(this.#store, [id], append);
    if (!isCurrent) {
      this.#own = await findStoreEntry(this.#store, await this.#reload());
      return this.#addOwner(owner);
    }
    if (!(await this.#findOwner(owner))) throw keyWrong();
  }

  async #reload(): Promise<readonly MasterKey[]> {
    this.#masters = await this.#options.load();
    return this.#masters;
  }
}

/** The name under which the entries of all owners are found. */
export const OWNERS = "owners";

export function ownerName(owner: string): string {
  return `owner:${owner}`;
}

/** The name under which the keys of forks are found. */
export function childOf(key: string): string {
  return `child:${key}`;
}

/** False if one of `present` no longer exists. An existing entry stays as it is. */
export async function addEntry(
  store: StreamStore,
  present: readonly string[],
  append: Append,
): Promise<boolean> {
  let isPresent = true;
  await store
    .transact({
      streams: [...present.map((id) => ({ id })), entryRef(append.create?.key ?? "")],
      decide: ({ streams }) => {
        isPresent = streams.slice(0, -1).every((stream) => stream !== undefined);
        return { appends: isPresent && !streams.at(-1) ? [append] : [] };
      },
    })
    .catch((error: unknown) => {
      // Another process was faster, or the entry was replaced meanwhile.
      if (error instanceof BelayError && TAKEN.has(error.code)) return;
      throw error;
    });
  return isPresent;
}

const TAKEN: ReadonlySet<string> = new Set(["session_exists", "session_deleted"]);

async function findNamed<T extends KeyEntry>(
  store: StreamStore,
  name: string,
  is: T["is"],
): Promise<FoundEntry<T>[]> {
  return findEntries<T>(store, await store.findByName(RING_OWNER, name, { limit: 9 }), is);
}

export async function findEntries<T extends KeyEntry>(
  store: StreamStore,
  places: readonly NamedPlace[],
  is: T["is"],
): Promise<FoundEntry<T>[]> {
  const parts = await store.read(places.map(({ id }) => ({ ref: { id } })));
  const found: FoundEntry<T>[] = [];
  for (const part of parts) {
    const entry = part && readEntry(part.stream.head);
    if (part && entry && isEntry<T>(entry, is)) {
      found.push({ id: part.stream.id, key: part.stream.key, entry });
    }
  }
  return found;
}

function isEntry<T extends KeyEntry>(entry: KeyEntry, is: T["is"]): entry is T {
  return entry.is === is;
}

async function findStoreEntry(
  store: StreamStore,
  masters: readonly MasterKey[],
): Promise<OpenedEntry> {
  const entries = await findNamed<StoreEntry>(store, RING_ENTRY, "store");
  const opened = openFirst(entries, masters);
  if (!opened) throw keyWrong();
  return opened;
}

interface OpenedEntry {
  readonly id: string;
  readonly secret: KeyObject;
  readonly master: MasterKey;
}

/** The newest entry that one of these keys has wrapped. */
function openFirst<T extends StoreEntry | OwnerEntry>(
  entries: readonly FoundEntry<T>[],
  masters: readonly MasterKey[],
): OpenedEntry | undefined {
  for (const { id, entry } of entries.toReversed()) {
    const master = masters.find(({ fingerprint }) => fingerprint === entry.master);
    if (master) return { id, secret: unwrapKey(master.secret, entry), master };
  }
  return undefined;
}

export function keyWrong(): BelayError {
  const message =
    "This data was encrypted with another key. Set BELAY_KEY_FILE or BELAY_KEY_COMMAND so that Belay gets that key.";
  return new BelayError(refuse("encryption_key_wrong", message));
}
