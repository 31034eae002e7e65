import { BelayError, refuse } from "../../../contract/errors.ts";
import { visibleJson } from "../../../contract/visible-text.ts";
import { IMPORT_TOOLS } from "../../../contract/vocabulary.ts";
import { colors } from "../colors.ts";
import type { Program } from "../program.ts";

export interface SystemCommand {
  /** The heading under which the help lists the command. */
  readonly group?: "agents";
  readonly doc: string;
  readonly help: string;
  run(args: readonly string[], program: Program): Promise<number>;
}

/** Commands that are more than one operation. Each is loaded when it is called. */
export const SYSTEM_COMMANDS = {
  run: {
    group: "agents",
    doc: "Run an agent in a new session: streams its work, asks for permissions",
    help: help(
      'run AGENT ["PROMPT"] [--once] [--id ID] [--title T] [--purpose P] [--task ID] [--cwd DIR]',
      "Run an agent in a new session. Ctrl-C interrupts the turn, again suspends the session; Ctrl-D completes it. --once ends with the first turn. Without a terminal the prompt may be piped in; --json writes each event as a line.",
      ['belay run demo "what can you do?"', 'belay run gemini "fix the test" --once'],
    ),
    run: async (args, program) => (await import("./agent-commands.ts")).run(args, program),
  },
  send: {
    group: "agents",
    doc: "Send a message to a session and see its answer, whichever process drives it",
    help: help(
      'send ID "MESSAGE" [--agent AGENT]',
      "Send a message to a session and see its answer. --agent hands the session to another agent first.",
      ['belay send agent-20260108 "and now the docs"'],
    ),
    run: async (args, program) => (await import("./agent-commands.ts")).send(args, program),
  },
  handoff: {
    group: "agents",
    doc: "Let another agent go on with a session",
    help: help(
      'handoff ID --to AGENT ["MESSAGE"]',
      "Let another agent go on with a session. It is told what the one before knew; a running turn is stopped. Without a message it starts with the next one.",
      ['belay handoff agent-20260108 --to codex "finish the tests"'],
    ),
    run: async (args, program) => (await import("./agent-commands.ts")).handoff(args, program),
  },
  replay: {
    group: "agents",
    doc: "Send a session's prompts to another agent, and compare the answers",
    help: help(
      "replay ID --agent AGENT",
      "Send a session's prompts to another agent, in a fork, and compare outcomes, tool calls, time and cost.",
      ["belay replay agent-20260108 --agent codex"],
    ),
    run: async (args, program) => (await import("./agent-commands.ts")).replay(args, program),
  },
  attach: {
    group: "agents",
    doc: "Look on live while an agent works, from any terminal",
    help: help("attach ID", "Look on live while an agent works. Ctrl-C leaves it as it is.", [
      "belay attach agent-20260108",
    ]),
    run: async (args, program) => (await import("./agent-commands.ts")).attach(args, program),
  },
  agents: {
    group: "agents",
    doc: "Show the agents that can be run; add, remove, or trust those of a workspace",
    help: help(
      "agents [list | add NAME -- COMMAND ARGS... | remove NAME | trust]",
      "Show the agents that can be run. Your own stand in agents.json of the data folder; a workspace's .belay/agents.json runs nothing before you trust it.",
      ["belay agents", "belay agents add mine -- my-agent --acp"],
    ),
    run: async (args, program) =>
      (await import("./agents-command.ts")).agents(args, program.agents(), program.terminal),
  },
  serve: {
    doc: "Serve REST, GraphQL, MCP, hooks and live streams at one address on this machine",
    help: help(
      "serve [--port N] [--host H] [--allow-host NAME] [--tls-cert FILE --tls-key FILE] [--insecure] [--import TOOL] [--log LEVEL]",
      "Serves this data folder on loopback, port 4747 unless said otherwise (0 picks a free one). Writes its address to server.json and a token to server-token in the data folder. Ctrl-C suspends what runs here.",
      ["belay serve", "belay serve --port 0 --json"],
    ),
    run: async (args, program) => (await import("./serve.ts")).serve(args, program),
  },
  login: {
    doc: "Print a link that logs a browser in at the web page of the running server",
    help: help(
      "login [--for NAME]",
      "Prints a link to the web page of the server that runs for this data folder. It logs one browser in, once, within ten minutes: as you, or with --for as another person of this server.",
      ["belay login", "belay login --for bob", "belay login --json"],
    ),
    run: async (args, program) => (await import("./login.ts")).login(args, program),
  },
  mcp: {
    doc: "Let any MCP client remember its work: the same operations as tools, on stdio",
    help: help(
      "mcp [install|uninstall claude-code|gemini|cursor [--print] [--user]]",
      "Speaks MCP on stdin and stdout and opens no port. install adds it to a client's settings, showing the diff; uninstall takes exactly that back.",
      ["belay mcp install claude-code --print", "belay mcp install gemini"],
    ),
    run: (args, program) => program.mcp(args),
  },
  init: {
    doc: "Take the current folder as a workspace: read its backlog, keep mirrors for other tools",
    help: help(
      "init [--mirror claude] [--mirror copilot]",
      "Take the current folder as a workspace.",
      ["belay init --mirror claude", "belay init --mirror claude --mirror copilot"],
    ),
    run: async (args, program) => (await import("./workspace-commands.ts")).init(args, program),
  },
  hooks: {
    doc: "Let Claude Code tell Belay what its agents do, or stop that",
    help: help(
      "hooks install|uninstall claude-code [--print] [--user] [--http [--url URL]]",
      "Adds Belay's hooks to .claude/settings.json of this project (or, with --user, of all), showing the diff; uninstall takes exactly that back. With --http they call the running server instead of starting a process each.",
      ["belay hooks install claude-code --print", "belay hooks install claude-code"],
    ),
    run: (args, program) => program.hooks(args),
  },
  import: {
    doc: "Import the conversations of another tool",
    help: help(
      "import TOOL [PATH] [--dry-run] [--since TIME] [--watch] [--yes]",
      `Import the conversations at PATH as sessions, or those in the folder where TOOL keeps them. Files are never changed; a second import adds only what is new. --dry-run writes nothing, --since leaves out older conversations, --watch goes on as TOOL writes. TOOL is one of: ${IMPORT_TOOLS.join(", ")}, gaia (a folder of state.json files).`,
      ["belay import claude-code --dry-run", "belay import gaia .claude/session"],
    ),
    run: async (args, program) => (await import("./import-command.ts")).importFrom(args, program),
  },
  restore: {
    doc: "Restore the session of a Copilot workspace from its files, after a crash",
    help: help(
      "restore --session-state FILE [--dry-run]",
      "Reads session_state.json, events.ndjson, gaia.db and the backlog, makes a session of them, and decides what may safely happen next. Damage is reported, suspect files are moved to .tmp/corrupt; no log is ever cut. --dry-run writes nothing.",
      [
        "belay restore --session-state .copilot/session_state.json --dry-run",
        "belay restore --session-state .copilot/session_state.json",
      ],
    ),
    run: async (args, program) => (await import("./workspace-commands.ts")).restore(args, program),
  },
  "tasks import": {
    doc: "Read tasks from an NDJSON file",
    help: help("tasks import FILE", "Read tasks from a file with one JSON object per line.", [
      "belay tasks import doc/todo-archive.ndjson",
    ]),
    run: async (args, program) =>
      (await import("./workspace-commands.ts")).importTasks(args, program),
  },
  verify: {
    doc: "Check that nothing stored was lost or changed",
    help: help(
      "verify [--accept-anchor]",
      "Check every log, head, index and the anchor. Damage exits 5; what a crash explains is settled. Where nothing is wrong but a lost anchor, --accept-anchor accepts the logs as they are and records it.",
    ),
    run: async (args, program) => (await import("./care-commands.ts")).verify(args, program),
  },
  doctor: {
    doc: "Show versions, settings and rights, and how to fix what is wrong",
    help: help("doctor", "Show versions, settings and rights, and how to fix what is wrong."),
    run: async (args, program) => (await import("./care-commands.ts")).doctor(args, program),
  },
  durability: {
    doc: "Choose what acknowledged changes survive: a power cut too, or every kill",
    help: help(
      "durability power|process",
      "Choose for this data folder, for every process that uses it. power (the default) writes each change to the disk before it is acknowledged. process leaves that to the system: no kill loses anything, a power cut can lose the last moments. `belay doctor` shows the choice.",
      ["belay durability process"],
    ),
    run: async (args, program) => (await import("./care-commands.ts")).durability(args, program),
  },
  compact: {
    doc: "Remove from the files what purged sessions have left there",
    help: help(
      "compact",
      "Writes the database anew, without what was deleted. What is purged is gone for every reader at once, but its bytes stay in the file until then. Needs as much free room as the data takes, and nobody else may use the data meanwhile.",
    ),
    run: async (args, program) => (await import("./care-commands.ts")).compact(args, program),
  },
  export: {
    doc: "Write a session out to share it, with its secrets hidden if you say so",
    help: help(
      "export ID [--redact] [--preview] [--format markdown|ndjson] [--out FILE]",
      "Write a session out: as Markdown to read, or as NDJSON with every event (also with --json). --redact replaces what looks like a secret, and the secrets of your environment, by [redacted:KIND]; --preview only lists what would be replaced. Files that are kept with the session are not included. No rule finds every secret: read the result before you share it.",
      ["belay export agent-20260108 --preview", "belay export agent-20260108 --redact --out a.md"],
    ),
    run: async (args, program) =>
      (await import("./export-command.ts")).exportCommand(args, program),
  },
  upload: {
    doc: "Keep a file with a session",
    help: help(
      "upload ID FILE [--name NAME] [--media-type TYPE]",
      "Keep a file of up to 64 MB with a session. Prints the digest by which it is read again; `belay artifacts ID` lists what a session has.",
      ["belay upload agent-20260108 report.pdf --media-type application/pdf"],
    ),
    run: async (args, program) => (await import("./file-commands.ts")).upload(args, program),
  },
  download: {
    doc: "Write a file that is kept with a session to the disk",
    help: help(
      "download ID DIGEST FILE",
      "Write a file of a session to the disk. It never overwrites another.",
      ["belay download agent-20260108 9f86d081884c7d65...  report.pdf"],
    ),
    run: async (args, program) => (await import("./file-commands.ts")).download(args, program),
  },
  backup: {
    doc: "Copy the data folder while it is in use",
    help: help("backup FOLDER", "Copy the data into a new folder, while it is in use.", [
      "belay backup /mnt/backup/belay-today",
      "BELAY_HOME=/mnt/backup/belay-today belay verify",
    ]),
    run: async (args, program) => (await import("./care-commands.ts")).backup(args, program),
  },
  completion: {
    doc: "Print a completion script for bash, zsh or fish",
    help: help("completion bash|zsh|fish", "Print a script that completes commands and flags.", [
      'eval "$(belay completion bash)"',
    ]),
    run: async (args, program) =>
      (await import("./completion.ts")).completion(args, program, systemNames()),
  },
  "demo-agent": {
    doc: "The offline demo agent itself, for any client of the Agent Client Protocol",
    help: help("demo-agent [FLAGS]", "Speaks the Agent Client Protocol on stdin and stdout.", [
      "belay demo-agent --help",
    ]),
    run: async () => {
      throw new BelayError(refuse("usage", "Put the command first: belay demo-agent [FLAGS]"));
    },
  },
  demo: {
    doc: "Watch a session being created, worked on, killed and resumed",
    help: help("demo", "Watch a session being created, worked on, killed and resumed."),
    run: async (args, program) => (await import("./demo.ts")).demo(args, program),
  },
  version: {
    doc: "Print the version",
    help: help("version", "Print the version."),
    run: version,
  },
} as const satisfies Record<string, SystemCommand>;

function systemNames(): string[] {
  return Object.keys(SYSTEM_COMMANDS);
}

function help(
  usage: string,
  doc: string,
  examples: readonly string[] = [`belay ${usage}`],
): string {
  const shown = examples.map((example) => `  ${example}\n`).join("");
  return `${doc}\n\nUsage: belay ${usage} [--json]\n\n${colors.bold("Example")}\n${shown}`;
}

async function version(_: readonly string[], program: Program): Promise<number> {
  const { terminal, version } = program;
  terminal.write(terminal.json ? `${visibleJson({ version })}\n` : `${version}\n`);
  return 0;
}
