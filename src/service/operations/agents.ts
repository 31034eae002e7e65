import { BelayError, refuse } from "../../contract/errors.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { changeSession } from "../change-session.ts";
import type { Caller, ServiceContext } from "../context.ts";
import type { FoundSession } from "../find-session.ts";
import { findSession } from "../find-session.ts";
import { idFor, retryOf } from "../idempotency.ts";
import { showWholeSession } from "../show-session.ts";

/** Operations by which people speak with agents that Belay runs. */
export const agentOperations = {
  async agents(
    { agents }: ServiceContext,
    input: Parsed<"agents">,
    caller: Caller,
  ): Promise<Output<"agents">> {
    const cwd = input.cwd ?? caller.project?.cwd ?? process.cwd();
    return { agents: (await agents?.list(cwd)) ?? [] };
  },

  async send_message(
    context: ServiceContext,
    input: Parsed<"send_message">,
    caller: Caller,
  ): Promise<Output<"send_message">> {
    await expectDriver(context, await findSession(context, caller.owner, input.id));
    const retry = retryOf("send_message", input);
    const turn_id = input.turn_id ?? idFor(context, caller, retry);
    const { message: content, id, expected_version } = input;
    const sent = await changeSession(context, caller, {
      id,
      expected_version,
      retry,
      commands: () => [{ type: "send_message", turn_id, content, interface: caller.interface }],
    });
    await context.agents?.drive(await findSession(context, caller.owner, sent.stream.key));
    return { session_id: sent.stream.key, turn_id, version: sent.stream.seq };
  },

  async interrupt(context: ServiceContext, input: Parsed<"interrupt">, caller: Caller) {
    const changed = await changeSession(context, caller, {
      id: input.id,
      expected_version: input.expected_version,
      retry: retryOf("interrupt", input),
      commands: () => [{ type: "interrupt" }],
    });
    return showWholeSession(context, changed);
  },
};

/** A message that nobody would ever answer is not taken. */
async function expectDriver({ agents }: ServiceContext, found: FoundSession): Promise<void> {
  if (agents) return agents.expectAgent(found);
  if (found.stream.lease?.live) return;
  const { agent_name } = found.head;
  const message = `nobody drives this session, and its agent ${agent_name} cannot be run from here`;
  throw new BelayError(refuse("agent_not_found", message, { agent: agent_name }));
}
