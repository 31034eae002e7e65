import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import { isatty } from "node:tty";
import { type Logger, pino } from "pino";
import { Counter, Gauge, Registry } from "prom-client";
import about from "../package.json" with { type: "json" };
import { composeAgents } from "./compose-agents.ts";
import { composeImports, createContext } from "./compose-context.ts";
import { createService } from "./compose-service.ts";
import { openStore } from "./compose-store.ts";
import { BelayError, refuse } from "./contract/errors.ts";
import { escapeHidden } from "./contract/visible-text.ts";
import { liveAccess } from "./drive/run/live-access.ts";
import { answerHookRequest } from "./integrations/claude/hooks/answer-hook-request.ts";
import { spoolChore } from "./integrations/claude/spool-chore.ts";
import { importChore } from "./integrations/serve-imports.ts";
import type { ServeOptions, Serving } from "./interfaces/cli/program.ts";
import type { GraphqlDoor } from "./interfaces/graphql/graphql-door.ts";
import type { HttpServer } from "./interfaces/http/serve-http.ts";
import { serveHttp } from "./interfaces/http/serve-http.ts";
import type { McpDoor } from "./interfaces/mcp/mcp-door.ts";
import { LogOutput } from "./process/log-output.ts";
import { identifyProcess } from "./process/process-identity.ts";
import { invitePerson } from "./server/access/invite-person.ts";
import { LoginCodes } from "./server/access/login-codes.ts";
import {
  admit,
  admitTogether,
  asServerUser,
  isAdmitted,
  renewToken,
} from "./server/access/tokens.ts";
import type { ChoreListener } from "./server/chores/chores.ts";
import { pause, startChores } from "./server/chores/chores.ts";
import { serverChores } from "./server/chores/server-chores.ts";
import { SERVERS, serveAlone } from "./server/serve-alone.ts";
import {
  proveServer,
  readServerAddress,
  readServerToken,
  removeServerAddress,
  tokenFile,
  writeServerAddress,
  writeServerToken,
} from "./server/server-files.ts";
import { admitDelivery } from "./server/webhooks/admit-delivery.ts";
import { startWebhooks } from "./server/webhooks/start-webhooks.ts";
import { takeDelivery } from "./server/webhooks/take-delivery.ts";
import type { BelayService } from "./service/belay-service.ts";
import { findProject } from "./service/find-project.ts";
import { bindImports } from "./service/import-access.ts";
import { newId } from "./service/new-id.ts";
import { countAhead } from "./service/read/counted-sessions.ts";
import { feedEnd } from "./service/read/follow-feed.ts";
import { resumePolicy } from "./service/resume-policy.ts";
import type { Caller } from "./service/service-context.ts";
import { sessionFiles } from "./service/session-files.ts";
import type { Holder, StreamStore } from "./store/stream-store.ts";

