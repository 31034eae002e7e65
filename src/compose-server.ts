import { homedir } from "node:os";
import { Registry } from "prom-client";
import about from "../package.json" with { type: "json" };
import { composeDoors } from "./compose-doors.ts";
import { composeLogin } from "./compose-login.ts";
import type { ServedApp } from "./compose-served.ts";
import { openMessages } from "./compose-store.ts";
import type { ServeOptions, Serving } from "./doors/cli/program.ts";
import { HTTP_TIMES, type HttpTimes } from "./doors/http/create-server.ts";
import { readTlsPair } from "./doors/http/read-tls-pair.ts";
import type { HttpServer } from "./doors/http/serve-http.ts";
import { serveHttp } from "./doors/http/serve-http.ts";
import { STREAM_TIMES, type StreamTimes } from "./doors/http/streams/stream-times.ts";
import { answerHookRequest } from "./integrations/claude/hooks/answer-hook-request.ts";
import { spoolChore } from "./integrations/claude/spool-chore.ts";
import { watchSpool } from "./integrations/claude/watch-spool.ts";
import { identifyProcess } from "./process/process-identity.ts";
import { ensureServerToken } from "./server/access/ensure-server-token.ts";
import { readTogether } from "./server/access/read-together.ts";
import { RefusedTokens } from "./server/access/refused-tokens.ts";
import { serveLinks } from "./server/access/serve-links.ts";
import {
  admit,
  admitTogether,
  asServerUser,
  isAdmitted,
  renewToken,
} from "./server/access/tokens.ts";
import { type Chore, pause, startChores } from "./server/chores/chores.ts";
import { serverChores } from "./server/chores/server-chores.ts";
import { createCluster } from "./server/nodes/create-cluster.ts";
import { SERVERS, serveAlone } from "./server/serve-alone.ts";
import {
  awaitServerAddress,
  removeServerAddress,
  tokenFile,
  writeServerAddress,
} from "./server/server-files.ts";
import { countBy, observeChores } from "./server/server-metrics.ts";
import { admitDelivery } from "./server/webhooks/admit-delivery.ts";
import { processDelivery } from "./server/webhooks/process-delivery.ts";
import { startWebhooks } from "./server/webhooks/start-webhooks.ts";
import { recordRefused, refusalsRecorded } from "./service/access/access-log.ts";
import { exportAudit } from "./service/audit/export-audit.ts";
import { findProject } from "./service/find-project.ts";
import { bindImports } from "./service/import-access.ts";
import { newId } from "./service/new-id.ts";
import { countAhead } from "./service/read/counted-sessions.ts";
import type { Caller, ServiceContext } from "./service/service-context.ts";
import { sessionFiles } from "./service/session-files.ts";
import type { NodeMessages } from "./store/node-messages.ts";
import type { Holder } from "./store/stream-store.ts";

/** All that tests may change about serving. */
interface ServeSeams {
  readonly times?: Partial<HttpTimes & StreamTimes>;
}

