import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
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
  /**
   * Whose clock leases are held by. The suite hands its own to the store, as `now`, unless the store has one that it cannot
   * be handed, such as that of a database. Then holders die by time, the suite gives a short `leaseMs` in the claims about
   * time, and waits for it.
   */
  readonly clock?: "suite" | "store";
  readonly skip?: readonly Skip[];
}

export interface Place {
  readonly folder: string;
  readonly isAlive: CheckHolder;
  readonly now?: () => number;
  /** For how long a lease is held without a sign of its holder; the store's own choice, unless given. */
  readonly leaseMs?: number;
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
  /** The clock of leases, as far as the suite can turn it. */
  time(): LeaseTime;
  it(claim: string, test: (scene: Scene) => Promise<void>): void;
  /** For a test that needs more places than its own. */
  inScene(test: (scene: Scene) => Promise<void>): Promise<void>;
}

interface Mortals {
  /** What a store is opened with that sees them. */
  readonly place: Pick<Place, "isAlive" | "now" | "leaseMs">;
  /** That holder; with time, every holder that does not renew its lease from now on. */
  die(name: string): Promise<void>;
}

interface LeaseTime {
  /** What a store is opened with that has this clock. */
  readonly place: Pick<Place, "now" | "leaseMs">;
  /** The longest step that is surely shorter than a lease of this many milliseconds. */
  within(leaseMs: number): number;
  pass(ms: number): Promise<void>;
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
    mortals: () => {
      if (store.clock === "store") return mortalByTime(realTime());
      return store.holders === "time" ? mortalByTime(turnedTime()) : mortalByProcess();
    },
    time: store.clock === "store" ? realTime : turnedTime,
    it: (title, test) => claims.push({ title, run: () => inScene(store, test) }),
    inScene: (test) => inScene(store, test),
  });
  return claims;
}

function mortalByProcess(): Mortals {
  const dead = new Set<string>();
  const die = async (name: string) => void dead.add(name);
  return { place: { isAlive: ({ name }) => !dead.has(name), now: () => 1000 }, die };
}

/** Longer than any lease is held without a sign of its holder. */
const A_DAY = 24 * 60 * 60 * 1000;

function mortalByTime({ place, pass }: LeaseTime): Mortals {
  const { leaseMs = A_DAY } = place;
  return { place: { ...place, isAlive: () => null }, die: () => pass(leaseMs) };
}

function turnedTime(): LeaseTime {
  let now = 1000;
  const pass = async (ms: number) => {
    now += ms;
  };
  return { place: { now: () => now }, within: (leaseMs) => leaseMs - 1, pass };
}

/** Long enough for a busy machine to ask twice while a lease is held, short enough to wait for. */
const SHORT_LEASE_MS = 800;

function realTime(): LeaseTime {
  const within = (leaseMs: number) => leaseMs * 0.6;
  // A timer may be early by a fraction of a millisecond.
  return { place: { leaseMs: SHORT_LEASE_MS }, within, pass: (ms) => setTimeout(ms + 1) };
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
