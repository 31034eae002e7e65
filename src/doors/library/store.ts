/** `belay-sessions/store`: the port that every store implements, the rules that all stores share, and the store in memory. */
export type { Refusal } from "../../contract/errors.ts";
export { BelayError, refuse } from "../../contract/errors.ts";
export type * from "../../contract/stream.ts";
export { SESSION_LISTING } from "../../contract/stream.ts";
export type { CheckedAppend, CheckedPatch, DecisionGround } from "../../store/append-rules.ts";
export {
  changeVerdict,
  checkAppends,
  refuseReusedKey,
  runDecision,
} from "../../store/append-rules.ts";
export type * from "../../store/blob-store.ts";
export type { Content } from "../../store/content.ts";
export { bytesIn, toContent } from "../../store/content.ts";
export type { LeaseClock, LeaseState } from "../../store/lease-rules.ts";
export { decideLease, describeLease } from "../../store/lease-rules.ts";
export { listBands } from "../../store/list-bands.ts";
export {
  checkDeclaration,
  checkFilter,
  filterNames,
  matchesFilter,
} from "../../store/list-rules.ts";
export type { MemoryBacking } from "../../store/memory/memory-backing.ts";
export { createBacking } from "../../store/memory/memory-backing.ts";
export { openMemoryStore } from "../../store/memory/memory-store.ts";
export { mergeRows } from "../../store/merge-rows.ts";
export type * from "../../store/node-registry.ts";
export { countWithin, invalidCursor, readPosition } from "../../store/page-rules.ts";
export * from "../../store/read-streams.ts";
export type * from "../../store/store-care.ts";
export type * from "../../store/stream-store.ts";
export { MAX_INDEXED_BYTES } from "../../store/stream-store.ts";
export type { ChangedStreams } from "../../store/stream-watchers.ts";
export { StreamWatchers } from "../../store/stream-watchers.ts";
