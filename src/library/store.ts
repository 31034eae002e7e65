/** `belay-sessions/store`: the port that every store implements, and the store in memory. */
export type { Refusal } from "../contract/errors.ts";
export { BelayError, refuse } from "../contract/errors.ts";
export type * from "../contract/stream.ts";
export type { MemoryBacking } from "../store/memory/memory-backing.ts";
export { createBacking } from "../store/memory/memory-backing.ts";
export { openMemoryStore } from "../store/memory/memory-store.ts";
export type * from "../store/store-care.ts";
export type * from "../store/stream-store.ts";
export { LIST_FILTERS, MAX_INDEXED_BYTES } from "../store/stream-store.ts";
