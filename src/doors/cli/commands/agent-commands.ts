import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { CONTINUE_MESSAGE } from "../../../contract/continue-message.ts";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { counted } from "../../../contract/import/describe-import.ts";
import type { Output } from "../../../contract/operations.ts";
import type { SessionRecovery } from "../../../contract/recovery.ts";
import { visibleJson, visibleLine, visibleText } from "../../../contract/visible-text.ts";
import { titleOf } from "../../../drive/run/run-agent.ts";
import { expectArguments, parseCommand } from "../expect-arguments.ts";
import type { OpenBelay, Program, ResumableConversation } from "../program.ts";
import { readMessage } from "../read-message.ts";
import { comparison } from "../show/show-branches.ts";
import { attach as watch } from "../talk/attach.ts";
import { runOnce } from "../talk/run-once.ts";
import { talk } from "../talk/talk.ts";
import type { TalkTerminal } from "../talk/talk-terminal.ts";
import { openTalkTerminal } from "../talk/talk-terminal.ts";

const RUN_USAGE =
  'run AGENT ["PROMPT"] [--once] [--id ID] [--title T] [--purpose P] [--task ID] [--cwd DIR]';

/** `belay run`: a new session with an agent, until its user leaves. */
export async function run(args: readonly string[], program: Program): Promise<number> {
  const { agent, prompt, once, place } = readRun(args);
  const talking = openTalkTerminal(program.terminal);
  // Read before the session exists: without a message, none is created.
  const first = prompt ?? (talking.typed ? null : await readMessage(talking));
  if (first === "") {
    const message = "A message is required. Write it after the agent, or pipe it in.";
    throw new BelayError(refuse("usage", message));
  }
  return withConversation(
    program,
    async (belay) => {
      await readBacklog(belay, program);
      return belay.converse({
        ...(first !== null && { title: titleOf(first) }),
        ...place,
        agent,
      });
    },
    (conversation, terminal) =>
      first !== null && (once || !terminal.typed)
        ? runOnce(conversation, first, terminal)
        : talk(conversation, terminal, first),
  );
}

/** Reads the workspace's backlog at the start; a failure must not keep anyone from working. */
async function readBacklog({ workspace }: OpenBelay, { terminal }: Program): Promise<void> {
  try {
    const report = await workspace.syncBacklog();
    if (report) terminal.note(`Read ${counted(report.rows, "task")} from ${report.source}.`);
  } catch (error) {
    terminal.note(`Cannot read the backlog: ${error instanceof Error ? error.message : error}`);
  }
}

/** `belay send`: sends one message to an existing session and prints the answer. */
export async function send(args: readonly string[], program: Program): Promise<number> {
  const options = { agent: { type: "string" } } as const;
  const usage = 'send ID "MESSAGE" [--agent AGENT]';
  const { positionals, values } = expectArguments(usage, args, 2, options);
  const [id = "", message = ""] = positionals;
  if (typeof values.agent === "string") return handOver(id, values.agent, message, program);
  return withConversation(
    program,
    (belay) => belay.converse({ id }),
    (conversation, terminal) => runOnce(conversation, message, terminal, "keep"),
  );
}

/** `belay handoff`: another agent continues a session, at once if there is a message for it. */
export async function handoff(args: readonly string[], program: Program): Promise<number> {
  const usage = 'handoff ID --to AGENT ["MESSAGE"] [--dry-run]';
  const options = { to: { type: "string" }, "dry-run": { type: "boolean" } } as const;
  const { positionals, values } = parseCommand(usage, args, [1, 2], options);
  const [id = "", message] = positionals;
  const { to } = values;
  if (typeof to !== "string") {
    throw new BelayError(refuse("usage", `--to is required. Usage: belay ${usage}`));
  }
  const dry_run = values["dry-run"] === true;
  if (message !== undefined && !dry_run) return handOver(id, to, message, program);
  const { terminal, caller } = program;
  const belay = await program.open();
  try {
    const session = await belay.service.call("handoff", { id, to, dry_run }, caller);
    const { session_id, told } = session;
    const said = dry_run
      ? `${visibleLine(to)} would get this text:\n\n${visibleText(told || "No new information for this agent.")}\n`
      : `${session_id} was handed to ${visibleLine(to)}. Send a message: belay send ${session_id} "..."\n`;
    terminal.write(terminal.json ? `${visibleJson(session)}\n` : said);
    return 0;
  } finally {
    await belay.close();
  }
}

/** `belay replay`: sends the same prompts to another agent, one after the other, and shows both side by side. */
export async function replay(args: readonly string[], program: Program): Promise<number> {
  const usage = "replay ID --agent AGENT";
  const options = { agent: { type: "string" } } as const;
  const { positionals, values } = expectArguments(usage, args, 1, options);
  const [id = ""] = positionals;
  const { agent } = values;
  if (typeof agent !== "string") {
    throw new BelayError(refuse("usage", `--agent is required. Usage: belay ${usage}`));
  }
  const { terminal, caller } = program;
  const belay = await program.open();
  try {
    const { service } = belay;
    let fork: string | undefined;
    for (let after: number | null = 0; after !== null; ) {
      const page: Output<"replay"> = await service.call(
        "replay",
        { id, agent, after, send: false, ...(fork !== undefined && { into: fork }) },
        caller,
      );
      const place = page.session_id;
      for (const prompt of page.prompts) {
        await holdOpen(belay.converse({ id: place }), program, (conversation, talk) =>
          runOnce(conversation, prompt, talk, "keep"),
        );
        const { status } = await service.call("get", { id: place }, caller);
        // The user left in the middle of it.
        if (status !== "active") return 1;
      }
      fork = place;
      after = page.next_cursor;
    }
    const compared = await service.call("compare", { id, with: fork ?? id, limit: 100 }, caller);
    terminal.write(terminal.json ? `${visibleJson(compared)}\n` : comparison(compared, terminal));
    return 0;
  } finally {
    await belay.close();
  }
}

