import { keepMirrors, type MirrorListener } from "./integrations/keep-mirrors.ts";
import type { ServiceContext } from "./service/context.ts";
import { newId } from "./service/new-id.ts";
import type { StreamStore } from "./store/stream-store.ts";

/** The service's surroundings in real life: this machine's clock, and mirrors where workspaces asked for them. */
export function createContext(
  store: StreamStore,
  onMirrorFailure: MirrorListener = (text) => process.emitWarning(text),
): ServiceContext {
  return {
    store,
    now: Date.now,
    newId,
    onChanged: (changed) => keepMirrors(store, changed, onMirrorFailure),
  };
}
