import { boundText } from "./bound-text.ts";
import { readUserChunk } from "./translate-update.ts";

const LONGEST_IN_ALL = 16 * 1024 * 1024;

/** Collects the user's messages from an agent's replay of an old session. */
export class Replay {
  /** The number of updates. */
  heard = 0;
  #prompts: string[] = [];
  #size = 0;
  #message: string | null = null;
  #isOpen = false;

  add(update: unknown): void {
    this.heard += 1;
    const chunk = readUserChunk(update);
    if (!chunk) {
      this.#isOpen = false;
      return;
    }
    const text = boundText(chunk.text, LONGEST_IN_ALL);
    // Chunks belong together unless their message ids differ, or something else came in between.
    if (this.#isOpen && chunk.message === this.#message) {
      this.#prompts.push((this.#prompts.pop() ?? "") + text);
    } else {
      this.#prompts.push(text);
    }
    this.#isOpen = true;
    this.#message = chunk.message;
    this.#size += text.length;
    while (this.#size > LONGEST_IN_ALL && this.#prompts.length > 1) {
      this.#size -= this.#prompts.shift()?.length ?? 0;
    }
  }

  prompts(): readonly string[] {
    return [...this.#prompts];
  }
}
