import type { StreamStore } from "../store/stream-store.ts";
import type { ServiceContext } from "./context.ts";
import { keepMirrors } from "./keep-mirrors.ts";
import { newId } from "./new-id.ts";

/** The service's surroundings in real life: this machine's clock, and mirrors where workspaces asked for them. */
export function createContext(store: StreamStore): ServiceContext {
  return {
    store,
    now: Date.now,
    newId,
    onChanged: (changed) => keepMirrors(store, changed),
  };
}
