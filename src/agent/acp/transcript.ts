import type { Secrets } from "./secrets.ts";

const FRAMES_KEPT = 200;
const LONGEST_FRAME = 2048;
const LONGEST_IN_ALL = 128 * 1024;

/** The last frames between Belay and an agent, for diagnosis: limited in size, and without secrets. */
export class Transcript {
  readonly #secrets: Secrets;
  #frames: string[] = [];
  #size = 0;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** `bytes` may be a huge line, so only the stored part is decoded. */
  add(direction: "->" | "<-" | "??", bytes: Buffer): void {
    const start = bytes.toString("utf8", 0, LONGEST_FRAME + this.#secrets.longest);
    const text = this.#secrets.hide(start).slice(0, LONGEST_FRAME);
    const cut = bytes.length > LONGEST_FRAME ? `… (${bytes.length} bytes)` : "";
    const frame = `${direction} ${text}${cut}`;
    this.#frames.push(frame);
    this.#size += frame.length;
    while (this.#frames.length > FRAMES_KEPT || this.#size > LONGEST_IN_ALL) {
      this.#size -= this.#frames.shift()?.length ?? 0;
    }
  }

  note(text: string): void {
    this.add("??", Buffer.from(text));
  }

  read(said: string): string[] {
    const lines = said === "" ? [] : this.#secrets.hide(said).split("\n");
    return [...this.#frames, ...lines.map((line) => `stderr: ${line}`)];
  }
}
