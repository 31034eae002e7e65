import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ListingDeclaration, SESSION_LISTING } from "../../contract/stream.ts";
import type { CheckHolder, StreamStore } from "../stream-store.ts";

export interface StoreUnderTest {
  readonly name: string;
  /** Opens a handle on the store in this folder. Handles on one folder are to each other what processes are. */
  readonly open: (place: Place) => StreamStore | Promise<StreamStore>;
  /** A program that hands a store on the folder in its first argument to `writeUntilKilled`, where the data outlives a process. */
  readonly durable: false | { readonly writer: URL };
  /** The store that this one must behave like. */
  readonly reference: (options: Pick<Place, "isAlive" | "now">) => StreamStore;
  /** How it sees that a holder is dead: by its process, or by the time since it renewed its lease. By its process, unless said. */
  readonly holders?: "process" | "time";
  readonly skip?: readonly Skip[];
}

export interface Place {
  readonly folder: string;
  readonly isAlive: CheckHolder;
  readonly now?: () => number;
  /** What its streams are listed by. Most claims declare the fields of sessions, some their own. */
  readonly listing: ListingDeclaration;
}

export interface Skip {
  readonly reason: string;
  /** As `guarantee > claim`, or `guarantee` for all of its claims. */
  readonly tests: readonly string[];
}

/** One file of this folder: registers the claims that hold a store to one guarantee of the port. */
export type Guarantee = (suite: Suite) => void;

export interface Suite extends Pick<StoreUnderTest, "durable" | "reference"> {
  /** People who can die, in the way that this store sees. */
  mortals(): Mortals;
  it(claim: string, test: (scene: Scene) => Promise<void>): void;
  /** For a test that needs more places than its own. */
  inScene(test: (scene: Scene) => Promise<void>): Promise<void>;
}

interface Mortals extends Required<Pick<Place, "isAlive" | "now">> {
  /** That holder; with time, whoever does not renew a lease from now on. */
  die(name: string): void;
}

/** An empty place of its own for each test. */
export interface Scene {
  readonly folder: string;
  /** Another handle on this place, closed after the test at the latest. */
  open(place?: Partial<Omit<Place, "folder">>): Promise<StreamStore>;
  close(store: StreamStore): Promise<void>;
}

interface Claim {
  readonly title: string;
  run(): Promise<void>;
}

export function collectClaims(store: StoreUnderTest, guarantee: Guarantee): Claim[] {
  const claims: Claim[] = [];
  const { durable, reference } = store;
  guarantee({
    durable,
    reference,
    mortals: () => (store.holders === "time" ? mortalByTime() : mortalByProcess()),
    it: (title, test) => claims.push({ title, run: () => inScene(store, test) }),
    inScene: (test) => inScene(store, test),
  });
  return claims;
}

function mortalByProcess(): Mortals {
  const dead = new Set<string>();
  const die = (name: string) => void dead.add(name);
  return { isAlive: ({ name }) => !dead.has(name), now: () => 1000, die };
}

/** Longer than any lease is held without a sign of its holder. */
const A_DAY = 24 * 60 * 60 * 1000;

function mortalByTime(): Mortals {
  let now = 1000;
  const die = () => {
    now += A_DAY;
  };
  return { isAlive: () => null, now: () => now, die };
}

async function inScene(
  store: StoreUnderTest,
  test: (scene: Scene) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "belay-conformance-"));
  const handles = new Set<StreamStore>();
  try {
    await test({
      folder,
      open: async (place = {}) => {
        const listing = SESSION_LISTING;
        const handle = await store.open({ folder, isAlive: () => true, listing, ...place });
        handles.add(handle);
        return handle;
      },
      close: async (handle) => {
        handles.delete(handle);
        await handle.close();
      },
    });
  } finally {
    for (const handle of handles) await handle.close();
    await rm(folder, { recursive: true, force: true });
  }
}