/** Serves an opened app at an address until it is stopped, which closes the app too. */
export async function serve(
  app: ServedApp,
  options: ServeOptions,
  { times }: ServeSeams = {},
): Promise<Serving> {
  const { home, owner, cwd, log, output, store, service, runner, imports, served } = app;
  const { context, expectAgent } = runner;
  const { details, ...live } = app.live;
  const self: Caller = { owner, actor: "belay", interface: "api", trace_id: newId() };
  let listening: HttpServer | null = null;
  let messages: NodeMessages | null = null;
  const close = async (): Promise<void> => {
    await listening?.close();
    await messages?.close();
    await app.close();
  };

  try {
    const overtaken = Promise.withResolvers<void>();
    const describeOther = async ({ pid }: Holder): Promise<string> => {
      const url = await awaitServerAddress(home, pid);
      return url === null
        ? `A server (pid ${pid}) already serves ${home}, or the folder of which ${home} is a copy. Stop it first.`
        : `A server (pid ${pid}) already serves ${home} at ${url}. Use it, or stop it first.`;
    };
    const registry = new Registry();
    const together = readTogether(store);
    const cluster = createCluster(context, runner, registry, log, overtaken.resolve);
    const place = store.nodes
      ? await cluster.join(home, self, store.nodes)
      : await serveAlone(context, self, describeOther, overtaken.resolve);
    messages = await openMessages(store.nodes, (problem) => {
      if (problem) log.warn(problem);
      else log.info("Redis answers again");
    });
    if (messages) cluster.connect(messages);
    countBy(registry, {
      name: "belay_log_lines_dropped_total",
      help: "Log lines dropped because the reader was gone or too slow",
      read: () => output.dropped,
    });
    countBy(registry, {
      name: "belay_mirror_failures_total",
      help: "Session mirrors that could not be written",
      read: app.failedMirrors,
    });
    const login = composeLogin({ context, self, home, url: () => listening?.url ?? null });
    const refusedTokens = new RefusedTokens(context, self);
    const links = serveLinks(context, (err) => log.warn({ err }, "visits not counted"));
    const doors = composeDoors(service, { details, ...live }, (err) =>
      log.error({ err }, "failed"),
    );
    const tls = options.tls && readTlsPair(options.tls);
    // Runs before the server listens, because the first statistics of a process read every session.
    await countAhead(store, owner).catch((err: unknown) => log.warn({ err }, "not counted"));
    const server = await serveHttp(
      {
        service,
        version: about.version,
        project: findProject(cwd),
        ...(runner.members && { memberFolder: runner.members.folderOf }),
        newId,
        problem: () => cluster.problem(),
        slowdown: () => cluster.slowdown(),
        admit: admitTogether(
          asServerUser(owner, (token) =>
            admit(store, token, Date.now(), (used) => {
              renewToken(context, self, used).catch((err: unknown) =>
                log.warn({ err }, "not renewed"),
              );
            }),
          ),
        ),
        isAdmitted: (admission) => isAdmitted(together, admission),
        ...login.parts,
        readLink: links.read,
        exportAudit: (caller, wanted) => exportAudit(context, caller, wanted),
        noteStranger: (request) =>
          refusedTokens
            .record(request)
            .catch((err: unknown) => log.warn({ err }, "refusal not recorded")),
        noteRefused: (caller, what) => recordRefused(context, caller, what),
        async revoke(token_id) {
          await service.call("revoke_token", { token_id }, self);
        },
        ...live,
        files: sessionFiles(context),
        imports: bindImports(imports, context),
        webhooks: {
          admit: (name, headers, body) => admitDelivery(context, name, headers, body),
          take: (delivery, payload, trace_id) =>
            processDelivery(
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
        streamTimes: { ...STREAM_TIMES, ...times },
        graphql: doors.graphql,
        doors: {
          mcp: doors.mcp,
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
        allowedHosts: options.allowedHosts,
        tls,
      },
      log,
      { ...HTTP_TIMES, ...times },
    );
    listening = server;
    await ensureServerToken(home, store, service, self);
    await place.started(server.url);
    writeServerAddress(home, { url: server.url, ...identifyProcess(process.pid) });
    const listener = observeChores(registry, log);
    const chores = startChores(
      [
        ...cluster.share(serverChores({ context, runner, owner: SERVERS })),
        spoolChore(context, { home, cwd, owner }),
        ...(await importChores(context, owner, options.imports)),
      ],
      listener,
    );
    cluster.onGone((names) => chores.hurry(names));
    const unwatchSpool = watchSpool(home, () => chores.hurry(["spool"]));
    const sending = startWebhooks({ context, listener, sleep: pause, random: Math.random });
    log.info({ url: server.url, home }, "serving");
    return {
      url: server.url,
      tokenFile: tokenFile(home),
      loginUrl: async () => `${server.url}${await login.path(owner)}`,
      note: (text) => output.write(`${text}\n`),
      overtaken: overtaken.promise,
      async stop() {
        log.info("ending");
        unwatchSpool();
        await doors.close();
        try {
          await Promise.all([chores.stop(), sending.stop()]);
          await cluster.release();
          await links.close();
          await refusalsRecorded(store);
          // Sessions first, so that clients that reconnect find them suspended, or at work on another node.
          const leave = () => {
            const by = { ...self, trace_id: newId() };
            if (cluster.isAlone()) return runner.suspendAll(by, "shutdown", served);
            return runner.handOver(by);
          };
          await leave();
          await server.close();
          // Also leaves sessions that started while the server was closing.
          await leave();
          await place.stopped(server.url);
        } finally {
          // Even if the store does not answer: then another process recovers the sessions.
          removeServerAddress(home);
          await close();
        }
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Most servers import nothing, and the readers of all tools take memory. */
async function importChores(
  context: ServiceContext,
  owner: string,
  tools: ServeOptions["imports"],
): Promise<Chore[]> {
  if (tools.length === 0) return [];
  const { importChore } = await import("./integrations/serve-imports.ts");
  return importChore(context, { env: process.env, userHome: homedir(), owner }, tools);
}
