import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Frees buffers that were only passed on. The engine counts them late: 64 MB that pass through in pieces would stay until it
 * has found time. Takes a millisecond or two, so it is called once for a chunk.
 */
export function freePassingBytes(): void {
  collect ??= findCollector();
  collect();
}

let collect: (() => void) | undefined;

function findCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  return typeof gc === "function" ? () => void gc({ type: "minor" }) : () => undefined;
}
