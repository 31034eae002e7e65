import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import { composeAgents } from "../../src/compose-agents.ts";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import type { Scope } from "../../src/contract/vocabulary.ts";
import type { AgentRunner } from "../../src/drive/run/agent-runner.ts";
import { liveAccess } from "../../src/drive/run/live-access.ts";
import { serveImports } from "../../src/integrations/serve-imports.ts";
import { createGraphqlDoor } from "../../src/interfaces/graphql/graphql-door.ts";
import type { HttpAddress, HttpTimes } from "../../src/interfaces/http/create-server.ts";
import { HTTP_TIMES } from "../../src/interfaces/http/create-server.ts";
import type { HttpParts } from "../../src/interfaces/http/http-parts.ts";
import { serveHttp } from "../../src/interfaces/http/serve-http.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { DeviceLogins } from "../../src/server/access/device-logins.ts";
import { invitePerson } from "../../src/server/access/invite-person.ts";
import { MemoryValues } from "../../src/server/access/memory-values.ts";
import { RefusedTokens } from "../../src/server/access/refused-tokens.ts";
import { serveLinks } from "../../src/server/access/serve-links.ts";
import { admit, admitTogether, isAdmitted } from "../../src/server/access/tokens.ts";
import { recordRefused } from "../../src/service/access/access-log.ts";
import { exportAudit } from "../../src/service/audit/export-audit.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
import { bindImports } from "../../src/service/import-access.ts";
import { newId } from "../../src/service/new-id.ts";
import { sessionFiles } from "../../src/service/session-files.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { afterEachFile, afterEachTest } from "../clean-up.ts";

interface Opened {
  readonly servers: TestServer[];
  readonly folders: string[];
}

const ofTest: Opened = { servers: [], folders: [] };
const ofFile: Opened = { servers: [], folders: [] };

afterEachTest(() => closeAll(ofTest));
afterEachFile(() => closeAll(ofFile));

async function closeAll({ servers, folders }: Opened): Promise<void> {
  for (const server of servers.splice(0).reverse()) await server.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** The data folder. */
  readonly home: string;
  readonly service: BelayService;
  readonly runner: AgentRunner;
  /** Tokens of ann and bob, by scope. */
  readonly tokens: Readonly<Record<"ann" | "bob", Readonly<Record<Scope, string>>>>;
  /** One-time codes for /login, and their tokens. */
  readonly codes: Map<string, string>;
  /** The server's log so far. */
  log(): string;
  makeToken(owner: string, scope: Scope): Promise<{ readonly id: string; readonly token: string }>;
  revoke(token_id: string): Promise<void>;
  /** A request, by default with ann's write token; `body` is sent as JSON. */
  ask(method: string, path: string, request?: AskOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface AskOptions {
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed text; undefined if it is not JSON. */
  readonly json: unknown;
}

export interface ServerOptions {
  /** An existing data folder, which is kept. */
  readonly home?: string;
  /** Closed after the file instead of after the test. */
  readonly shared?: boolean;
  readonly address?: Partial<HttpAddress>;
  readonly times?: Partial<HttpTimes>;
  readonly parts?: Partial<HttpParts>;
  /** Observes the calls of the store. */
  wrap?(store: StreamStore): StreamStore;
}

/** A server on a store of its own, with tokens for two owners. It is closed with its test, unless it is shared. */
export async function openServer(options: ServerOptions = {}): Promise<TestServer> {
  const opened = options.shared ? ofFile : ofTest;
  const home = options.home ?? mkdtempSync(join(tmpdir(), "belay-http-"));
  if (options.home === undefined) opened.folders.push(home);
  const opens = await openSqliteStore({ folder: home, isAlive });
  const store = options.wrap?.(opens) ?? opens;
  const imports = serveImports({ env: {}, userHome: join(home, "user"), owner: "ann" });
  const runner = composeAgents(home, { ...createContext(store), imports }, "api");
  const service = createService(runner.context);
  const { details, ...live } = liveAccess(runner);
  const root = { actor: "test", interface: "library", trace_id: null } as const;
  const codes = new Map<string, string>();
  const lines: string[] = [];

  const makeToken = (owner: string, scope: Scope) =>
    service.call("create_token", { name: `${owner}-${scope}`, scope, owner }, { ...root, owner });
  const tokensOf = async (owner: string) => ({
    read: (await makeToken(owner, "read")).token,
    record: (await makeToken(owner, "record")).token,
    write: (await makeToken(owner, "write")).token,
    admin: (await makeToken(owner, "admin")).token,
  });
  const revoke = async (token_id: string): Promise<void> => {
    await service.call("revoke_token", { token_id }, { ...root, owner: "local" });
  };

  const devices = new DeviceLogins(new MemoryValues(Date.now));
  const refusedTokens = new RefusedTokens(runner.context, { ...root, owner: "ann" });
  const links = serveLinks(runner.context, (error) => void lines.push(`unexpected: ${error}\n`));
  const parts: HttpParts = {
    service,
    version: "0.0.0-test",
    project: null,
    ...(runner.members && { memberFolder: runner.members.folderOf }),
    newId,
    admit: admitTogether((token) => admit(store, token)),
    isAdmitted: (admission) => isAdmitted(store, admission),
    redeem: async (code) => {
      const token = codes.get(code) ?? null;
      codes.delete(code);
      return token;
    },
    issueCode: async (caller, person) => {
      const owner = await invitePerson(runner.context, caller, person);
      const code = newId();
      codes.set(code, tokens[owner === "bob" ? "bob" : "ann"].write);
      return code;
    },
    prove: () => null,
    devices: {
      start: (asker) => devices.start(asker),
      find: (user_code) => devices.find(user_code),
      approve: (user_code, owner) => devices.approve(user_code, owner),
      async take(device_code) {
        const taken = await devices.take(device_code);
        if (taken === null || taken === "pending") return taken;
        return (await makeToken(taken.owner, "write")).token;
      },
    },
    readLink: links.read,
    exportAudit: (caller, wanted) => exportAudit(runner.context, caller, wanted),
    noteStranger: (request) => refusedTokens.record(request),
    noteRefused: (caller, what) => recordRefused(runner.context, caller, what),
    revoke,
    ...live,
    files: sessionFiles(runner.context),
    imports: bindImports(imports, runner.context),
    graphql: createGraphqlDoor({
      service,
      details,
      ...live,
      report: (error) => void lines.push(`unexpected: ${error}\n`),
    }),
    doors: {
      mcp: async (_request, response, body, caller) => {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ body: body ?? null, caller }));
      },
      hook: async (payload) => (payload === "" ? "" : JSON.stringify({ payload })),
    },
    ...options.parts,
  };
  const address = { host: "127.0.0.1", port: 0, ...options.address };
  const log = pino({ level: "info" }, collect(lines));
  const server = await serveHttp(parts, address, log, { ...HTTP_TIMES, ...options.times });

  const tokens = { ann: await tokensOf("ann"), bob: await tokensOf("bob") };
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await server.close();
    await links.close();
    await runner.close();
    await store.close();
  };
  const testServer: TestServer = {
    url: server.url,
    port: Number(new URL(server.url).port),
    home,
    service,
    runner,
    tokens,
    codes,
    log: () => lines.join(""),
    makeToken,
    revoke,
    ask: (method, path, request = {}) =>
      ask(`${server.url}${path}`, method, { token: tokens.ann.write, ...request }),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
  opened.servers.push(testServer);
  return testServer;
}

async function ask(url: string, method: string, request: AskOptions): Promise<Answer> {
  const { token, body } = request;
  const response = await fetch(url, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...request.headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: readJson(text) };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function collect(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
}
