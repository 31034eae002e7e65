import type { RunEvent } from "../../../contract/run-event.ts";
import { visibleJson } from "../../../contract/visible-text.ts";
import { followRun } from "./follow-run.ts";
import { createRunView } from "./run-view.ts";
import { createPaint } from "./run-view-lines.ts";
import { createScreen } from "./screen.ts";
import type { TalkTerminal } from "./talk-terminal.ts";

const TICK_MS = 1000;

/** Follows the session until it ends or Ctrl-C, which leaves it unchanged. */
export async function attach(
  events: AsyncIterable<RunEvent>,
  terminal: TalkTerminal,
): Promise<number> {
  const { columns, color, interactive, json } = terminal;
  const view = createRunView({ columns, color, interactive });
  const screen = createScreen(terminal);
  const over = Promise.withResolvers<"ended" | "detached">();
  let session_id = "";

  const run = followRun(events, (event) => {
    session_id = event.session_id;
    if (json) terminal.write(`${visibleJson(event)}\n`);
    else screen.print(view.show(event));
    if (!json) screen.live(view.status());
    if (event.type === "ended") over.resolve("ended");
  });
  run.ended.then(() => over.resolve("ended"), over.reject);
  const stopSignals = terminal.onSignal(() => over.resolve("detached"));
  const ticking = setInterval(() => screen.live(json ? "" : view.status()), TICK_MS);
  try {
    const how = await over.promise;
    screen.live("");
    if (how === "detached" && !json) {
      const again = session_id === "" ? "" : ` Watch again with: belay attach ${session_id}`;
      screen.print(createPaint(color).dim(`\nDetached. The session continues.${again}\n`));
    }
    return 0;
  } finally {
    clearInterval(ticking);
    stopSignals();
    run.stop();
    screen.live("");
  }
}
