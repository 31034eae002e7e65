import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PRESETS } from "./agent/acp/presets.ts";
import type { AgentStarter } from "./agent/agent-connection.ts";
import type { AgentPreset } from "./agent/agent-preset.ts";
import type { Interface } from "./contract/vocabulary.ts";
import type { AgentCatalog } from "./drive/agents/agent-catalog.ts";
import { createAgentCatalog } from "./drive/agents/agent-catalog.ts";
import { cleanEnvironment } from "./drive/agents/clean-environment.ts";
import { askRemoteWith, readRecoverySettings } from "./drive/recovery/ask-remote.ts";
import type { RecoverySurroundings } from "./drive/recovery/recovery-context.ts";
import { keepTranscript, logFolder } from "./drive/run/keep-transcript.ts";
import type { AgentRunner } from "./drive/run/run-agents.ts";
import { createAgentRunner } from "./drive/run/run-agents.ts";
import { readRunLimits } from "./drive/run/run-context.ts";
import { resolveFew } from "./server/webhooks/find-addresses.ts";
import type { ServerContext } from "./server/webhooks/webhook-context.ts";
import { openSecrets } from "./server/webhooks/webhook-secrets.ts";
import type { ServiceContext } from "./service/context.ts";
import { loadSystemHead } from "./service/record-system-fact.ts";
import type { StreamStore } from "./store/stream-store.ts";

/** Puts together what runs agents, for the command line, the library and the server alike. */
export function composeAgents(
  home: string,
  context: ServiceContext,
  door: Interface,
  wakes?: string,
): AgentRunner<ServerContext> {
  return createAgentRunner(
    {
      ...context,
      logs: logFolder(home),
      recovery: composeRecovery(home, context.store, door === "api"),
      webhooks: { secrets: openSecrets(home), resolve: resolveFew(2) },
    },
    {
      starter: lazyStarter,
      catalog: composeCatalog(home),
      limits: readRunLimits(process.env),
      driver: `${door} (pid ${process.pid})`,
      ...(wakes !== undefined && { wakes }),
      keepTranscript: (session_id, lines) => keepTranscript(home, session_id, lines),
    },
  );
}

/** Recovery as this machine's user has set it up; what it asks is written down where they look. */
export function composeRecovery(
  home: string,
  store: StreamStore,
  isServer = false,
): RecoverySurroundings {
  // Read when it is needed: a mistake in that file must not stop what does not need it.
  return {
    askRemote: (type, key) => askRemoteWith(readRecoverySettings(home))(type, key),
    get policy() {
      return { alive: readRecoverySettings(home).alive };
    },
    // In a terminal work goes on when its user says so.
    get continues() {
      return isServer && readRecoverySettings(home).continue;
    },
    grace_ms: 3000,
    async tellTimeline(id, { owner, project }) {
      const cwd = project?.cwd;
      if (!cwd || !(await keepsCopilotFiles(store, owner, cwd))) return;
      const { tellTimeline } = await import("./integrations/copilot/mirror-copilot-events.ts");
      // What happened stands in the log all the same.
      await tellTimeline(store, id, cwd).catch(() => undefined);
    },
    environmentOf: (session_id) =>
      cleanEnvironment(process.env, { pass_env: [], env: {}, home, session_id }),
    async folderOf({ owner, project, session_id }) {
      const cwd = project?.cwd;
      return cwd && (await keepsCopilotFiles(store, owner, cwd))
        ? cwd
        : join(home, "recovery", session_id);
    },
  };
}

async function keepsCopilotFiles(store: StreamStore, owner: string, cwd: string) {
  return (await loadSystemHead(store, owner, cwd))?.mirrors.includes("copilot") ?? false;
}

export function composeCatalog(home: string): AgentCatalog {
  const program = findProgram();
  const presets: Record<string, AgentPreset> = {
    ...PRESETS,
    demo: program
      ? { ...PRESETS.demo, command: process.execPath, args: [program, "demo-agent", ...READABLE] }
      : PRESETS.demo,
  };
  return createAgentCatalog({ home, env: process.env, presets });
}

/** Words come at a pace at which they can be read. */
const READABLE = ["--pace", "12"];

/** The protocol's library is loaded by the first agent that is started. */
const lazyStarter: AgentStarter = {
  async start(launch, listener, signal) {
    const { acpStarter } = await import("./agent/acp/acp-starter.ts");
    return acpStarter.start(launch, listener, signal);
  },
};

/** Our own program, from the sources as from the bundle. */
function findProgram(): string | null {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const program = join(folder, "bin", "belay.mjs");
    if (existsSync(program)) return program;
    if (folder === dirname(folder)) return null;
  }
}
