import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type ListingDeclaration, SESSION_LISTING } from "../../contract/stream.ts";
import type { CheckHolder, StreamStore } from "../stream-store.ts";

export interface StoreUnderTest {
  readonly name: string;
  /** Opens a handle on the store in this folder. Several handles on one folder behave like several processes. */
  readonly open: (place: StoreSettings) => StreamStore | Promise<StreamStore>;
  /**
   * A program that passes a store on the folder in its first argument to `writeUntilKilled`, if the data outlives a
   * process.
   */
  readonly durable: false | { readonly writer: URL };
  /** The store that this one must behave like. */
  readonly reference: (options: Pick<StoreSettings, "isAlive" | "now">) => StreamStore;
  /** How it detects a dead holder: by its process (the default), or by the time since its last renewal. */
  readonly holders?: "process" | "time";
  /**
   * The clock of leases. The suite passes its own to the store as `now`, unless the store has one that cannot be
   * replaced, such as a database's. Then holders die by time, and the suite uses a short `leaseMs` in the claims about
   * time and waits for it.
   */
  readonly clock?: "suite" | "store";
  /** How many random sequences of operations are compared with the reference; 50 if not given. */
  readonly runs?: number;
  /** Alters the stored bytes of all blobs in this folder behind the store's back; needed for the claim about them. */
  readonly alterBlobs?: AlterBlobs;
  readonly skip?: readonly Skip[];
}

/** Changes a byte of each blob, or exchanges the whole contents of two, with everything that is stored with them. */
export type AlterBlobs = (
  folder: string,
  how: "change a byte" | "exchange two",
) => void | Promise<void>;

export interface StoreSettings {
  readonly folder: string;
  readonly isAlive: CheckHolder;
  readonly now?: () => number;
  /** How long a lease lasts without renewal; the store's own default if not given. */
  readonly leaseMs?: number;
  /** The fields that its streams are listed by. Most claims declare the session fields, some their own. */
  readonly listing: ListingDeclaration;
}

export interface Skip {
  readonly reason: string;
  /** `guarantee > claim`, or `guarantee` for all its claims. */
  readonly tests: readonly string[];
}

/** One file of this folder: registers the claims for one guarantee of the port. */
export type Guarantee = (suite: Suite) => void;

export interface Suite extends Pick<StoreUnderTest, "durable" | "reference" | "alterBlobs"> {
  readonly runs: number;
  /** Holders that can die in the way that this store detects. */
  mortals(): Mortals;
  /** The clock of leases, as far as the suite controls it. */
  time(): LeaseTime;
  it(claim: string, test: (scene: Scene) => Promise<void>): void;
  /** For a test that needs more than one scene. */
  inScene(test: (scene: Scene) => Promise<void>): Promise<void>;
}

interface Mortals {
  /** The options for opening a store that detects them. */
  readonly place: Pick<StoreSettings, "isAlive" | "now" | "leaseMs">;
  /** Ends that holder; with time, every holder that does not renew its lease from now on. */
  die(name: string): Promise<void>;
}

interface LeaseTime {
  /** The options for opening a store with this clock. */
  readonly place: Pick<StoreSettings, "now" | "leaseMs">;
  /** The longest step that is certainly shorter than a lease of this many milliseconds. */
  within(leaseMs: number): number;
  pass(ms: number): Promise<void>;
}

/** An empty place for each test. */
export interface Scene {
  readonly folder: string;
  /** Another handle on this place, closed at the end of the test at the latest. */
  open(place?: Partial<Omit<StoreSettings, "folder">>): Promise<StreamStore>;
  close(store: StreamStore): Promise<void>;
}

interface Claim {
  readonly title: string;
  run(): Promise<void>;
}

export function collectClaims(store: StoreUnderTest, guarantee: Guarantee): Claim[] {
  const claims: Claim[] = [];
  const { durable, reference, alterBlobs, runs = 50 } = store;
  guarantee({
    durable,
    reference,
    ...(alterBlobs && { alterBlobs }),
    runs,
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

/** Longer than any lease lasts without renewal. */
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

/** Long enough for a busy machine to ask twice during a lease, short enough to wait for. */
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
