import { createHash } from "node:crypto";
import { once } from "node:events";
import { constants } from "node:fs";
import { Worker } from "node:worker_threads";
import { seededRandom } from "../crash/seeded-random.ts";
import { type Control, UNSYNCED } from "./controls.ts";
import { Disk, DiskError } from "./disk.ts";
import { drawFault, type Fault } from "./faults.ts";
import type { Note } from "./history.ts";
import type { Answer, Life, Message } from "./this-process.ts";
import { TurnChannel } from "./turn-channel.ts";

const PROCESSES = 3;
const MOST_STEPS = 20_000;
const FOLDER = "/home/belay";
/** Calls after which time runs faster, because nobody asked or got an answer. */
const IDLE_CALLS = 600;

interface Seat {
  readonly channel: TurnChannel;
  life: Life | null;
  heard: Message;
  /** The virtual time at which its call is answered at the earliest. */
  wake: number;
}

export interface World {
  readonly seed: number;
  readonly notes: readonly Note[];
  readonly steps: number;
  /** Of all calls and answers, for a world whose lines are wanted. */
  readonly digest: string;
}

/** Threads that simulate the processes of one world after another. */
export class Threads {
  readonly seats: readonly Seat[];
  readonly #workers: readonly Worker[];

  private constructor(workers: readonly Worker[], channels: readonly TurnChannel[]) {
    this.#workers = workers;
    this.seats = channels.map((channel) => ({
      ...{ channel, life: null, wake: 0 },
      heard: hear(channel),
    }));
  }

  static async start(): Promise<Threads> {
    const channels = Array.from({ length: PROCESSES }, () => new TurnChannel());
    const program = new URL("./process-thread.ts", import.meta.url);
    const workers = channels.map(
      ({ memory }) => new Worker(program, { workerData: { memory }, execArgv: [] }),
    );
    // Afterwards a thread needs nothing from the loop of this one, which it waits for.
    await Promise.all(workers.map((worker) => once(worker, "message")));
    return new Threads(workers, channels);
  }

