import { thisProcess } from "../this-process.ts";

/* `node:crypto` for simulated processes: only the random part differs. */

export { createHash, hash } from "node:crypto";

export function randomBytes(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => thisProcess.random(256)));
}
