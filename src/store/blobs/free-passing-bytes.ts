/**
 * Frees buffers that were only passed through. The engine collects them late, so 64 MB in pieces
 * would pile up in memory. It takes a millisecond or two, so it runs once per chunk.
 */
export function freePassingBytes(): void {
  collect ??= findCollector();
  collect();
}

let collect: (() => void) | undefined;

function findCollector(): () => void {
  process.getBuiltinModule("node:v8").setFlagsFromString("--expose-gc");
  const gc: unknown = process.getBuiltinModule("node:vm").runInNewContext("gc");
  return typeof gc === "function" ? () => void gc({ type: "minor" }) : () => undefined;
}
