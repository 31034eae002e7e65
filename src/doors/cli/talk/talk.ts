import { BelayError } from "../../../contract/errors.ts";
import type { RunEvent } from "../../../contract/run-event.ts";
import { visibleLine } from "../../../contract/visible-text.ts";
import { cutLine } from "../show/cut-line.ts";
import { followRun } from "./follow-run.ts";
import { createQuestions } from "./questions.ts";
import { createRunView } from "./run-view.ts";
import { createPaint, STARTING, suspendedLine } from "./run-view-lines.ts";
import { createScreen } from "./screen.ts";
import type { TalkTerminal } from "./talk-terminal.ts";
import type { TerminalConversation } from "./terminal-conversation.ts";
import { CTRL_C, CTRL_D, listenForKeys } from "./typed-keys.ts";
import { createTypedLine } from "./typed-line.ts";

const TICK_MS = 1000;

/** A person's conversation with an agent at a terminal, until either leaves. Returns the exit code. */
export async function talk(
  conversation: TerminalConversation,
  terminal: TalkTerminal,
  first: string | null,
): Promise<number> {
  const { columns, color } = terminal;
  const { session_id } = conversation;
  const paint = createPaint(color);
  const view = createRunView({ columns, color, interactive: true, answers: true });
  const screen = createScreen(terminal);
  const over = Promise.withResolvers<number>();
  const queued = new Set<string>();
  let isExpecting = false;
  let isRunning = false;
  let isInterrupted = false;
  let isLeaving = false;
  let isSuspended = false;

  const questions = createQuestions(conversation, {
    onAnswer: (id) => view.answering(id),
    onFailure: showError,
    onLeave: () => over.resolve(0),
  });
  const line = createTypedLine({
    columns,
    write: terminal.draw,
    onLine,
    onInterrupt,
    onChange: () => refresh(),
  });
  const run = followRun(conversation.events, onEvent);
  run.ended.then(() => over.resolve(0), over.reject);
  const stopKeys = listenForKeys(terminal, { onKeys, onEnd: () => leave("suspend") });
  const stopSignals = terminal.onSignal((signal) => {
    if (signal === "SIGINT") onInterrupt();
    else leave("suspend");
  });
  const ticking = setInterval(() => refresh(), TICK_MS);
  try {
    if (first !== null) send(first);
    const keys = "Ctrl-C interrupts, Ctrl-C twice suspends, Ctrl-D completes";
    print(view.showLines(paint.dim(`${session_id}: ${keys}\n`)));
    return await over.promise;
  } finally {
    clearInterval(ticking);
    stopSignals();
    stopKeys();
    run.stop();
    line.close();
    screen.live("");
  }

  function onEvent(event: RunEvent): void {
    follow(event);
    questions.hear(event);
    // Leaving prints its own message.
    if (isLeaving) return;
    print(view.show(event));
    if (event.type === "ended") over.resolve(event.status === "failed" ? 1 : 0);
    if (event.type === "suspended") isSuspended = true;
    if (event.type === "resumed") isSuspended = false;
    const isAnswer = event.type === "answered" && event.decision !== "approved";
    // A person with an open recovery question is not sent away.
    if ((event.type === "suspended" || isAnswer) && isSuspended && !questions.isOpen) {
      over.resolve(0);
    }
  }

  function follow(event: RunEvent): void {
    if (event.type === "queued") queued.add(event.turn_id);
    if (event.type === "queued" || event.type === "started") isExpecting = false;
    if (event.type === "started") isRunning = true;
    if (event.type === "completed" || event.type === "error") {
      isRunning = false;
      isInterrupted = false;
      isExpecting = false;
    }
    if (event.type === "started" || event.type === "completed") queued.delete(event.turn_id);
    // Turns that may not follow after a failure must not block new messages.
    if (event.type === "error") queued.clear();
  }

  function isBusy(): boolean {
    return isRunning || isExpecting || queued.size > 0;
  }

  function onKeys(typed: string): void {
    if (isLeaving) {
      if (typed.includes(CTRL_C)) onInterrupt();
      return;
    }
    // A half-typed line is not an answer, even if it continues with a "y".
    if (questions.isOpen && line.text === "") {
      if (typed.includes(CTRL_C)) onInterrupt();
      else questions.press(typed);
    } else if (typed === CTRL_D && line.text === "") {
      if (isBusy())
        print(view.showLines(paint.dim("  The agent is working. Ctrl-C interrupts it.\n")));
      else leave("complete");
    } else {
      line.feed(typed);
    }
    refresh();
  }

  function onLine(text: string): void {
    const message = text.trim();
    if (message !== "") {
      if (!isBusy()) view.typed(message);
      send(message);
    }
    refresh();
  }

  function send(message: string): void {
    isExpecting = true;
    conversation.send(message).catch((error) => {
      isExpecting = false;
      showError(error);
    });
  }

  function onInterrupt(): void {
    // Leaving may take long or hang; a third Ctrl-C stops waiting.
    if (isLeaving) over.resolve(130);
    if (isInterrupted || !isBusy()) {
      leave("suspend");
      return;
    }
    isInterrupted = true;
    print(view.showLines(paint.yellow("⊘ interrupting; Ctrl-C again suspends the session\n")));
    conversation.interrupt().catch(showError);
  }

  function leave(how: "suspend" | "complete"): void {
    if (isLeaving) return;
    isLeaving = true;
    line.hide();
    screen.live(paint.dim(how === "suspend" ? "suspending …" : "completing …"));
    conversation[how]().then(
      () => left(how),
      // A completed session that got no message stays completed.
      (error) => (isCompleted(error) ? left("complete") : over.reject(error)),
    );
  }

  function left(how: "suspend" | "complete"): void {
    const suspended = suspendedLine({ session_id, reason: null }, paint);
    print(view.showLines(how === "suspend" ? suspended : completed()));
    over.resolve(0);
  }

  function completed(): string {
    return `${paint.green("✓ completed")}${paint.dim(` ${session_id}`)}\n`;
  }

  function showError(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    print(view.showLines(paint.red(`✗ ${visibleLine(message)}\n`)));
  }

  function print(text: string): void {
    if (text !== "") line.hide();
    screen.print(text);
    refresh();
  }

  /** The bottom of the screen: the prompt while idle, otherwise the current work or the text being typed. */
  function refresh(): void {
    if (isLeaving) return;
    if (!isBusy()) {
      screen.live("");
      line.show();
      return;
    }
    line.hide();
    const typed = visibleLine(line.text);
    const hint = questions.isOpen ? "   (Enter sends this; then answer)" : "";
    screen.live(
      typed === ""
        ? view.status() || paint.dim(STARTING)
        : `> ${cutLine(typed, columns - 3 - hint.length)}${paint.dim(hint)}`,
    );
  }
}

function isCompleted(error: unknown): boolean {
  return error instanceof BelayError && error.code === "session_completed";
}