function handOver(id: string, to: string, message: string, program: Program): Promise<number> {
  const turn_id = randomUUID();
  return withConversation(
    program,
    (belay) => belay.converse({ id }),
    (conversation, terminal, { service }) =>
      runOnce(conversation, message, terminal, "keep", {
        turn_id,
        async start() {
          await service.call("handoff", { id, to, message, turn_id }, program.caller);
          await conversation.resume();
        },
      }),
  );
}

/**
 * `belay resume` at a terminal: continues the conversation. Piped input is one message. Without input, the agent
 * answers the messages that wait. Null if its agent runs elsewhere, or nothing waits.
 */
export async function resumeConversation(
  id: string,
  program: Program,
  hasInput: boolean,
): Promise<number | null> {
  return withConversation<number | null>(
    program,
    (belay) => belay.converse({ id }),
    async (conversation, terminal, { service }) => {
      const { session_id } = conversation;
      const session = await service.call("get", { id: session_id }, program.caller);
      const waits =
        session.status === "active" && session.queued_messages > 0 && session.driver === null;
      if (!hasInput && !waits) return null;
      const cwd = session.project?.cwd ?? undefined;
      const { agents } = await service.call("agents", { cwd }, program.caller);
      const agent = agents.find(({ name, trusted }) => name === session.agent_name && trusted);
      if (!agent && session.driver === null) return null;
      if (session.driver !== null) {
        terminal.note(`${session.driver} runs this session. Your messages are queued there.`);
      }
      const message = terminal.typed ? null : hasInput ? await readMessage(terminal) : "";
      if (message === "") {
        if (!waits) return null;
        const { turns } = await service.call("turns", { id: session_id, limit: 1 }, program.caller);
        const queued = turns.at(-1);
        if (queued?.status !== "queued") return null;
        const { turn_id, input } = queued;
        const start = () => conversation.resume();
        return runOnce(conversation, input, terminal, "keep", { turn_id, start });
      }
      // The next message reopens a completed session.
      if (session.status !== "completed") await conversation.resume();
      return message === null
        ? talk(conversation, terminal, null)
        : runOnce(conversation, message, terminal, "keep");
    },
  );
}

/** `belay attach`: follows a session while another process drives it. */
export async function attach(args: readonly string[], program: Program): Promise<number> {
  const [id = ""] = expectArguments("attach ID", args, 1).positionals;
  return withConversation(
    program,
    (belay) => belay.converse({ id }),
    ({ events }, terminal) => watch(events, terminal),
  );
}

/** `belay recover --continue`: works here on every turn that continues, one after the other. */
export async function continueTurns(
  sessions: readonly SessionRecovery[],
  belay: OpenBelay,
  program: Program,
): Promise<number> {
  let worst = 0;
  for (const { session_id: id, continued_turn_id: turn_id } of sessions) {
    if (turn_id === null) continue;
    const open = belay.converse({ id });
    const code = await holdOpen(open, program, (conversation, terminal) =>
      runOnce(conversation, CONTINUE_MESSAGE, terminal, "keep", {
        turn_id,
        start: () => conversation.resume(),
      }),
    );
    worst = Math.max(worst, code);
  }
  return worst;
}

async function withConversation<Code extends number | null = number>(
  program: Program,
  open: (belay: OpenBelay) => Promise<ResumableConversation>,
  use: (
    conversation: ResumableConversation,
    terminal: TalkTerminal,
    belay: OpenBelay,
  ) => Promise<Code>,
): Promise<Code> {
  const belay = await program.open();
  try {
    return await holdOpen(open(belay), program, (conversation, terminal) =>
      use(conversation, terminal, belay),
    );
  } finally {
    await belay.close();
  }
}

async function holdOpen<Code extends number | null>(
  opening: Promise<ResumableConversation>,
  program: Program,
  use: (conversation: ResumableConversation, terminal: TalkTerminal) => Promise<Code>,
): Promise<Code> {
  // Silent agents and watchers do not keep the process alive, so this timer does.
  const waiting = setInterval(() => {}, 60_000);
  try {
    const conversation = await opening;
    try {
      return await use(conversation, openTalkTerminal(program.terminal));
    } finally {
      conversation.close();
    }
  } finally {
    clearInterval(waiting);
  }
}

function readRun(args: readonly string[]) {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: {
        once: { type: "boolean" },
        id: { type: "string" },
        title: { type: "string" },
        purpose: { type: "string" },
        task: { type: "string" },
        cwd: { type: "string" },
      },
      allowPositionals: true,
      strict: true,
    });
    const [agent, prompt, ...more] = positionals;
    if (agent === undefined || more.length > 0)
      throw new Error("AGENT is required, and only one prompt is allowed");
    const { id, title, purpose, task, cwd, once = false } = values;
    if (once && prompt === undefined) throw new Error("--once needs a prompt");
    return {
      agent,
      prompt: prompt ?? null,
      once,
      place: {
        ...(id !== undefined && { session_id: id }),
        ...(title !== undefined && { title }),
        ...(purpose !== undefined && { purpose }),
        ...(task !== undefined && { task_id: task }),
        ...(cwd !== undefined && { cwd }),
      },
    };
  } catch (cause) {
    throw new BelayError(refuse("usage", `Usage: belay ${RUN_USAGE}`), cause);
  }
}
