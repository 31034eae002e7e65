import { createService } from "../../src/compose-service.ts";
import type { SessionCommand } from "../../src/contract/commands.ts";
import type { ErrorCode } from "../../src/contract/errors.ts";
import { BelayError, refuse } from "../../src/contract/errors.ts";
import type { LogEvent } from "../../src/contract/session.ts";
import { identifyProcess } from "../../src/process/process-identity.ts";
import { changeSession } from "../../src/service/change-session.ts";
import { findSession } from "../../src/service/read/find-session.ts";
import type { Caller, ServiceContext } from "../../src/service/service-context.ts";
import { acquireLease, releaseLease } from "../../src/store/leases.ts";
import type { Act, Scenario } from "./scenario.ts";

export const CALLER: Caller = {
  owner: "local",
  actor: "program",
  interface: "library",
  trace_id: null,
};

/** A program's access to Belay for one session. Each method resolves when its change is recorded. */
export interface Door {
  readonly session: string;
  /** Everything recorded so far. */
  log(): Promise<readonly LogEvent[]>;
  status(): Promise<string>;
  begin(action: Intent): Promise<number>;
  complete(action_id: string): Promise<number>;
  save(name: string): Promise<number>;
  finish(): Promise<number>;
  write(command: SessionCommand): Promise<number>;
  leave(): Promise<void>;
}

export interface Intent {
  readonly action_id: string;
  readonly act: Act;
  readonly key: string | null;
  readonly turn_id: string | null;
  readonly rollback: readonly { title: string; command: string }[];
}

/** Opens the session, which the first one creates; under its lease, or through the public operations. */
export async function openDoor(
  context: ServiceContext,
  { session: id, mode }: Pick<Scenario, "session" | "mode">,
  onCreated: (version: number) => void,
): Promise<Door> {
  const service = createService(context);
  if (!(await unless("session_not_found", findSession(context, CALLER.owner, id)))) {
    const input = { agent_name: "campaign", session_id: id };
    const created = await unless("session_exists", service.call("create", input, CALLER));
    if (created) onCreated(created.version);
  }
  const { stream } = await findSession(context, CALLER.owner, id);
  const epoch = mode === "held" ? await takeLease(context, stream.id) : undefined;

  const write = async (command: SessionCommand): Promise<number> => {
    const change = { id, epoch, commands: () => [command] };
    return (await changeSession(context, CALLER, change)).stream.seq;
  };
  return {
    session: id,
    write,
    log: async () => (await service.call("log", { id, limit: 1000 }, CALLER)).events,
    status: async () => (await findSession(context, CALLER.owner, id)).head.status,
    begin: async (intent) => {
      const command = intentOf(intent);
      if (epoch !== undefined || intent.turn_id !== null) return write(command);
      const { action_id, details, rollback, effects, idempotent } = command;
      const input = { id, action_id, details, rollback, effects, idempotent };
      const action_key = intent.key ?? undefined;
      const type = intent.act.name;
      return (await service.call("begin_action", { ...input, type, action_key }, CALLER)).version;
    },
    complete: async (action_id) =>
      epoch === undefined
        ? (await service.call("complete_action", { id, action_id }, CALLER)).version
        : write({
            type: "complete_action",
            action_id,
            status: "completed",
            result: "success",
            details: {},
          }),
    save: async (name) => {
      if (epoch !== undefined) {
        return write({ type: "save_checkpoint", checkpoint_id: context.newId(), name, state: {} });
      }
      await service.call("save_checkpoint", { id, name }, CALLER);
      return Number.MAX_SAFE_INTEGER;
    },
    finish: () => write({ type: "finalize", outcome: "completed", summary: null, error: null }),
    leave: async () => {
      if (epoch !== undefined) await releaseLease(context.store, stream.id, epoch);
    },
  };
}

/** Null if exactly this error occurs: another process may work on it too. */
async function unless<T>(code: ErrorCode, asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof BelayError && error.code === code) return null;
    throw error;
  }
}

async function takeLease({ store }: ServiceContext, id: string): Promise<number> {
  const holder = { name: "program", ...identifyProcess(process.pid) };
  const grant = await acquireLease(store, id, holder);
  if (!grant.granted) {
    throw new BelayError(refuse("session_held", `it is held by ${grant.held.holder.name}`));
  }
  return grant.epoch;
}

function intentOf({ action_id, act, key, turn_id, rollback }: Intent) {
  return {
    type: "begin_action",
    action_id,
    turn_id,
    action_type: act.name,
    effects: act.effects,
    idempotent: act.keyed,
    idempotency_key: key,
    detachable: false,
    orphanable: false,
    rollback: [...rollback],
    process: null,
    details: { title: action_id },
  } as const satisfies SessionCommand<"begin_action">;
}
