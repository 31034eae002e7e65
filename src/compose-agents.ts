import { dirname, resolve } from "node:path";
import { PRESETS } from "./agent/acp/presets.ts";
import type { AgentStarter } from "./agent/agent-connection.ts";
import type { AgentPreset } from "./agent/agent-preset.ts";
import { inFolder } from "./compose-context.ts";
import type { Interface } from "./contract/vocabulary.ts";
import type { AgentCatalog } from "./drive/agents/agent-catalog.ts";
import { createAgentCatalog } from "./drive/agents/agent-catalog.ts";
import { type MemberAgents, openMemberAgents } from "./drive/agents/member-agents.ts";
import type { AgentRunner } from "./drive/run/agent-runner.ts";
import { createAgentRunner } from "./drive/run/agent-runner.ts";
import { readRunLimits } from "./drive/run/run-context.ts";
import { writeTranscript } from "./drive/run/write-transcript.ts";
import { addToMemberMark, readMemberMark } from "./files/member-mark.ts";
import { readRedactionMark } from "./files/redaction-mark.ts";
import { ownProgram } from "./process/own-program.ts";
import type { ServerContext } from "./server/webhooks/server-context.ts";
import type { ServiceContext } from "./service/service-context.ts";

/** Composes the agent runner for the command line, the library and the server. */
export function composeAgents(
  home: string,
  context: ServiceContext,
  door: Interface,
  wakes?: string,
): AgentRunner<ServerContext> {
  const members = composeMemberAgents(home);
  if (members) addToMemberMark(home, dirname(members.folderOf("NAME")));
  return createAgentRunner(inFolder(home, context, door === "api"), {
    starter: lazyStarter,
    catalog: composeCatalog(home),
    members,
    memberFolders: readMemberMark(home),
    limits: readRunLimits(process.env),
    driver: `${door} (pid ${process.pid})`,
    ...(wakes !== undefined && { wakes }),
    // A transcript would show in plain text what the store encrypts or never gets.
    ...(!context.store.fileSeal &&
      !readRedactionMark(home) && {
        writeTranscript: (session_id, lines) => writeTranscript(home, session_id, lines),
      }),
  });
}

export function composeCatalog(home: string): AgentCatalog {
  const program = ownProgram();
  const presets: Record<string, AgentPreset> = {
    ...PRESETS,
    demo: program
      ? { ...PRESETS.demo, command: process.execPath, args: [program, "demo-agent", ...READABLE] }
      : PRESETS.demo,
  };
  return createAgentCatalog({ home, env: process.env, presets });
}

/** Null if members start no agents. Throws if they should, and cannot be isolated here. */
export function composeMemberAgents(home: string): MemberAgents | null {
  const program = ownProgram();
  const { BELAY_KEY_FILE: key } = process.env;
  return openMemberAgents({
    env: process.env,
    programs: [process.execPath, ...(program ? [dirname(dirname(program))] : [])],
    hidden: [home, ...(key ? [resolve(key)] : [])],
  });
}

/** A pace at which the words can be read. */
const READABLE = ["--pace", "12"];

/** The protocol's library is loaded when the first agent starts. */
const lazyStarter: AgentStarter = {
  async start(launch, listener, signal) {
    const { acpStarter } = await import("./agent/acp/acp-connection.ts");
    return acpStarter.start(launch, listener, signal);
  },
};
