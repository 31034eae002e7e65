import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { makeFolder } from "./make-folder.ts";
import { syncFolder } from "./sync-folder.ts";

/** A folder that gets its name only when it is complete. Until then it is filled under another name. */
export class NewFolder {
  readonly #target: string;
  readonly #refuse: (path: string) => Error;
  readonly partial: string;

  /** Throws what `refuse` returns if the name exists. */
  constructor(path: string, refuse: (path: string) => Error) {
    this.#target = resolve(path);
    this.#refuse = refuse;
    this.#expectFree();
    makeFolder(dirname(this.#target));
    this.partial = mkdtempSync(`${this.#target}.partial-`);
    chmodSync(this.partial, 0o700);
  }

  finish(): void {
    this.#expectFree();
    renameSync(this.partial, this.#target);
    syncFolder(dirname(this.#target));
  }

  remove(): void {
    rmSync(this.partial, { recursive: true, force: true });
  }

  #expectFree(): void {
    if (existsSync(this.#target)) throw this.#refuse(this.#target);
  }
}
