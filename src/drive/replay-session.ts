import type { SessionCommand } from "../contract/commands.ts";
import { CONTINUE_MESSAGE } from "../contract/continue-message.ts";
import { BelayError, refuse } from "../contract/errors.ts";
import type { Output, Parsed } from "../contract/operations.ts";
import { changeSession } from "../service/change-session.ts";
import { forkSession } from "../service/fork-session.ts";
import { retryOf } from "../service/idempotency.ts";
import { type FoundSession, findSession } from "../service/read/find-session.ts";
import { readConversation } from "../service/read/read-conversation.ts";
import type { Caller, ServiceContext } from "../service/service-context.ts";
import { readRows } from "../store/read-streams.ts";
import { expectAgent } from "./expect-agent.ts";
import { expectDriver } from "./expect-driver.ts";

/** Sends a session's prompts to another agent in a fork. The fork and its first prompts are one change. */
export async function replaySession(
  context: ServiceContext,
  input: Parsed<"replay">,
  caller: Caller,
): Promise<Output<"replay">> {
  const source = await findSession(context, caller.owner, input.id);
  await expectAgent(context, input.agent, source);
  const { prompts, place, next_cursor } = await readPrompts(context, source, input);
  if (prompts.length === 0) {
    const message = `Session ${source.head.session_id} has no prompts to replay after event ${input.after}.`;
    throw new BelayError(refuse("invalid_input", message, { session_id: source.head.session_id }));
  }
  // The messages are not stored if the agent of that session cannot be run.
  if (input.into !== undefined && input.send) {
    await expectDriver(context.agents, await findSession(context, caller.owner, input.into));
  }
  const commands = (input.send ? prompts : []).map(
    (content): SessionCommand => ({
      type: "send_message",
      turn_id: context.newId(),
      content,
      interface: caller.interface,
    }),
  );
  const retry = retryOf("replay", input);
  const fork = { id: source.stream.id, at: place - 1, agent_name: input.agent, commands, retry };
  const { head } =
    input.into === undefined
      ? await forkSession(context, fork, caller)
      : await changeSession(context, caller, { id: input.into, retry, commands: () => commands });
  const { session_id } = head;
  if (input.send) await context.agents?.drive(await findSession(context, caller.owner, session_id));
  return { session_id, of: source.head.session_id, prompts, next_cursor };
}

/** The prompts of people, in order, without the messages with which recovery continued a turn. */
async function readPrompts(
  { store }: ServiceContext,
  { stream: { id } }: FoundSession,
  { after, limit }: Parsed<"replay">,
) {
  const rows = await readRows(store, id, { kind: "turn", limit: after + limit + 1 });
  const page = rows.slice(after, after + limit);
  const last = page.at(-1)?.place ?? 0;
  const { turns } = await readConversation(store, id, {
    before: last + 1,
    limit: page.length || 1,
  });
  const asked = turns.filter(
    ({ input, merged, seq }) =>
      !merged &&
      input !== "" &&
      input !== CONTINUE_MESSAGE &&
      page.some(({ place }) => place === seq),
  );
  return {
    prompts: asked.map(({ input }) => input),
    place: rows[0]?.place ?? 1,
    next_cursor: rows.length > after + limit ? after + limit : null,
  };
}
