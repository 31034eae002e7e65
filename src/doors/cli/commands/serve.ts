import { BelayError, refuse } from "../../../contract/errors.ts";
import { visibleJson } from "../../../contract/visible-text.ts";
import { IMPORT_TOOLS, type ImportTool } from "../../../contract/vocabulary.ts";
import { colors } from "../colors.ts";
import { expectArguments } from "../expect-arguments.ts";
import type { Program, ServeOptions, Serving } from "../program.ts";

const DEFAULT_PORT = 4747;

/** `belay serve`: one address for REST, MCP, hooks and live streams, until it is stopped. */
export async function serve(args: readonly string[], program: Program): Promise<number> {
  const options = readOptions(args);
  const { terminal } = program;
  const stopped = untilSignal();
  const serving = await program.serve(options);
  terminal.write(
    terminal.json
      ? `${visibleJson({ url: serving.url, pid: process.pid })}\n`
      : await describe(serving, program),
  );
  const overtaken = serving.overtaken.then(() => "Another server has taken over");
  const why = await Promise.race([stopped, overtaken]);
  if (!terminal.json) serving.note(`${why}: suspending running sessions ...`);
  await serving.stop();
  return 0;
}

const USAGE =
  "serve [--port N] [--host H] [--allow-host NAME] [--tls-cert FILE --tls-key FILE] [--insecure] [--import TOOL] [--log LEVEL]";
const LEVELS = ["debug", "info", "warn", "error", "silent"];

function readOptions(args: readonly string[]): ServeOptions {
  const text = { type: "string" } as const;
  const { values } = expectArguments(USAGE, args, 0, {
    port: text,
    host: text,
    "allow-host": { type: "string", multiple: true },
    "tls-cert": text,
    "tls-key": text,
    insecure: { type: "boolean" },
    import: { type: "string", multiple: true },
    log: text,
  });
  const port = readPort(String(values.port ?? DEFAULT_PORT));
  const host = String(values.host ?? "127.0.0.1");
  const { "tls-cert": cert, "tls-key": key, log } = values;
  if ((cert === undefined) !== (key === undefined)) {
    throw usage("--tls-cert and --tls-key must be used together.");
  }
  const tls = cert === undefined ? null : { cert: String(cert), key: String(key) };
  if (!isLoopback(host) && !tls && values.insecure !== true) {
    throw usage(
      `${host} is reachable from other machines, and tokens would be sent unencrypted. Use --tls-cert and --tls-key, or --insecure behind a proxy that encrypts.`,
    );
  }
  if (log !== undefined && !LEVELS.includes(String(log))) {
    throw usage(`--log must be one of ${LEVELS.join(", ")}.`);
  }
  return {
    port,
    host,
    tls,
    allowedHosts: [values["allow-host"] ?? []].flat().map(String),
    imports: [values.import ?? []].flat().map((name) => readTool(String(name))),
    log: log === undefined ? null : String(log),
  };
}

function readTool(name: string): ImportTool {
  const tool = IMPORT_TOOLS.find((known) => known === name);
  if (tool) return tool;
  throw usage(`Cannot import from "${name}". Choose one of: ${IMPORT_TOOLS.join(", ")}.`);
}

function readPort(typed: string): number {
  const port = Number(typed);
  if (/^\d+$/.test(typed) && port <= 65_535) return port;
  throw usage("--port must be a number from 0 to 65535; 0 picks a free port.");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

function usage(message: string): BelayError {
  return new BelayError(refuse("usage", `${message} See: belay serve --help`));
}

async function describe(serving: Serving, { version, home, terminal }: Program): Promise<string> {
  const { url, tokenFile } = serving;
  const { bold, dim } = colors;
  return [
    `${bold("Belay")} ${version} is serving ${home}.`,
    "",
    ...(await describeLogin(serving, terminal.interactive)),
    "",
    `  REST and live streams   ${url}/openapi.json describes them`,
    `  GraphQL, MCP            ${url}/graphql, ${url}/mcp`,
    `  your token              ${tokenFile} ${dim("(only you can read it)")}`,
    "",
    "Programs send the token. Try it with the demo agent, which needs no network and no API key:",
    "",
    `  export BELAY_URL=${url} BELAY_TOKEN=$(cat ${tokenFile})`,
    `  curl -H "Authorization: Bearer $BELAY_TOKEN" -H "Content-Type: application/json" \\`,
    `    $BELAY_URL/sessions -d '{"agent_name":"demo","initial_message":"hello","stream":true}'`,
    "",
    dim("Ctrl-C suspends the running sessions and stops the server."),
    "",
  ].join("\n");
}

/** Everyone who reads the link can log in with it, so it is only printed on a terminal, never in files and journals. */
async function describeLogin({ loginUrl }: Serving, isTerminal: boolean): Promise<string[]> {
  const { bold, dim } = colors;
  if (!isTerminal) return ["  web page                run `belay login` in a terminal for a link"];
  return [
    "Open this link in a browser:",
    "",
    `  ${bold(await loginUrl())}`,
    "",
    dim('It logs in one browser, once, within ten minutes. "belay login" prints a new link.'),
  ];
}

/** The first signal asks for a clean stop; the second exits at once. */
function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        resolve(signal);
      });
    }
  });
}