/** Puts the server together: every door over one service, and what it does by itself. */
export async function startServer(
  home: string,
  owner: string,
  options: ServeOptions,
): Promise<Serving> {
  resumePolicy();
  const cwd = process.cwd();
  const output = new LogOutput(2);
  const log = createLog(options.log, output);
  const store = await openStore({ home, onNotice: (text) => log.warn(text) });
  const served = new Set<string>();
  let failedMirrors = 0;
  const base = createContext(store, (text) => {
    failedMirrors += 1;
    log.warn(text);
  });
  const imports = composeImports(owner);
  const runner = composeAgents(
    home,
    {
      ...base,
      imports,
      async onChanged(changed) {
        // What is to be suspended with the server; the rest needs no remembering.
        if (changed.head.status === "active") served.add(changed.stream.id);
        else served.delete(changed.stream.id);
        await base.onChanged?.(changed);
      },
    },
    "api",
  );
  const { context } = runner;
  const service = createService(context);
  const { expectAgent } = runner;
  const { details, ...live } = liveAccess(runner);
  const self: Caller = { owner, actor: "belay", interface: "api", trace_id: newId() };
  let listening: HttpServer | null = null;
  const close = async (): Promise<void> => {
    await listening?.close();
    await runner.close();
    await store.close();
  };

  // What nobody waited for must not take the work of all others with it.
  process.on("unhandledRejection", (err) => log.error({ err }, "failed"));

  try {
    const overtaken = Promise.withResolvers<void>();
    const describeOther = async ({ pid }: Holder): Promise<string> => {
      const url = await addressOf(home, pid);
      return `a server (pid ${pid}) serves ${home} already${url ? `, at ${url}` : ""}: use that one, or end it first`;
    };
    const sole = await serveAlone(context, self, describeOther, overtaken.resolve);
    const registry = new Registry();
    count(registry, {
      name: "belay_log_lines_dropped_total",
      help: "Log lines that nobody took: the reader was gone or too slow",
      read: () => output.dropped,
    });
    count(registry, {
      name: "belay_mirror_failures_total",
      help: "Mirrors of sessions that could not be written into their workspace",
      read: () => failedMirrors,
    });
    const codes = new LoginCodes(Date.now);
    let mcp: Promise<McpDoor> | null = null;
    // Loaded by the first who asks: it is large, and most servers are never asked.
    const openMcp = async (): Promise<McpDoor> => {
      const { createMcpDoor } = await import("./interfaces/mcp/mcp-door.ts");
      return createMcpDoor(service, about.version, (err) => log.error({ err }, "failed"));
    };
    let graphql: Promise<GraphqlDoor> | null = null;
    const openGraphql = async (): Promise<GraphqlDoor> => {
      const { createGraphqlDoor } = await import("./interfaces/graphql/graphql-door.ts");
      return createGraphqlDoor({
        service,
        details,
        ...live,
        report: (err) => log.error({ err }, "failed"),
      });
    };
    const tls = options.tls && readPair(options.tls);
    // Before anyone can ask: the first statistics of a process read every session.
    await countAhead(store, owner).catch((err: unknown) => log.warn({ err }, "not counted"));
    const server = await listen(options, () =>
      serveHttp(
        {
          service,
          version: about.version,
          project: findProject(cwd),
          newId,
          admit: asServerUser(
            owner,
            admitTogether(store, (used) => {
              renewToken(context, self, used).catch((err: unknown) =>
                log.warn({ err }, "not renewed"),
              );
            }),
          ),
          isAdmitted: (admission) => isAdmitted(store, admission),
          async redeem(code) {
            const of = codes.redeem(code);
            if (of === null) return null;
            const wanted = { name: "browser", scope: "write", owner: of, idle_days: 30 };
            return (await service.call("create_token", wanted, self)).token;
          },
          issueCode: async (caller, person) =>
            codes.issue(await invitePerson(context, caller, person)),
          prove(nonce) {
            const token = readServerToken(home);
            return token !== null && listening ? proveServer(token, listening.url, nonce) : null;
          },
          async revoke(token_id) {
            await service.call("revoke_token", { token_id }, self);
          },
          ...live,
          feedEnd: () => feedEnd(store),
          files: sessionFiles(context),
          imports: bindImports(imports, context),
          webhooks: {
            admit: (name, headers, body) => admitDelivery(context, name, headers, body),
            take: (delivery, payload, trace_id) =>
              takeDelivery(
                {
                  service,
                  context,
                  expectAgent,
                },
                delivery,
                payload,
                trace_id,
              ),
          },
          metrics: registry,
          graphql: {
            async answer(body, caller, signal, streams) {
              graphql ??= openGraphql();
              return (await graphql).answer(body, caller, signal, streams);
            },
            async converse(peer) {
              graphql ??= openGraphql();
              await (await graphql).converse(peer);
            },
          },
          doors: {
            async mcp(request, response, body, caller) {
              mcp ??= openMcp();
              await (await mcp).handle(request, response, body, caller);
            },
            hook: (payload, caller) =>
              answerHookRequest(payload, caller, {
                context,
                home,
                cwd,
                env: process.env,
                noteFailure: (hook, problem) => log.warn({ hook, problem }, "a hook failed"),
              }),
          },
        },
        {
          host: options.host,
          port: options.port,
          allowedHosts: [...options.allowedHosts, ...ownName(options.host)],
          tls,
        },
        log,
      ),
    );
    listening = server;
    await keepToken(home, store, service, self);
    await sole.started(server.url);
    writeServerAddress(home, { url: server.url, ...identifyProcess(process.pid) });
    const listener = listenTo(registry, log);
    const chores = startChores(
      [
        ...serverChores({ context, runner, owner: SERVERS }),
        spoolChore(context, { home, cwd, owner }),
        ...importChore(context, { env: process.env, userHome: homedir(), owner }, options.imports),
      ],
      listener,
    );
    const sending = startWebhooks({ context, listener, sleep: pause, random: Math.random });
    log.info({ url: server.url, home }, "serving");
    return {
      url: server.url,
      tokenFile: tokenFile(home),
      loginUrl: () => `${server.url}/login#${codes.issue(owner)}`,
      note: (text) => output.write(`${text}\n`),
      overtaken: overtaken.promise,
      async stop() {
        log.info("ending");
        await Promise.all([chores.stop(), sending.stop()]);
        await (await mcp)?.close();
        // Sessions first, so that clients that come back find them suspended.
        await runner.suspendAll({ ...self, trace_id: newId() }, "shutdown", served);
        await server.close();
        // And what was begun until nobody was let in any more.
        await runner.suspendAll({ ...self, trace_id: newId() }, "shutdown", served);
        removeServerAddress(home);
        await sole.stopped(server.url);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** One that has only begun says where it is in a moment; what another left behind says nothing of it. */
async function addressOf(home: string, pid: number): Promise<string | null> {
  for (const end = Date.now() + ADDRESS_MS; ; await sleep(20)) {
    const address = readServerAddress(home);
    if (address?.pid === pid) return address.url;
    if (Date.now() > end) return null;
  }
}

const ADDRESS_MS = 3000;

function readPair({ cert, key }: { readonly cert: string; readonly key: string }) {
  try {
    const pair = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
    createSecureContext(pair);
    return pair;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `Cannot use the certificate: ${why}. --tls-cert and --tls-key must name files with a certificate and its key, as PEM.`;
    throw new BelayError(refuse("usage", message), error);
  }
}

const UNLISTENABLE = ["EADDRINUSE", "EACCES", "EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"];

async function listen(
  { host, port }: ServeOptions,
  start: () => Promise<HttpServer>,
): Promise<HttpServer> {
  try {
    return await start();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (!UNLISTENABLE.some((known) => known === code)) throw error;
    const message =
      code === "EADDRINUSE"
        ? `Port ${port} of ${host} is used by another program. Choose one with --port, or any free one with --port 0.`
        : `Cannot listen on ${host}, port ${port} (${code}). Choose others with --host and --port.`;
    throw new BelayError(refuse("address_taken", message, { host, port }), error);
  }
}

/** The name by which those who are let in from elsewhere call it. */
function ownName(host: string): string[] {
  const isSaid = /^(localhost|127\..*|::1|0\.0\.0\.0|::)$/.test(host);
  return isSaid ? [] : [host.includes(":") ? `[${host}]` : host];
}

/** One token for this person's own programs; the file is the only place where it can be read. */
async function keepToken(
  home: string,
  store: StreamStore,
  service: BelayService,
  caller: Caller,
): Promise<void> {
  const kept = readServerToken(home);
  const admission = kept === null ? null : await admit(store, kept);
  if (admission?.owner === caller.owner && admission.scope === "admin") return;
  const wanted = { name: "server-token", scope: "admin" };
  writeServerToken(home, (await service.call("create_token", wanted, caller)).token);
}

function createLog(level: string | null, output: LogOutput): Logger {
  const quiet = isatty(2) ? "warn" : "info";
  return pino({ level: level ?? quiet, hooks: { streamWrite: escapeHidden } }, output);
}

function count(
  registry: Registry,
  { name, help, read }: { readonly name: string; readonly help: string; read(): number },
): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

function listenTo(registry: Registry, log: Logger): ChoreListener {
  const registers = [registry];
  const runs = new Counter({
    name: "belay_chore_runs_total",
    help: "Runs of what the server does by itself",
    labelNames: ["chore", "outcome"],
    registers,
  });
  const done = new Counter({
    name: "belay_chore_done_total",
    help: "What these runs have done",
    labelNames: ["chore", "what"],
    registers,
  });
  const took = new Gauge({
    name: "belay_chore_last_seconds",
    help: "How long the last run took",
    labelNames: ["chore"],
    registers,
  });
  return {
    log,
    observe(chore, outcome, ms, counts) {
      runs.inc({ chore, outcome });
      took.set({ chore }, ms / 1000);
      for (const [what, count] of Object.entries(counts)) done.inc({ chore, what }, count);
    },
  };
}
