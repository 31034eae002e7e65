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
    doc: "Run an agent in a new session, and approve or reject its tool calls",
    help: help(
      'run AGENT ["PROMPT"] [--once] [--id ID] [--title T] [--purpose P] [--task ID] [--cwd DIR]',
      "Run an agent in a new session. Ctrl-C interrupts the turn; a second Ctrl-C suspends the session; Ctrl-D completes it. With --once the session ends after the first turn. You can also pipe the prompt in. --json prints one event per line.",
      ['belay run demo "what can you do?"', 'belay run gemini "fix the test" --once'],
    ),
    run: async (args, program) => (await import("./agent-commands.ts")).run(args, program),
  },
  send: {
    group: "agents",
    doc: "Send a message to a session and show the answer",
    help: help(
      'send ID "MESSAGE" [--agent AGENT]',
      "Send a message to a session and show the answer, even if another process runs the session. --agent hands the session to another agent first.",
      ['belay send agent-20260108 "and now the docs"'],
    ),
    run: async (args, program) => (await import("./agent-commands.ts")).send(args, program),
  },
  handoff: {
    group: "agents",
    doc: "Hand a session to another agent",
    help: help(
      'handoff ID --to AGENT ["MESSAGE"] [--dry-run]',
      "Hand a session to another agent. Belay stops a running turn and gives the new agent a summary of what the previous agent knew. Without MESSAGE the new agent starts with the next message. --dry-run only shows the summary.",
      ['belay handoff agent-20260108 --to codex "finish the tests"'],
    ),
    run: async (args, program) => (await import("./agent-commands.ts")).handoff(args, program),
  },
  replay: {
    group: "agents",
    doc: "Send a session's prompts to another agent and compare the answers",
    help: help(
      "replay ID --agent AGENT",
      "Send a session's prompts to another agent in a fork, then compare outcomes, tool calls, time and cost.",
      ["belay replay agent-20260108 --agent codex"],
    ),
    run: async (args, program) => (await import("./agent-commands.ts")).replay(args, program),
  },
  attach: {
    group: "agents",
    doc: "Watch an agent work, live, from any terminal",
    help: help(
      "attach ID",
      "Watch an agent work, live. Ctrl-C stops watching; the session is not affected.",
      ["belay attach agent-20260108"],
    ),
    run: async (args, program) => (await import("./agent-commands.ts")).attach(args, program),
  },
  agents: {
    group: "agents",
    doc: "List, add or remove agents, or trust the agents of a workspace",
    help: help(
      "agents [list | add NAME -- COMMAND ARGS... | remove NAME | trust]",
      "List, add or remove agents. Your own agents are in agents.json of the data folder. Agents in a workspace's .belay/agents.json do not run until you trust that file.",
      ["belay agents", "belay agents add mine -- my-agent --acp"],
    ),
    run: async (args, program) =>
      (await import("./agents-command.ts")).agents(args, program.agents(), program.terminal),
  },
  "checkpoint trust": {
    doc: "Let checkpoints record and restore the files of this git work tree",
    help: help(
      "checkpoint trust",
      "Let checkpoints record and restore the files of the git work tree around the current folder. Files that git ignores are left out.",
      ["belay checkpoint trust"],
    ),
    run: async (args, program) =>
      (await import("./workspace-commands.ts")).trustWorkTree(args, program),
  },
  serve: {
    doc: "Start the server: web page, REST, GraphQL, MCP, hooks and live streams",
    help: help(
      "serve [--port N] [--host H] [--allow-host NAME] [--tls-cert FILE --tls-key FILE] [--insecure] [--import TOOL] [--log LEVEL]",
      "Start a server for this data folder, on loopback and port 4747 by default (0 picks a free port). The server writes its address to server.json and a token to server-token in the data folder. --host other than loopback needs a certificate (--tls-cert, --tls-key), or --insecure behind a proxy that encrypts. --allow-host adds a name under which clients call the server. --import imports new conversations of a tool every ten seconds. --log is one of debug, info, warn, error, silent. Ctrl-C suspends the running sessions and stops the server.",
      ["belay serve", "belay serve --port 0 --json"],
    ),
    run: async (args, program) => (await import("./serve.ts")).serve(args, program),
  },
  login: {
    doc: "Print a link that logs a browser in to the web page",
    help: help(
      "login [--for NAME | --url URL]",
      "Print a link to the web page of the running server. The link logs in one browser, once, within ten minutes: as you, or with --for as another person of this server. With --url, log in this machine to a server elsewhere: the command shows a code, and you approve it in a browser.",
      ["belay login", "belay login --for bob", "belay login --url https://belay.example.com"],
    ),
    run: async (args, program) => (await import("./login.ts")).login(args, program),
  },
  mcp: {
    doc: "Run an MCP server on stdio, or add Belay to an MCP client",
    help: help(
      "mcp [install|uninstall claude-code|gemini|cursor [--print] [--user]]",
      "Run an MCP server on stdin and stdout; it opens no port. install adds Belay to a client's settings and shows the diff. uninstall removes exactly what install added. --print only shows the diff. --user changes the settings for all projects.",
      ["belay mcp install claude-code --print", "belay mcp install gemini"],
    ),
    run: (args, program) => program.mcp(args),
  },
  init: {
    doc: "Set up the current folder as a workspace: read its backlog, write mirrors for other tools",
    help: help(
      "init [--mirror claude] [--mirror copilot] [--plain-mirrors]",
      "Set up the current folder as a workspace. Belay reads its backlog. With --mirror, Belay also writes files that Claude Code or Copilot read. They are plain text: if the data is encrypted, --plain-mirrors allows them.",
      ["belay init --mirror claude", "belay init --mirror claude --mirror copilot"],
    ),
    run: async (args, program) => (await import("./workspace-commands.ts")).init(args, program),
  },
  hooks: {
    doc: "Record what Claude Code does, through hooks; or stop recording",
    help: help(
      "hooks install|uninstall claude-code [--print] [--user] [--http [--url URL]]",
      "Add Belay's hooks to .claude/settings.json of this project and show the diff. --user adds them for all projects. --print only shows the diff. uninstall removes exactly what install added. With --http the hooks call the running server (or the one at --url) instead of starting a process each time.",
      ["belay hooks install claude-code --print", "belay hooks install claude-code"],
    ),
    run: (args, program) => program.hooks(args),
  },
  import: {
    doc: "Import conversations from another tool",
    help: help(
      "import TOOL [PATH] [--dry-run] [--since TIME] [--watch] [--yes]",
      `Import conversations as sessions, from PATH or from the folder where TOOL stores them. At a terminal Belay asks before it reads that folder; --yes skips the question. Belay never changes those files. A second import adds only what is new. --dry-run writes nothing. --since skips older conversations. --watch keeps importing while TOOL writes. TOOL is one of: ${IMPORT_TOOLS.join(", ")}, gaia (a folder of state.json files).`,
      ["belay import claude-code --dry-run", "belay import gaia .claude/session"],
    ),
    run: async (args, program) => (await import("./import-command.ts")).importFrom(args, program),
  },
  restore: {
    doc: "Restore a Copilot session from the files of its workspace after a crash",
    help: help(
      "restore --session-state FILE [--dry-run]",
      "Restore a session from session_state.json, events.ndjson, gaia.db and the backlog, and plan what may safely happen next. Belay reports damage and moves damaged files to .tmp/corrupt. It never shortens a log. --dry-run writes nothing.",
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
    doc: "Check the stored data for damage",
    help: help(
      "verify [--anchor FILE] [--accept-anchor]",
      "Check all stored data, and compare it with the anchor, a file that records the last event of each session. Damage gives exit code 5. Differences that a crash explains are repaired. If only the anchor is lost, or if a power cut, a failover or a restored backup took the last events, --accept-anchor accepts the data in its current state and records that. On PostgreSQL each node has an anchor of its own; --anchor compares a copy of another node's.",
      ["belay verify", "belay verify --anchor node-b/postgres-anchor-3f2a9c1b7d5e8046.log"],
    ),
    run: async (args, program) => (await import("./care-commands.ts")).verify(args, program),
  },
  doctor: {
    doc: "Check versions, settings and file permissions, and show how to fix problems",
    help: help(
      "doctor",
      "Check versions, settings and file permissions, and show how to fix problems.",
    ),
    run: async (args, program) => (await import("./care-commands.ts")).doctor(args, program),
  },
  encrypt: {
    doc: "Encrypt the data, show how it is encrypted, or change the master key",
    help: help(
      "encrypt status|enable|rotate [--plain-mirrors]",
      "status shows whether the data is encrypted, and which folders of agents are not. enable encrypts existing data; stop the server and other Belay processes first. rotate changes the master key and removes the old one from the key file; sessions stay usable meanwhile. Earlier backups still need the old key. If a workspace has mirrors, which are plain text, enable needs --plain-mirrors. Set the key with BELAY_KEY_FILE or BELAY_KEY_COMMAND.",
      ["belay encrypt status", "belay encrypt enable", "belay encrypt rotate"],
    ),
    run: async (args, program) => (await import("./encrypt-command.ts")).encrypt(args, program),
  },
  durability: {
    doc: "Choose whether acknowledged changes survive a power cut",
    help: help(
      "durability power|process",
      "Choose the durability of this data folder. power (the default) writes each change to the disk before it is acknowledged, so it survives a power cut. process is faster: changes survive killed processes, but a power cut can lose the most recent ones. `belay doctor` shows the current choice.",
      ["belay durability process"],
    ),
    run: async (args, program) => (await import("./care-commands.ts")).durability(args, program),
  },
  redact: {
    doc: "Choose whether secrets are replaced before they are stored",
    help: help(
      "redact store|exports",
      "Choose where secrets are replaced. exports (the default) replaces them only in redacted exports, links and webhooks. store also replaces them in every text before it is stored in this data folder: in messages, answers, tool calls, imports, hooks and checkpoints. THIS CANNOT BE UNDONE: a replaced text is lost, agents receive your messages without it, and text that only looks like a secret is lost too. It does not change text that is already stored, and does not cover files that are stored with sessions. Restart the server afterwards. `belay doctor` shows the current choice.",
      ["belay redact store", "belay redact exports"],
    ),
    run: async (args, program) => (await import("./care-commands.ts")).redact(args, program),
  },
  compact: {
    doc: "Remove the data of purged sessions from the database file",
    help: help(
      "compact",
      "Rewrite the database without deleted data. Purged sessions cannot be read any more, but their bytes stay in the file until you run this. It needs as much free disk space as the data uses. If other processes use the data at the same time, it may be refused: stop the server first.",
    ),
    run: async (args, program) => (await import("./care-commands.ts")).compact(args, program),
  },
  export: {
    doc: "Export a session to share it, with secrets redacted if you choose",
    help: help(
      "export ID [--redact] [--preview] [--format markdown|ndjson] [--out FILE]",
      "Export a session as Markdown, or as NDJSON with every event (also with --json). --redact replaces text that looks like a secret, and the secrets in your environment, with [redacted:KIND]. --preview only lists what would be replaced. The session's files are not included. No rule finds every secret: read the result before you share it.",
      ["belay export agent-20260108 --preview", "belay export agent-20260108 --redact --out a.md"],
    ),
    run: async (args, program) =>
      (await import("./export-command.ts")).exportCommand(args, program),
  },
  upload: {
    doc: "Store a file with a session",
    help: help(
      "upload ID FILE [--name NAME] [--media-type TYPE]",
      "Store a file of up to 64 MB with a session. Prints the digest, which `belay download` needs. --name and --media-type change the name and the type that are stored. `belay artifacts ID` lists the files of a session.",
      ["belay upload agent-20260108 report.pdf --media-type application/pdf"],
    ),
    run: async (args, program) => (await import("./file-commands.ts")).upload(args, program),
  },
  download: {
    doc: "Save a file of a session to the disk",
    help: help(
      "download ID DIGEST FILE",
      "Save a file of a session to the disk. An existing file is never overwritten.",
      ["belay download agent-20260108 9f86d081884c7d65... report.pdf"],
    ),
    run: async (args, program) => (await import("./file-commands.ts")).download(args, program),
  },
  backup: {
    doc: "Copy the data into a new folder while it is in use",
    help: help(
      "backup FOLDER",
      "Copy the data into a new data folder, while it is in use. The copy of a PostgreSQL database is a data folder with SQLite; `belay migrate` restores it into any store.",
      ["belay backup /mnt/backup/belay-today", "BELAY_HOME=/mnt/backup/belay-today belay verify"],
    ),
    run: async (args, program) => (await import("./care-commands.ts")).backup(args, program),
  },
  migrate: {
    doc: "Copy everything into another store",
    help: help(
      "migrate --from STORE --to STORE",
      "Copy all sessions from one store into another, and compare every hash. A store is sqlite:FOLDER, files:FOLDER or postgres://USER:PASSWORD@HOST/DATABASE. The source stays as it is. The target must be empty or contain an earlier part of the same copy: after an interruption, or if the source was written to meanwhile, run the command again. Encrypted data stays encrypted, so no key is needed. At the end, set BELAY_HOME or BELAY_DATABASE_URL to use the copy.",
      [
        "belay migrate --from sqlite:$HOME/.belay --to postgres://belay:secret@db/belay",
        "belay migrate --from sqlite:/mnt/backup/belay-today --to files:$HOME/sessions",
      ],
    ),
    run: async (args, program) => (await import("./migrate-command.ts")).migrate(args, program),
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
    doc: "Run the offline demo agent on stdio, for any Agent Client Protocol client",
    help: help(
      "demo-agent [FLAGS]",
      "Run the offline demo agent. It speaks the Agent Client Protocol on stdin and stdout.",
      ["belay demo-agent --help"],
    ),
    run: async () => {
      throw new BelayError(refuse("usage", "Put the command first: belay demo-agent [FLAGS]"));
    },
  },
  demo: {
    doc: "Watch a demo session being created, killed and resumed",
    help: help("demo", "Watch a demo session being created, killed and resumed."),
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
