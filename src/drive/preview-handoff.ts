import { BelayError } from "../contract/errors.ts";
import { AgentMemory } from "../contract/events.ts";
import type { Output, Parsed } from "../contract/operations.ts";
import { isRefusal } from "../core/session/decision.ts";
import { runCommands } from "../core/session/run-commands.ts";
import { originOf } from "../service/change-session.ts";
import { findSession } from "../service/read/find-session.ts";
import { showWholeSession } from "../service/read/show-session.ts";
import type { Caller, ServiceContext } from "../service/service-context.ts";
import { readRows } from "../store/read-streams.ts";
import { expectAgent } from "./expect-agent.ts";
import { briefAgent } from "./run/brief-agent.ts";

/**
 * The text that an agent would get if the session were handed to it now. Refuses everything that the handoff would
 * refuse.
 */
export async function previewHandoff(
  context: ServiceContext,
  { id, to }: Parsed<"handoff">,
  caller: Caller,
): Promise<Output<"handoff">> {
  const { store } = context;
  const found = await findSession(context, caller.owner, id);
  const { stream, head } = found;
  if (to !== head.agent_name) await expectAgent(context, to, found);
  const rows = await readRows(store, stream.id, { kind: "agent", key: to });
  const known = AgentMemory.nullable().parse(rows.at(-1)?.data ?? null);
  const now = context.now();
  const after = runCommands(
    [{ type: "handoff", to, known }],
    { head, seq: stream.seq },
    { now, lease: null, epoch: null },
    { at: now, ...originOf(caller) },
  );
  if (after && isRefusal(after)) throw new BelayError(after);
  const then = after?.head ?? head;
  const way = then.agent?.session_id ? "load" : "replay";
  const reopened = { way, clean: true, replayed: null, setbacks: [] } as const;
  const told = await briefAgent(store, stream.id, then, "", reopened);
  return { ...(await showWholeSession(context, found)), turn_id: null, told };
}
