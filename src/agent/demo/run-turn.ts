import type { PromptResponse, StopReason, Usage } from "@agentclientprotocol/sdk/unstable";
import { answerMessage } from "./answer-message.ts";
import { titleOf } from "./demo-session.ts";
import { DIRECTIVES } from "./directives.ts";
import type { Remembered } from "./remembered.ts";
import { showWork } from "./show-work.ts";
import type { Turn } from "./turn.ts";
import { countWords, TurnOver } from "./turn.ts";

/** Answers one prompt. All its updates are sent when it returns. */
export async function runTurn(turn: Turn, prompt: string): Promise<PromptResponse> {
  const before = [...turn.session.history];
  try {
    turn.remember({ kind: "prompt", text: prompt });
    const stopReason = await untilOver(turn, () => perform(turn, prompt, before));
    const usage = await reportUsage(turn, prompt);
    return usage ? { stopReason, usage } : { stopReason };
  } finally {
    turn.rememberAll();
  }
}

async function perform(turn: Turn, prompt: string, before: readonly Remembered[]): Promise<void> {
  const title = titleOf([{ kind: "prompt", text: prompt }]);
  if (titleOf(before) === null) await turn.send({ sessionUpdate: "session_info_update", title });

  const { directives, message } = readPrompt(prompt);
  for (const { name, rest } of directives) {
    const directive = Object.hasOwn(DIRECTIVES, name) ? DIRECTIVES[name] : undefined;
    if (directive) await directive.run(turn, rest);
    else await turn.say(`I have no /${name}. Write /help to see all that I have.`);
  }
  if (directives.length === 0) await showWork(turn, message, before);
  else if (message !== "") await turn.say(answerMessage(message, before));
}

async function untilOver(turn: Turn, work: () => Promise<void>): Promise<StopReason> {
  try {
    await work();
    return "end_turn";
  } catch (error) {
    if (turn.signal.aborted) return "cancelled";
    if (error instanceof TurnOver) return error.stop;
    throw error;
  }
}

/** Null if no model has answered. */
async function reportUsage(turn: Turn, prompt: string): Promise<Usage | null> {
  const { session } = turn;
  const [read, said] = [countWords(prompt), turn.wordsSaid];
  const { input, output, usd } = turn.usage ?? {
    input: read,
    output: said,
    usd: read * USD_PER_WORD_READ + said * USD_PER_WORD_SAID,
  };
  session.words += input + output;
  session.cost_usd = Number((session.cost_usd + usd).toFixed(6));
  turn.remember({ kind: "usage", words: session.words, cost_usd: session.cost_usd });
  await turn.sendAnyway({
    sessionUpdate: "usage_update",
    used: session.words,
    size: CONTEXT_SIZE,
    cost: { amount: session.cost_usd, currency: "USD" },
  });
  if (turn.agent.flags.has("total-usage")) {
    session.used = { input: session.used.input + input, output: session.used.output + output };
    return toUsage(session.used);
  }
  if (input + output === 0) return null;
  const usage = toUsage({ input, output });
  if (!turn.agent.flags.has("usage-in-updates")) return usage;
  await turn.sendAnyway({
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: "" },
    _meta: { usage },
  });
  return null;
}

function toUsage({ input, output }: { readonly input: number; readonly output: number }): Usage {
  return { inputTokens: input, outputTokens: output, totalTokens: input + output };
}

const CONTEXT_SIZE = 200_000;
const USD_PER_WORD_READ = 0.000003;
const USD_PER_WORD_SAID = 0.000015;

interface Prompt {
  readonly directives: readonly { readonly name: string; readonly rest: string }[];
  /** All lines that are not directives. */
  readonly message: string;
}

/** A line such as "/say hello" is a directive; "/etc/hosts is wrong" is not. */
function readPrompt(text: string): Prompt {
  const directives: { name: string; rest: string }[] = [];
  const message: string[] = [];
  for (const line of text.split("\n")) {
    const [, name, rest = ""] = /^\/([a-z]+)(?:\s+(.*))?$/.exec(line.trimEnd()) ?? [];
    if (name === undefined) message.push(line);
    else directives.push({ name, rest });
  }
  return { directives, message: message.join("\n").trim() };
}
