import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import { openServed, type ServedApp } from "../../src/compose-served.ts";
import { serve } from "../../src/compose-server.ts";
import { isRecord } from "../../src/contract/is-record.ts";
import type { Scope } from "../../src/contract/vocabulary.ts";
import type { ServeOptions } from "../../src/doors/cli/program.ts";
import type { HttpTimes } from "../../src/doors/http/create-server.ts";
import type { StreamTimes } from "../../src/doors/http/streams/stream-times.ts";
import type { AgentRunner } from "../../src/drive/run/agent-runner.ts";
import type { ServerContext } from "../../src/server/webhooks/server-context.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
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

/** A folder that is removed after the servers of this file have stopped. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "belay-http-"));
  ofFile.folders.push(folder);
  return folder;
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** The data folder. */
  readonly home: string;
  readonly service: BelayService;
  readonly runner: AgentRunner<ServerContext>;
  /** Tokens of ann and bob, by scope. */
  readonly tokens: Readonly<Record<"ann" | "bob", Readonly<Record<Scope, string>>>>;
  /** The server's log so far. */
  log(): string;
  makeToken(owner: string, scope: Scope): Promise<{ readonly id: string; readonly token: string }>;
  revoke(token_id: string): Promise<void>;
  /** A code with which one browser can log in, once, as the person of the token. */
  loginCode(token?: string): Promise<string>;
  /** A request, by default with ann's write token; `body` is sent as JSON. */
  ask(method: string, path: string, request?: AskOptions): Promise<Answer>;
  /** Stops as a user's server does: its sessions are suspended. */
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
  /** The user who runs the server; neither ann nor bob, if none is named. */
  readonly owner?: string;
  readonly address?: Partial<Pick<ServeOptions, "host" | "port" | "allowedHosts" | "tls">>;
  readonly times?: Partial<HttpTimes & StreamTimes>;
  /** The same app with a part that is broken on purpose. */
  broken?(app: ServedApp): ServedApp;
  /** Observes the calls of the store. */
  wrap?(store: StreamStore): StreamStore;
}

/** The server that users get, on a data folder of its own, with tokens for two owners. It is closed with its test, unless it is shared. */
export async function openServer(options: ServerOptions = {}): Promise<TestServer> {
  const { shared, owner = "local", address, times, broken, wrap } = options;
  const opened = shared ? ofFile : ofTest;
  const home = options.home ?? mkdtempSync(join(tmpdir(), "belay-http-"));
  if (options.home === undefined) opened.folders.push(home);
  const lines: string[] = [];
  const log = pino({ level: "info" }, collect(lines));
  const app = await openServed(home, owner, { log, ...(wrap && { wrap }) });
  const wanted = {
    host: "127.0.0.1",
    port: 0,
    allowedHosts: [],
    imports: [],
    tls: null,
    log: null,
  };
  const serving = await serve(
    broken?.(app) ?? app,
    { ...wanted, ...address },
    { ...(times && { times }) },
  );
  const { url } = serving;
  const root = { actor: "test", interface: "library", trace_id: null } as const;

  const makeToken = (person: string, scope: Scope) =>
    app.service.call(
      "create_token",
      { name: `${person}-${scope}`, scope, owner: person },
      { ...root, owner: person },
    );
  const tokensOf = async (person: string) => ({
    read: (await makeToken(person, "read")).token,
    record: (await makeToken(person, "record")).token,
    write: (await makeToken(person, "write")).token,
    admin: (await makeToken(person, "admin")).token,
  });
  const tokens = { ann: await tokensOf("ann"), bob: await tokensOf("bob") };
  let closed: Promise<void> | undefined;
  const testServer: TestServer = {
    url,
    port: Number(new URL(url).port),
    home,
    service: app.service,
    runner: app.runner,
    tokens,
    log: () => lines.join(""),
    makeToken,
    async revoke(token_id) {
      await app.service.call("revoke_token", { token_id }, { ...root, owner: "local" });
    },
    async loginCode(token = tokens.ann.admin) {
      const { json } = await ask(`${url}/login/links`, "POST", { token, body: {} });
      return String(isRecord(json) ? json.path : "").replace("/login#", "");
    },
    ask: (method, path, request = {}) =>
      ask(`${url}${path}`, method, { token: tokens.ann.write, ...request }),
    close: () => {
      closed ??= serving.stop();
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

export function collect(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
}