  async end(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

/** Plays one world: the seed decides everything. */
export function playWorld(
  { seats }: Threads,
  seed: number,
  { onLine, control = "none" }: PlayOptions = {},
): World {
  return new Play(seats, seed, control, onLine).run();
}

export interface PlayOptions {
  readonly onLine?: (line: string) => void;
  /** A store, a disk or a lock that is broken on purpose. */
  readonly control?: Control;
}

class Play {
  readonly #seats: readonly Seat[];
  readonly #seed: number;
  readonly #control: Control;
  readonly #onLine: ((line: string) => void) | undefined;
  readonly #random: (bound: number) => number;
  readonly #disk = new Disk();
  readonly #fault: Fault;
  readonly #notes: Note[] = [];
  readonly #digest = createHash("sha256");
  readonly #alive = new Set<number>();
  readonly #locks = new Map<string, number>();
  #now = 0;
  #steps = 0;
  #idle = 0;
  #pids = 0;
  #rounds: number;

  constructor(
    seats: readonly Seat[],
    seed: number,
    control: Control,
    onLine: ((line: string) => void) | undefined,
  ) {
    this.#control = control;
    this.#disk.isUnsynced = UNSYNCED[control] ?? this.#disk.isUnsynced;
    this.#seats = seats;
    this.#seed = seed;
    this.#onLine = onLine;
    this.#random = seededRandom(seed);
    this.#fault = drawFault(this.#random, seed);
    this.#rounds = this.#fault.rounds;
    this.#disk.mkdir("/home", 0o700);
    this.#disk.sync(this.#disk.open("/", constants.O_DIRECTORY, 0));
  }

  run(): World {
    const name = this.#fault.name;
    this.#say(`fault: ${name}`);
    while (this.#rounds > 0) {
      this.#rounds -= 1;
      for (const seat of this.#seats) this.#start(seat, "work");
      this.#runUntilDone(true);
    }
    this.#say("the judge looks");
    const [seat] = this.#seats;
    if (seat) this.#start(seat, "judge");
    this.#runUntilDone(false);
    const digest = this.#digest.digest("hex");
    return { seed: this.#seed, notes: this.#notes, steps: this.#steps, digest };
  }

  #start(seat: Seat, program: Life["program"]): void {
    this.#pids += 1;
    const pid = this.#pids;
    seat.life = {
      ...{ pid, program, folder: FOLDER, streams: 4, control: this.#control },
      namespace: this.#random(2),
      seed: this.#random(2 ** 30),
      ops: 6 + this.#random(8),
    };
    this.#alive.add(pid);
    this.#say(`process ${pid} starts: ${program}`);
    this.#answer(seat, { kind: "done", now: this.#now, value: seat.life });
  }

  #runUntilDone(withFaults: boolean): void {
    for (;;) {
      const running = this.#seats.filter(({ life }) => life !== null);
      if (running.length === 0) return;
      const due = running.filter(({ wake }) => wake <= this.#now);
      const seat = due[this.#random(due.length)];
      if (!seat) {
        this.#now = Math.min(...running.map(({ wake }) => wake));
        continue;
      }
      this.#steps += 1;
      if (this.#steps > MOST_STEPS) {
        this.#note({ problem: "the world takes too many steps" });
        for (const each of running) this.#kill(each);
        return;
      }
      this.#now += this.#idle > IDLE_CALLS ? 200 : 0.02;
      if (withFaults && this.#strike(seat)) continue;
      this.#serve(seat);
    }
  }

  /** True if the process does not get its answer now. */
  #strike(seat: Seat): boolean {
    const call = seat.heard.kind === "call" ? seat.heard.name : seat.heard.kind;
    const strike = this.#fault.strike({
      call,
      disk: this.#disk,
      random: this.#random,
    });
    if (strike === null) return false;
    this.#note({ fault: strike.kind, what: strike.what, isDuringChange: this.#locks.size > 0 });
    this.#say(`FAULT ${strike.kind} ${strike.what} at ${call} of process ${seat.life?.pid}`);
    if (strike.kind === "kill") {
      this.#kill(seat);
      return true;
    }
    if (strike.kind === "freeze") {
      seat.wake = this.#now + strike.ms;
      return true;
    }
    if (strike.kind !== "cut") return false;
    for (const each of this.#seats) if (each.life) this.#kill(each);
    this.#disk.cut(this.#random);
    return true;
  }

  #kill(seat: Seat): void {
    const { life } = seat;
    if (!life) return;
    this.#forget(life.pid);
    seat.life = null;
    while (seat.heard.kind !== "next") this.#answer(seat, { kind: "killed" });
  }

  #forget(pid: number): void {
    this.#alive.delete(pid);
    this.#disk.closeAll(pid);
    for (const [path, holder] of this.#locks) if (holder === pid) this.#locks.delete(path);
  }

  #serve(seat: Seat): void {
    const { heard, life } = seat;
    if (!life) return;
    if (heard.kind === "next") {
      this.#say(`process ${life.pid} ends`);
      this.#forget(life.pid);
      seat.life = null;
      return;
    }
    if (heard.kind === "note") {
      const [note]: Note[] = [Object(heard.note)];
      if (note) this.#note(note);
    }
    const answer = heard.kind === "call" ? this.#call(life.pid, heard) : this.#done(null);
    this.#trace(life.pid, heard, answer);
    this.#answer(seat, answer);
  }

  #call(pid: number, { name, args }: Extract<Message, { kind: "call" }>): Answer {
    this.#disk.pid = pid;
    this.#disk.now = 1_700_000_000_000 + this.#now;
    this.#idle += 1;
    try {
      return this.#done(this.#ownCall(pid, name, args) ?? this.#diskCall(name, args));
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return { kind: "failed", now: this.#now, code: error.code, what: error.message };
    }
  }

  #ownCall(pid: number, name: string, [first]: readonly unknown[]): unknown {
    const path = String(first);
    if (name === "isAlive") return this.#alive.has(Number(first));
    if (name === "asked") return this.#asked();
    if (name === "lock") {
      if (this.#locks.has(path) && this.#control !== "lock not checked") return false;
      this.#locks.set(path, pid);
      return true;
    }
    if (name === "unlock") {
      if (this.#locks.get(path) === pid) this.#locks.delete(path);
      return true;
    }
    return undefined;
  }

  #diskCall(name: string, args: readonly unknown[]): unknown {
    const call: unknown = Reflect.get(this.#disk, name);
    if (typeof call !== "function") throw new Error(`the disk has no call ${name}`);
    return Reflect.apply(call, this.#disk, args);
  }

  /** The streams and blobs that the clients named. */
  #asked() {
    const streams = new Set<number>();
    const blobs = new Map<string, [number, string]>();
    for (const note of this.#notes) {
      if (!("ask" in note)) continue;
      const { ask } = note;
      if ("stream" in ask) streams.add(ask.stream);
      if ("other" in ask) streams.add(ask.other);
      if (ask.op === "put") blobs.set(`${ask.stream} ${ask.text}`, [ask.stream, ask.text]);
    }
    return { streams: [...streams], blobs: [...blobs.values()] };
  }

  #done(value: unknown): Answer {
    return { kind: "done", now: this.#now, value };
  }

  #answer(seat: Seat, answer: Answer): void {
    seat.channel.answer(answer);
    seat.heard = hear(seat.channel);
    seat.wake = seat.heard.kind === "sleep" ? seat.heard.until : this.#now;
  }

  #note(note: Note): void {
    this.#notes.push(note);
    this.#idle = 0;
  }

  #trace(pid: number, heard: Message, answer: Answer): void {
    if (!this.#onLine) return;
    const line = `${this.#now.toFixed(2)} process ${pid} ${short(heard)} -> ${short(answer)}`;
    this.#digest.update(line);
    this.#say(line);
  }

  #say(line: string): void {
    this.#onLine?.(line);
  }
}

function hear(channel: TurnChannel): Message {
  const [heard]: Message[] = [Object(channel.hear())];
  if (heard) return heard;
  throw new Error("nothing was said");
}

function short(value: unknown): string {
  return JSON.stringify(value, (_, inner) => {
    if (inner?.type === "Buffer") return Buffer.from(inner.data).toString("latin1");
    return inner;
  });
}
