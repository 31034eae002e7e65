import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLab, type HookLab, RECORDINGS, readPayloads } from "./hook-lab.ts";

type Payload = Record<string, unknown>;

const PATIENT_MS = 120_000;

const OURS = new Set([
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "Stop",
  "SessionEnd",
]);
const all = RECORDINGS.flatMap((name) => readPayloads(name)).filter(({ hook_event_name }) =>
  OURS.has(String(hook_event_name)),
);
const begins = ({ hook_event_name, tool_name }: Payload) =>
  hook_event_name !== "PreToolUse" && tool_name === undefined;

describe("missing, repeated and late events", () => {
  it(
    "in order, with gaps and repetitions, each agent has one correct session",
    async () => {
      const arbitrary = fc.array(fc.nat({ max: 3 }), {
        minLength: all.length,
        maxLength: all.length,
      });
      await fc.assert(
        fc.asyncProperty(arbitrary, async (times) => {
          const sent = all.flatMap((payload, at) => Array(times[at] ?? 1).fill(payload));
          await inLab(async (lab) => {
            for (const payload of sent) await lab.hook("claude-code", payload);
            await expectOneSessionEach(lab, sent);
            await expectWholeTurns(lab, sent);
          });
        }),
        { numRuns: 8, seed: 20260108 },
      );
    },
    PATIENT_MS,
  );

  it(
    "in any order, no turn is doubled and no word lost",
    async () => {
      const arbitrary = fc.shuffledSubarray([...all, ...all], { minLength: 1 });
      await fc.assert(
        fc.asyncProperty(arbitrary, async (sent) => {
          await inLab(async (lab) => {
            for (const payload of sent) await lab.hook("claude-code", payload);
            await expectOneSessionEach(lab, sent);
          });
        }),
        { numRuns: 8, seed: 20260109 },
      );
    },
    PATIENT_MS,
  );

  it(
    "all at once",
    async () => {
      const arbitrary = fc.shuffledSubarray([...all, ...all], { minLength: all.length });
      await fc.assert(
        fc.asyncProperty(arbitrary, async (sent) => {
          await inLab(async (lab) => {
            await Promise.all(sent.map((payload) => lab.hook("claude-code", payload)));
            // A sighting that was blocked waits in the spool for the next hook.
            await lab.hook("pre-delegate", { agent_name: "nobody" });
            expect(lab.spooled()).toEqual([]);
            await expectOneSessionEach(lab, sent);
          });
        }),
        { numRuns: 4, seed: 20260110 },
      );
    },
    PATIENT_MS,
  );
});

async function inLab(work: (lab: HookLab) => Promise<void>): Promise<void> {
  const lab = createLab();
  try {
    await work(lab);
  } finally {
    lab.clean();
  }
}

async function expectOneSessionEach(lab: HookLab, sent: readonly Payload[]): Promise<void> {
  const expected = new Set(
    sent.filter(begins).map(({ agent_id, session_id }) => String(agent_id ?? session_id)),
  );
  const sessions = await lab.sessions();
  expect(sessions.map(({ session_id }) => session_id).sort()).toEqual([...expected].sort());
  for (const head of sessions) {
    const events = await lab.log(head.session_id);
    const begun = events
      .filter(({ type }) => type === "turn.started" || type === "turn.recorded")
      .map(({ data }) => Object(data).turn_id);
    expect(new Set(begun).size).toBe(begun.length);
    expect(["created", "active", "completed"]).toContain(head.status);
    // A title repeats the first line of a prompt.
    const text = JSON.stringify(events.filter(({ type }) => type !== "session.renamed"));
    expect(text).not.toContain("<task-notification>");
    for (const word of wordsOf(head.session_id, sent)) {
      expect(text.split(JSON.stringify(word)).length - 1).toBe(1);
    }
  }
}

/** All texts of a session, each once. */
function wordsOf(session: string, sent: readonly Payload[]): Set<string> {
  const own = sent.filter(({ agent_id, session_id }) => (agent_id ?? session_id) === session);
  const said = own.flatMap(({ prompt, last_assistant_message }) => [
    prompt,
    last_assistant_message,
  ]);
  return new Set(
    said.flatMap((text) =>
      typeof text === "string" && !text.startsWith("<task-notification>") ? [text] : [],
    ),
  );
}

/** A prompt and its answer that both arrived in order are one turn. */
async function expectWholeTurns(lab: HookLab, sent: readonly Payload[]): Promise<void> {
  const prompts = sent.filter(
    ({ hook_event_name, prompt }) =>
      hook_event_name === "UserPromptSubmit" && !String(prompt).startsWith("<task-notification>"),
  );
  for (const { session_id, prompt_id, prompt } of prompts) {
    const stop = sent.find(
      (other) =>
        other.hook_event_name === "Stop" &&
        other.session_id === session_id &&
        other.prompt_id === prompt_id,
    );
    const { turns } = await lab.call("turns", { id: String(session_id) });
    const turn = turns.find(({ turn_id }) => turn_id === prompt_id);
    expect(turn).toMatchObject({ input: prompt });
    if (stop) {
      expect(turn).toMatchObject({ status: "completed", output: stop.last_assistant_message });
    }
  }
}
