import type { Interface } from "../contract/vocabulary.ts";
import type { StreamStore } from "../store/stream-store.ts";

/** What the service is made of; time and ids come from outside, so that tests can say what they are. */
export interface ServiceContext {
  readonly store: StreamStore;
  now(): number;
  newId(): string;
}

/** In whose name an operation is called. Every id is resolved within `owner`. */
export interface Caller {
  readonly owner: string;
  readonly actor: string;
  readonly interface: Interface;
  readonly trace_id: string | null;
}
