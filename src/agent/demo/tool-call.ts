import type {
  ToolCall as Announcement,
  PermissionOption,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { methods } from "@agentclientprotocol/sdk/unstable";
import type { RememberedTool } from "./remembered.ts";
import { bounded, textContent } from "./text-content.ts";
import type { Turn } from "./turn.ts";
import { TurnOver } from "./turn.ts";

const OUTPUT_KEPT = 4096;

interface ToolUse {
  readonly kind: RememberedTool["tool"];
  readonly title: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly path?: string;
  /** The content that is visible before it has run. */
  readonly preview?: readonly ToolCallContent[];
}

export interface ToolResult {
  readonly ok: boolean;
  readonly text: string;
  readonly content?: readonly ToolCallContent[];
  readonly output?: unknown;
}

/** A tool call from its announcement to its end, if the user allows it. */
export async function useTool(
  turn: Turn,
  use: ToolUse,
  work: (call: ToolCall) => Promise<ToolResult>,
): Promise<ToolResult> {
  const call = new ToolCall(turn, use);
  try {
    const allowed = await call.announceAndAsk(() => call.isAllowed());
    if (!allowed) return await call.finish({ ok: false, text: "You said no." });
    await call.start();
    return await call.finish(await work(call));
  } catch (error) {
    await call.giveUp();
    throw error;
  }
}

export class ToolCall {
  readonly #turn: Turn;
  readonly #use: ToolUse;
  readonly #id: string;
  #open = false;

  constructor(turn: Turn, use: ToolUse) {
    turn.session.toolCalls += 1;
    this.#turn = turn;
    this.#use = use;
    this.#id = `call-${turn.session.toolCalls}`;
  }

  async announce(): Promise<void> {
    await this.#turn.send({ sessionUpdate: "tool_call", ...this.describe() });
    this.#open = true;
    this.#remember("pending", "");
  }

  /** In this order, as the protocol requires; some agents do it the other way round. */
  async announceAndAsk<T>(ask: () => Promise<T>): Promise<T> {
    const askFirst = this.#turn.agent.flags.has("permission-first");
    if (!askFirst) await this.announce();
    const answer = await ask();
    if (askFirst) await this.announce();
    return answer;
  }

  /** Everything that is known before it has run. */
  describe(): Announcement {
    const { title, kind, input, path, preview } = this.#use;
    return {
      toolCallId: this.#id,
      title,
      kind,
      status: "pending",
      rawInput: input,
      locations: path === undefined ? [] : [{ path }],
      content: [...(preview ?? [])],
    };
  }

  /** Asks the user if the mode requires it and there is no permanent answer. */
  async isAllowed(): Promise<boolean> {
    const { session, agent } = this.#turn;
    const { kind } = this.#use;
    if (!agent.flags.has("ask-always")) {
      if (kind === "read" || session.mode === "auto") return true;
      const settled = session.always.get(kind);
      if (settled !== undefined) return settled;
    }
    const chosen = await this.ask(USUAL_OPTIONS);
    const allowed = chosen.kind.startsWith("allow");
    if (chosen.kind.endsWith("always")) session.always.set(kind, allowed);
    return allowed;
  }

  ask(options: readonly PermissionOption[]): Promise<PermissionOption> {
    return askPermission(this.#turn, this.describe(), options);
  }

  async start(): Promise<void> {
    if (this.#turn.agent.flags.has("no-in-progress")) return;
    await this.#update({ status: "in_progress" });
  }

  async show(text: string): Promise<void> {
    await this.#update({ content: [textContent(text)] });
  }

  async finish(result: ToolResult): Promise<ToolResult> {
    const status = result.ok ? "completed" : "failed";
    const content = [...(result.content ?? [textContent(result.text)])];
    const rawOutput = result.output ?? { text: result.text };
    this.#open = false;
    this.#remember(status, bounded(result.text, OUTPUT_KEPT));
    await this.#turn.sendAnyway({
      sessionUpdate: "tool_call_update",
      toolCallId: this.#id,
      status,
      content,
      rawOutput,
    });
    return result;
  }

  /** A cancelled turn must not leave a call that looks like it is running. */
  async giveUp(): Promise<void> {
    const text = this.#turn.signal.aborted ? "Cancelled." : "Given up.";
    if (this.#open) await this.finish({ ok: false, text });
  }

  async #update(change: Omit<ToolCallUpdate, "toolCallId">): Promise<void> {
    await this.#turn.send({ sessionUpdate: "tool_call_update", toolCallId: this.#id, ...change });
  }

  #remember(status: RememberedTool["status"], output: string): void {
    const { kind, title } = this.#use;
    this.#turn.remember({ kind: "tool", id: this.#id, title, tool: kind, status, output });
  }
}

const USUAL_OPTIONS = [
  { optionId: "yes", kind: "allow_once", name: "Allow" },
  { optionId: "yes-and-do-not-ask-again", kind: "allow_always", name: "Always allow" },
  { optionId: "no", kind: "reject_once", name: "Reject" },
] as const satisfies readonly PermissionOption[];

/** Waits for the user as long as it takes. The answer "cancelled" ends the turn. */
async function askPermission(
  turn: Turn,
  toolCall: ToolCallUpdate,
  options: readonly PermissionOption[],
): Promise<PermissionOption> {
  turn.signal.throwIfAborted();
  const asked = turn.client.request(methods.client.session.requestPermission, {
    sessionId: turn.session.id,
    toolCall,
    options: [...options],
  });
  const { outcome } = await unlessAborted(asked, turn.signal);
  if (outcome.outcome === "cancelled") {
    turn.session.running?.abort(new TurnOver("cancelled"));
    throw new TurnOver("cancelled");
  }
  const chosen = options.find(({ optionId }) => optionId === outcome.optionId);
  if (!chosen) throw new Error(`I offered no option "${outcome.optionId}"`);
  return chosen;
}

/** The client's answer may come after a cancel; then it is ignored. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
