import type { RunEvent } from "../../../contract/run-event.ts";
import { visibleJson, visibleLine } from "../../../contract/visible-text.ts";
import { followRun } from "./follow-run.ts";
import { createQuestions } from "./questions.ts";
import { createRunView } from "./run-view.ts";
import { createPaint, STARTING, suspendedLine } from "./run-view-lines.ts";
import { createScreen } from "./screen.ts";
import type { TalkTerminal } from "./talk-terminal.ts";
import type { TerminalConversation } from "./terminal-conversation.ts";
import { CTRL_C, listenForKeys } from "./typed-keys.ts";

const TICK_MS = 1000;

/**
 * Sends one message and waits for its turn. Then the session is completed, or suspended if the turn did not end well;
 * or it stays open for others, unless we must leave during the turn. The message may already be `queued`.
 */
export async function runOnce(
  conversation: TerminalConversation,
  message: string,
  terminal: TalkTerminal,
  then: "complete" | "keep" = "complete",
  queued?: { readonly turn_id: string; start(): Promise<unknown> },
): Promise<number> {
  const { columns, color, interactive, typed, json } = terminal;
  const { session_id } = conversation;
  const paint = createPaint(color);
  const view = createRunView({ columns, color, interactive, answers: typed });
  const screen = createScreen(terminal);
  const over = Promise.withResolvers<Ending>();
  const asked = Promise.withResolvers<Ending>();
  let turn: string | null = queued?.turn_id ?? null;
  let isInterrupted = false;

  const showError = (error: unknown): void => {
    const text = error instanceof Error ? error.message : String(error);
    if (json) terminal.note(text);
    else screen.print(view.showLines(paint.red(`✗ ${visibleLine(text)}\n`)));
  };
  const refresh = (): void => screen.live(json ? "" : view.status() || paint.dim(STARTING));
  const questions = createQuestions(conversation, {
    onAnswer: (id) => view.answering(id),
    onFailure: showError,
    onLeave: () => over.resolve("left"),
  });
  const run = followRun(conversation.events, onEvent);
  run.ended.then(() => over.resolve("left"), over.reject);
  const stopKeys = typed ? listenForKeys(terminal, { onKeys, onEnd: leave }) : () => {};
  const stopSignals = terminal.onSignal((signal) => {
    if (signal === "SIGINT") onInterrupt();
    else leave();
  });
  const ticking = setInterval(refresh, TICK_MS);
  try {
    view.typed(message);
    refresh();
    (queued?.start() ?? conversation.send(message)).catch(over.reject);
    const first = await over.promise;
    screen.live("");
    run.stop();
    const ending = first === "done" && then === "complete" ? await complete() : first;
    if (ending === "asked" || (ending === "failed" && then === "complete")) {
      await conversation.suspend();
      if (!json) screen.print(view.showLines(suspendedLine({ session_id, reason: null }, paint)));
    }
    return ending === "done" ? 0 : 1;
  } finally {
    clearInterval(ticking);
    stopSignals();
    stopKeys();
    run.stop();
    screen.live("");
  }

  /** Messages that others queued meanwhile are answered first. */
  function complete(): Promise<Ending> {
    const completed = conversation.complete().then((): Ending => "done");
    return Promise.race([completed, asked.promise]);
  }

  function leave(): void {
    over.resolve("asked");
    asked.resolve("asked");
  }

  function onEvent(event: RunEvent): void {
    questions.hear(event);
    if (json) terminal.write(`${visibleJson(event)}\n`);
    else screen.print(view.show(event));
    refresh();
    const isAsked = event.type === "queued" || event.type === "started";
    if (isAsked && event.content?.trim() === message.trim()) turn ??= event.turn_id;
    const ending = endingOf(event, turn);
    if (ending !== null) over.resolve(ending);
  }

  function onKeys(keys: string): void {
    if (keys.includes(CTRL_C)) onInterrupt();
    else questions.press(keys);
  }

  function onInterrupt(): void {
    if (isInterrupted) {
      leave();
      return;
    }
    isInterrupted = true;
    if (!json) {
      screen.print(
        view.showLines(paint.yellow("⊘ interrupting; Ctrl-C again suspends the session\n")),
      );
    }
    conversation.interrupt().catch(showError);
  }
}

/** How the run ended: well, not well, by our own leaving, or by another process. */
type Ending = "done" | "failed" | "asked" | "left";

function endingOf(event: RunEvent, turn: string | null): Ending | null {
  switch (event.type) {
    case "completed":
      if (event.turn_id !== turn) return null;
      return event.outcome === "completed" ? "done" : "failed";
    case "error":
      return event.turn_id === null || event.turn_id === turn ? "failed" : null;
    case "suspended":
    case "ended":
      return "left";
    default:
      return null;
  }
}
