import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { openBrowser, type Visitor } from "../../browser/open-browser.ts";
import { PATIENCE_MS } from "../../patience.ts";
import {
  endAll,
  listOf,
  newPlace,
  type RealServer,
  recordOf,
  type ServerPlace,
  serve,
  textOf,
} from "../../serve/server-process.ts";

/** A server in a separate process, as a person starts it, for all tests of a file. */
export interface WebLab {
  readonly place: ServerPlace;
  readonly server: RealServer;
  /** Ends the server and starts another for the same folder at the same address. `between` runs while there is none. */
  restart(signal: NodeJS.Signals, between?: () => void): Promise<void>;
}

export function openWebLab(
  prepare: (place: ServerPlace) => Promise<void> = async () => {},
  env: Readonly<Record<string, string>> = {},
): WebLab {
  const place = newPlace();
  let server: RealServer | null = null;
  beforeAll(async () => {
    await prepare(place);
    server = await serve(place, { env });
  });
  afterAll(async () => {
    await endAll();
    place.remove();
  });
  return {
    place,
    get server() {
      if (!server) throw new Error("the server is there once a test runs");
      return server;
    },
    async restart(signal, between = () => {}) {
      const { port } = new URL(this.server.url);
      await this.server.end(signal);
      between();
      server = await serve(place, { args: ["--port", port], env });
    },
  };
}

/** How long a page may take on a busy machine. */
export const SOON = { timeout: PATIENCE_MS, interval: 50 } as const;

export interface Visit {
  readonly page: Page;
  readonly visitor: Visitor;
  /** The id of its token. */
  readonly token_id: string;
}

/** A browser of its own that is logged in, at this path. */
export async function visit(
  { server }: WebLab,
  path: string,
  { scope = "write", ...options }: BrowserContextOptions & { readonly scope?: string } = {},
): Promise<Visit> {
  const body = { name: "browser", scope };
  const { json } = await server.ask("POST", "/tokens", { body });
  const localStorage = [{ name: "belay.token", value: textOf(json, "token") }];
  const storageState = { cookies: [], origins: [{ origin: server.url, localStorage }] };
  const visitor = await openBrowser({ ...options, storageState });
  const page = await openPage(visitor, `${server.url}${path}`);
  return { page, visitor, token_id: textOf(json, "id") };
}

/** Another tab of the same browser. */
export async function openPage({ context }: Visitor, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await settle(page);
  return page;
}

/** A session of the demo agent; returns its id. A first message is sent without waiting for its answer. */
export async function begin(
  { server }: WebLab,
  session: Readonly<Record<string, unknown>> = {},
  message?: string,
): Promise<string> {
  const body = { agent_name: "demo", ...session };
  const { status, json, text } = await server.ask("POST", "/sessions", { body });
  if (status !== 201) throw new Error(`no session: ${text}`);
  const id = textOf(json, "session_id");
  if (message !== undefined) await send({ server }, id, message);
  return id;
}

export async function send(
  { server }: Pick<WebLab, "server">,
  id: string,
  message: string,
): Promise<void> {
  const body = { message, wait: false };
  const { status, text } = await server.ask("POST", `/sessions/${id}/messages`, { body });
  if (status >= 300) throw new Error(`not sent: ${text}`);
}

/** The number of open streams, as the server reports it. */
export async function countStreams({ server }: Pick<WebLab, "server">): Promise<number> {
  const { text } = await server.ask("GET", "/metrics");
  return Number(/^belay_http_open_streams (\d+)$/m.exec(text)?.[1]);
}

/** The current session. */
export async function sessionOf({ server }: WebLab, id: string): Promise<Record<string, unknown>> {
  return recordOf((await server.ask("GET", `/sessions/${id}`)).json);
}

/** Waits for the question of a session. */
export async function approvalOf({ server }: WebLab, id: string): Promise<string> {
  return until("a question", async () => {
    const approvals = listOf((await server.ask("GET", "/approvals")).json, "approvals");
    const found = approvals.find(({ session_id }) => session_id === id);
    return found && textOf(found, "approval_id");
  });
}

/** Polls until there is an answer. */
export async function until<T>(what: string, find: () => Promise<T>): Promise<NonNullable<T>> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(30)) {
    const found = await find();
    if (found) return found;
  }
  throw new Error(`waited in vain for ${what}`);
}

/** Waits until a page has loaded its data. Its feed stays open, so the network is never quiet. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole("heading").first().waitFor();
  const loading = page.locator("[role=status] > .sr-only", { hasText: /^Loading / });
  await loading.first().waitFor({ state: "detached" });
}
