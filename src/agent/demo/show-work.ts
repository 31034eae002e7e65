import { readdirSync } from "node:fs";
import { basename } from "node:path";
import type { PlanEntry } from "@agentclientprotocol/sdk/unstable";
import { answerMessage } from "./answer-message.ts";
import { promptsOf } from "./demo-session.ts";
import type { Remembered } from "./remembered.ts";
import { useTool } from "./tool-call.ts";
import type { Turn } from "./turn.ts";

const MOST_NAMES = 10;

/** The answer to a plain message, with everything that an agent shows: a thought, a plan, reading files. */
export async function showWork(
  turn: Turn,
  message: string,
  before: readonly Remembered[],
): Promise<void> {
  const place = basename(turn.session.cwd) || turn.session.cwd;
  const steps = ["Read your message", `Look around in ${place}`, "Answer you"];
  await turn.think("A message. I will look at what is here, then answer.");
  await showPlan(turn, steps, 0);
  await showPlan(turn, steps, 1);
  const seen = await lookAround(turn, place);
  await showPlan(turn, steps, 2);
  await turn.say(`${answerMessage(message, before)}\n\n${seen}`);
  if (promptsOf(before).length === 0) await turn.say(INTRODUCTION);
  await showPlan(turn, steps, steps.length);
}

/** Steps before `current` are done. */
export async function showPlan(
  turn: Turn,
  steps: readonly string[],
  current: number,
): Promise<void> {
  const entries = steps.map((content, at): PlanEntry => {
    const status = at < current ? "completed" : at === current ? "in_progress" : "pending";
    return { content, priority: "medium", status };
  });
  await turn.send({ sessionUpdate: "plan", entries });
}

async function lookAround(turn: Turn, place: string): Promise<string> {
  const { cwd } = turn.session;
  const use = { kind: "read", title: `List ${place}`, input: { path: cwd }, path: cwd } as const;
  const result = await useTool(turn, use, async () => listFolder(cwd));
  if (!result.ok) return `I could not look around in ${place}: ${result.text}`;
  return `I looked around in ${place}: ${result.text}.`;
}

function listFolder(folder: string) {
  try {
    const all = readdirSync(folder).sort();
    const names = [...all.filter((name) => !isHidden(name)), ...all.filter(isHidden)];
    const shown = names.slice(0, MOST_NAMES).join(", ");
    const more = names.length - MOST_NAMES;
    const text = more > 0 ? `${shown} and ${more} more` : shown || "it is empty";
    return { ok: true, text };
  } catch (error) {
    return { ok: false, text: error instanceof Error ? error.message : String(error) };
  }
}

function isHidden(name: string): boolean {
  return name.startsWith(".");
}

const INTRODUCTION = `
I am the demo agent. I need no network and no API key. Try one of these commands:
  /write hello.txt Hello!
  /run ls
  /help`;
