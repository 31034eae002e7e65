import { expect, it } from "vitest";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn } from "./session-in.ts";
import { driving, perform, play, playAs } from "./session-log.ts";

const message = (turn_id: string) => ({ ...EXAMPLE.send_message, turn_id }) as const;
const turn = { type: "start_turn", turn_id: "one", content: null, agent: "demo" } as const;

it("an interrupt withdraws messages that no agent has started to answer", () => {
  const log = play(sessionIn("active"), [message("one"), message("two"), EXAMPLE.interrupt]);
  expect(log.head.queue).toEqual([]);
  expect(log.head.interrupt_requested).toBe(false);
  const ended = log.events.filter(({ type }) => type === "turn.ended");
  expect(ended.map(({ data }) => data)).toMatchObject([
    { turn_id: "one", outcome: "cancelled" },
    { turn_id: "two", outcome: "cancelled" },
  ]);
  expect(perform(log, EXAMPLE.interrupt)).toMatchObject({ error: "nothing_to_interrupt" });
});

it("an interrupt of a running turn leaves the messages behind it", () => {
  const agent = sessionIn("active").head.agent_name;
  const log = play(sessionIn("active"), [message("one"), message("two")]);
  const running = playAs(log, [{ ...turn, agent }, EXAMPLE.interrupt], driving());
  expect(running.head.queue).toMatchObject([{ id: "two" }]);
  expect(running.head.interrupt_requested).toBe(true);
});

it("a driver cannot start the turn of a message that was withdrawn meanwhile", () => {
  const log = play(sessionIn("active"), [message("one"), EXAMPLE.interrupt]);
  const agent = log.head.agent_name;
  expect(perform(log, { ...turn, agent }, driving())).toMatchObject({ error: "turn_not_found" });
});
