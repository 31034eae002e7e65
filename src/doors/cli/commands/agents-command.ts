import { resolve } from "node:path";
import type { AgentInfo } from "../../../contract/agent-info.ts";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { visibleJson, visibleLine } from "../../../contract/visible-text.ts";
import type { TrustedAgents } from "../../../drive/agents/trust-workspace.ts";
import { colors } from "../colors.ts";
import type { Terminal } from "../program.ts";
import { formatTable } from "../show/table.ts";

/** The functions behind `belay agents` in the current folder. */
export interface AgentsAccess {
  list(): Promise<readonly AgentInfo[]>;
  add(name: string, command: string, args: readonly string[]): Promise<AgentInfo>;
  remove(name: string): Promise<void>;
  trust(): Promise<TrustedAgents>;
}

type Output = Pick<Terminal, "json" | "columns" | "write">;

export async function agents(
  args: readonly string[],
  access: AgentsAccess,
  terminal: Output,
): Promise<number> {
  const [verb = "list", ...rest] = args;
  switch (verb) {
    case "list":
      expect(rest.length === 0, "agents list");
      return list(access, terminal);
    case "add":
      return add(rest, access, terminal);
    case "remove":
      expect(rest.length === 1, "agents remove NAME");
      return remove(rest[0] ?? "", access, terminal);
    case "trust":
      expect(rest.length === 0, "agents trust");
      return trust(access, terminal);
    default:
      throw usage("agents [list | add NAME -- COMMAND ARGS... | remove NAME | trust]");
  }
}

async function list(access: AgentsAccess, { json, columns, write }: Output): Promise<number> {
  const agents = await access.list();
  if (json) {
    write(`${visibleJson({ agents })}\n`);
    return 0;
  }
  const paints = {
    ready: colors.green,
    "not installed": colors.dim,
    "not trusted": colors.yellow,
    broken: colors.red,
  } as const satisfies Record<State, (text: string) => string>;
  const table = formatTable(
    agents,
    [
      { title: "AGENT", cell: (row) => visibleLine(row.name), paint: colors.bold },
      { title: "STATE", cell: stateOf, paint: (text, row) => paints[stateOf(row)](text) },
      { title: "COMMAND", cell: (row) => visibleLine(row.command), shrinks: true },
      { title: "FROM", cell: (row) => row.source, paint: colors.dim },
      { title: "HINT", cell: (row) => visibleLine(row.hint ?? "") },
    ],
    columns,
  );
  const problems = agents.flatMap(({ problem }) =>
    problem === null ? [] : [colors.red(`✗ ${visibleLine(problem)}\n`)],
  );
  write(table + problems.join(""));
  return 0;
}

type State = "ready" | "not installed" | "not trusted" | "broken";

function stateOf({ trusted, problem, installed }: AgentInfo): State {
  if (problem !== null) return "broken";
  if (!trusted) return "not trusted";
  return installed ? "ready" : "not installed";
}

async function add(
  args: readonly string[],
  access: AgentsAccess,
  { json, write }: Output,
): Promise<number> {
  const [name = "", dashes, command = "", ...rest] = args;
  expect(name !== "" && dashes === "--" && command !== "", "agents add NAME -- COMMAND ARGS...");
  // A path relative to this folder must work from every other folder.
  const added = await access.add(name, command.includes("/") ? resolve(command) : command, rest);
  if (json) {
    write(`${visibleJson(added)}\n`);
    return 0;
  }
  const next = added.installed
    ? `Try it with: ${colors.cyan(`belay run ${visibleLine(name)} "hello"`)}`
    : colors.yellow(`${visibleLine(command)} is not installed yet. Install it first.`);
  write(
    `${colors.green("✓")} added ${visibleLine(name)}: ${visibleLine(added.command)}\n  ${next}\n`,
  );
  return 0;
}

async function remove(
  name: string,
  access: AgentsAccess,
  { json, write }: Output,
): Promise<number> {
  await access.remove(name);
  write(
    json
      ? `${visibleJson({ removed: name })}\n`
      : `${colors.green("✓")} removed ${visibleLine(name)}\n`,
  );
  return 0;
}

async function trust(access: AgentsAccess, { json, write }: Output): Promise<number> {
  const trusted = await access.trust();
  if (json) {
    write(`${visibleJson(trusted)}\n`);
    return 0;
  }
  const lines = trusted.agents.flatMap(({ name, runs, allows, problem }) => [
    `  ${colors.bold(visibleLine(name))}`,
    ...runs.map((run) => `    may run       ${visibleLine(run)}`),
    ...(allows.length > 0
      ? [colors.yellow(`    auto-approved ${allows.map(nameKind).join(", ")}`)]
      : []),
    ...(problem === null ? [] : [colors.red(`    ${visibleLine(problem)}`)]),
  ]);
  const head = `${colors.green("✓")} trusted ${visibleLine(trusted.file)} in its current version\n`;
  write(head + lines.map((line) => `${line}\n`).join(""));
  return 0;
}

function nameKind(kind: string): string {
  return kind === "*" ? "everything else" : visibleLine(kind);
}

function expect(isRight: boolean, right: string): void {
  if (!isRight) throw usage(right);
}

function usage(right: string): BelayError {
  return new BelayError(refuse("usage", `Usage: belay ${right}`));
}
