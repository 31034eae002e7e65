import { setTimeout } from "node:timers/promises";
import type {
  AgentConnection,
  ContentBlock,
  InitializeResponse,
  SessionInfo,
  Stream,
} from "@agentclientprotocol/sdk/unstable";
import { agent, methods, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk/unstable";
import type { DemoAgent } from "./demo-agent.ts";
import type { DemoSession } from "./demo-session.ts";
import { modesOf, openSession, titleOf } from "./demo-session.ts";
import { forever } from "./forever.ts";
import type { Memory } from "./memory.ts";
import { isMode } from "./remembered.ts";
import { reopenSession, sendReplay } from "./reopen-session.ts";
import { runTurn } from "./run-turn.ts";
import { Turn, TurnOver } from "./turn.ts";

/** Serves a client until it disconnects; then running turns are cancelled. */
export function serveProtocol(stream: Stream, demo: DemoAgent): AgentConnection {
  const { flags, memory } = demo;
  const sessions = new Map<string, DemoSession>();
  let loggedIn = !flags.has("login-required");

  const remember = (session: DemoSession): void => {
    stop(sessions.get(session.id));
    sessions.set(session.id, session);
  };

  const app = agent({ name: "belay-demo" })
    .onRequest(methods.agent.initialize, () => answer(demo, () => answerInitialize(demo)))

    .onRequest(methods.agent.authenticate, () =>
      answer(demo, () => {
        loggedIn = true;
      }),
    )

    .onRequest(methods.agent.session.new, ({ params: { cwd } }) =>
      answer(demo, () => {
        if (!loggedIn) throw RequestError.authRequired();
        const id = memory.create(cwd);
        memory.markOpen(id);
        const session = openSession(id, cwd, memory.read(id) ?? [], false);
        remember(session);
        return { sessionId: id, modes: modesOf(session) };
      }),
    )

    .onRequest(methods.agent.session.prompt, ({ params, client }) =>
      answer(demo, async () => {
        if (!loggedIn) throw RequestError.authRequired();
        const session = find(sessions, params.sessionId);
        if (session.running) throw RequestError.invalidRequest(undefined, "a turn is running");
        session.running = new AbortController();
        const turn = new Turn(demo, session, client, session.running.signal);
        try {
          return await runTurn(turn, textOf(params.prompt));
        } finally {
          session.running = null;
          turn.goOn();
        }
      }),
    )

    .onNotification(methods.agent.session.cancel, ({ params }) => {
      stop(sessions.get(params.sessionId));
    })

    .onRequest(methods.agent.session.setMode, ({ params: { sessionId, modeId }, client }) =>
      answer(demo, async () => {
        const session = find(sessions, sessionId);
        if (!isMode(modeId)) throw RequestError.invalidParams({ modeId }, "no such mode");
        session.mode = modeId;
        const line = { kind: "mode", mode: modeId } as const;
        memory.append(sessionId, [line]);
        session.history.push(line);
        await client.notify(methods.client.session.update, {
          sessionId,
          update: { sessionUpdate: "current_mode_update", currentModeId: modeId },
        });
      }),
    )

    .onRequest(methods.agent.session.list, ({ params }) =>
      answer(demo, () => ({ sessions: listSessions(memory, params.cwd ?? null) })),
    );

  if (!flags.has("no-load")) {
    app.onRequest(methods.agent.session.load, ({ params, client }) =>
      answer(demo, async () => {
        const session = await reopenSession(demo, "load", params.sessionId, params.cwd);
        remember(session);
        await sendReplay(session, client, flags.has("late-replay"));
        return { modes: modesOf(session) };
      }),
    );
  }

  if (!flags.has("no-resume")) {
    app.onRequest(methods.agent.session.resume, ({ params }) =>
      answer(demo, async () => {
        const session = await reopenSession(demo, "resume", params.sessionId, params.cwd);
        remember(session);
        return { modes: modesOf(session) };
      }),
    );
  }

  if (!flags.has("no-close")) {
    app.onRequest(methods.agent.session.close, ({ params: { sessionId } }) =>
      answer(demo, () => {
        stop(find(sessions, sessionId));
        sessions.delete(sessionId);
        memory.markClosed(sessionId);
      }),
    );
  }

  const connection = app.connect(stream);
  connection.signal.addEventListener("abort", () => {
    for (const session of sessions.values()) stop(session);
  });
  return connection;
}

/** An agent that hangs sends neither a result nor an error. */
async function answer<T>(demo: DemoAgent, work: () => T | Promise<T>): Promise<T> {
  try {
    const result = await work();
    return demo.hung ? await forever() : result;
  } catch (error) {
    if (demo.hung) await forever();
    throw error;
  }
}

function find(sessions: ReadonlyMap<string, DemoSession>, id: string): DemoSession {
  const session = sessions.get(id);
  if (!session) throw RequestError.sessionNotFound(id);
  return session;
}

function stop(session: DemoSession | undefined): void {
  session?.running?.abort(new TurnOver("cancelled"));
}

function textOf(prompt: readonly ContentBlock[]): string {
  return prompt.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
}

async function answerInitialize({ flags, exit }: DemoAgent): Promise<InitializeResponse> {
  if (flags.has("exit-on-initialize")) {
    process.stderr.write("demo agent: something is badly wrong, giving up\n");
    exit(1);
    await forever();
  }
  if (flags.has("never-initialize")) await forever();
  await setTimeout(flags.valueOf("init-delay") ?? 0);
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "belay-demo", title: "Demo agent", version: "1.0.0" },
    agentCapabilities: {
      loadSession: !flags.has("no-load"),
      sessionCapabilities: {
        list: {},
        ...(flags.has("no-resume") ? {} : { resume: {} }),
        ...(flags.has("no-close") ? {} : { close: {} }),
      },
    },
    authMethods: flags.has("login-required") ? [{ id: "demo", name: "Log in to nothing" }] : [],
  };
}

/** The sessions of a folder, or all of them, last used first. */
function listSessions(memory: Memory, folder: string | null): SessionInfo[] {
  const infos = memory.list().flatMap(({ id, changed_at }): SessionInfo[] => {
    const history = memory.read(id) ?? [];
    const cwd = history.find((line) => line.kind === "session")?.cwd;
    if (cwd === undefined || (folder !== null && folder !== cwd)) return [];
    return [{ sessionId: id, cwd, title: titleOf(history), updatedAt: changed_at.toISOString() }];
  });
  return infos.sort((a, b) => (b.updatedAt ?? "").localeCompare(a.updatedAt ?? ""));
}
