import { resolve } from "node:path";
import { composeAgents } from "./compose-agents.ts";
import { createContext, settleFiles } from "./compose-context.ts";
import { recordsFolder } from "./compose-local.ts";
import { createService } from "./compose-service.ts";
import { deliverWaiting } from "./compose-spool.ts";
import { openStore } from "./compose-store.ts";
import { BelayError, refuse } from "./contract/errors.ts";
import { LOG_START, readLogPlace } from "./contract/event-cursor.ts";
import { FollowInput, LibraryOptions } from "./contract/method-inputs.ts";
import type { OperationName, Output } from "./contract/operations.ts";
import { SessionSuspended } from "./contract/session-suspended.ts";
import type { Durability } from "./contract/vocabulary.ts";
import type { Belay, BelayOptions } from "./doors/library/belay.ts";
import { bindOperations } from "./doors/library/bind-operations.ts";
import { parseObject } from "./service/belay-service.ts";
import { followLog } from "./service/follow/follow-events.ts";
import { defaultOwner, homeFolder } from "./service/home-folder.ts";
import { createMaintenance } from "./service/maintenance.ts";
import { newId } from "./service/new-id.ts";
import { recordSystemFact } from "./service/record-system-fact.ts";
import { sessionFiles } from "./service/session-files.ts";
import type { StoreCare } from "./store/store-care.ts";
import type { StreamStore } from "./store/stream-store.ts";

export type { AddedFile } from "./contract/added-file.ts";
export type { ErrorCode, Refusal } from "./contract/errors.ts";
export type { RunEvent } from "./contract/run-event.ts";
export type {
  AgentStepOutput,
  Belay,
  BelayFiles,
  BelayOptions,
  FollowedEvent,
  RunInput,
} from "./doors/library/belay.ts";
export type * from "./doors/library/operations.ts";
export type { Maintenance, Verification } from "./service/maintenance.ts";
export type { StoredBlob as StoredFile } from "./store/blob-store.ts";
export { BelayError, SessionSuspended };

/**
 * Opens the data folder, or a store of your own. When an awaited call answers, its change is on disk.
 *
 * ```ts
 * await using belay = await openBelay();
 * const session = await belay.sessions.create({ agent_name: "reviewer" });
 * ```
 */
export async function openBelay({ store: given, ...rest }: BelayOptions = {}): Promise<Belay> {
  const options = parseObject(LibraryOptions, rest);
  const folder = options.home === undefined ? homeFolder() : resolve(options.home);
  const store: StreamStore & Partial<StoreCare> =
    given ?? (await openFolder(folder, options.durability));
  const caller = {
    owner: options.owner ?? defaultOwner(),
    actor: options.actor ?? "library",
    interface: options.interface ?? "library",
    trace_id: options.trace_id ?? newId(),
  } as const;
  if (!given) await settleFiles(folder, store);
  const runner = composeAgents(
    folder,
    createContext(store, undefined, given ? null : recordsFolder(folder, store)),
    caller.interface,
    caller.owner,
  );
  const { context } = runner;
  if (!given) {
    const places = { home: folder, cwd: process.cwd(), owner: caller.owner };
    await deliverWaiting(context, places, (text) => process.emitWarning(text));
  }
  const service = createService(context);
  const files = sessionFiles(context);
  const close = async (): Promise<void> => {
    await runner.close();
    await store.close();
  };
  return {
    ...bindOperations(
      <K extends OperationName>(name: K) =>
        (input: unknown = {}): Promise<Output<K>> =>
          service.call(name, input, caller),
    ),
    async *follow(id, after, signal) {
      const from = parseObject(FollowInput, { id, after });
      const place = readLogPlace(from.after) ?? LOG_START;
      yield* followLog(context, caller.owner, from.id, place, signal);
    },
    run: (input) => runner.run(caller, input),
    runAgentStep: (step) => runner.runStep(caller, step),
    suspendAll: () => runner.suspendAll(caller, "shutdown"),
    files: {
      add: (file, source) => files.add(caller, file, source),
      read: (file) => files.read(caller, file),
      drop: (file) => files.drop(caller, file),
    },
    maintenance: createMaintenance(store, (fact) =>
      recordSystemFact(context, caller, fact, newId()),
    ),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function openFolder(
  home: string,
  durability: Durability | undefined,
): Promise<StreamStore & Partial<StoreCare>> {
  refuseOldNode();
  return openStore({ home, durability, onNotice: (text) => process.emitWarning(text) });
}

/** Older versions fail on loading SQLite with an unhelpful message. */
function refuseOldNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 24 || (major === 24 && minor >= 15)) return;
  const message = `The library needs Node 24.15 or newer; this is ${process.version}. Run the script with the included Node: npx node SCRIPT`;
  throw new BelayError(refuse("storage_unsupported", message, { node: process.version }));
}
