import { realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import about from "../package.json" with { type: "json" };
import { createContext, filesNotRecorded, inFolder, settleFiles } from "./compose-context.ts";
import { recordsFolder } from "./compose-local.ts";
import { createService } from "./compose-service.ts";
import { deliverWaiting } from "./compose-spool.ts";
import { BelayError, refuse } from "./contract/errors.ts";
import { visibleLine } from "./contract/visible-text.ts";
import type { OpenBelay, Program, Terminal } from "./doors/cli/program.ts";
import type { AgentRunner } from "./drive/run/agent-runner.ts";
import { readEncryptionMark } from "./files/encryption-mark.ts";
import { makeFolder } from "./files/make-folder.ts";
import { readMemberMark } from "./files/member-mark.ts";
import { markMirrors } from "./files/mirrors-mark.ts";
import { readRedactionMark, writeRedactionMark } from "./files/redaction-mark.ts";
import type { SpoolPlaces } from "./integrations/claude/spool.ts";
import { LogOutput } from "./process/log-output.ts";
import { checkAudit, exportAudit } from "./service/audit/export-audit.ts";
import { findProject } from "./service/find-project.ts";
import { followLog } from "./service/follow/follow-events.ts";
import { defaultOwner } from "./service/home-folder.ts";
import { createMaintenance, type Maintenance } from "./service/maintenance.ts";
import { newId } from "./service/new-id.ts";
import { hasKeySource } from "./service/read-store-address.ts";
import { loadSystemHead, recordSystemFact } from "./service/record-system-fact.ts";
import type { AgentAccess, Caller, ServiceContext } from "./service/service-context.ts";
import { sessionFiles } from "./service/session-files.ts";
import type { Fact, StoreCare } from "./store/store-care.ts";
import type { StreamStore } from "./store/stream-store.ts";

/** Composes the command line. Only its own commands load this part of the composition root. */
export function createProgram(home: string, terminal: Terminal): Program {
  const cwd = process.cwd();
  const caller: Caller = {
    owner: defaultOwner(),
    actor: `user:${userName()}`,
    interface: "cli",
    trace_id: process.env.BELAY_TRACE_ID || newId(),
    project: findProject(cwd),
  };
  return {
    home,
    version: about.version,
    caller,
    terminal,
    at: (other) => createProgram(other, terminal),
    agents() {
      const catalog = async () => (await import("./compose-agents.ts")).composeCatalog(home);
      return {
        list: async () => (await catalog()).list(cwd),
        add: async (name, command, args) => (await catalog()).add(name, command, args),
        remove: async (name) => (await catalog()).remove(name),
        trust: async () => (await catalog()).trust(cwd),
      };
    },
    async trustWorkTree() {
      if (hasKeySource(process.env) || readEncryptionMark(home) !== null) throw filesNotRecorded();
      const { trustWorkTree } = await import("./drive/work-tree/trust-work-tree.ts");
      return trustWorkTree(home, cwd);
    },
    async hooks(args) {
      const { runHooksCommand } = await import("./integrations/claude/hooks/run-hooks-command.ts");
      const given = installing(cwd, terminal);
      const entry = join(dirname(given.entry), "belay-hook.cjs");
      return runHooksCommand(args, { ...given, entry, home, env: process.env });
    },
    async mcp(args) {
      const { runMcpCommand } = await import("./doors/mcp/run-mcp-command.ts");
      return runMcpCommand(args, {
        ...installing(cwd, terminal),
        async serve() {
          const { runMcp } = await import("./doors/mcp/run-mcp.ts");
          const belay = await openBelay(home, caller, cwd, true);
          const by: Caller = { ...caller, interface: "mcp" };
          const { stdin, stdout } = process;
          const streams = { stdin, stdout, stderr: new LogOutput(2) };
          await runMcp(belay.service, by, streams, about.version).finally(() => belay.close());
        },
      });
    },
    async serve(options) {
      const { openServed } = await import("./compose-served.ts");
      const { serve } = await import("./compose-server.ts");
      // A server continues when the reader of its output has gone.
      process.stdout.removeAllListeners("error").on("error", () => {});
      const app = await openServed(home, caller.owner, { level: options.log });
      // A rejected promise that nobody awaited must not stop the whole server.
      process.on("unhandledRejection", (err) => app.log.error({ err }, "failed"));
      return serve(app, options);
    },
    async loginLink(person) {
      const { askLoginLink } = await import("./server/access/ask-login-link.ts");
      return askLoginLink(home, person);
    },
    async deviceLogin(url, show) {
      const { askDeviceLogin } = await import("./server/access/ask-device-login.ts");
      return askDeviceLogin(home, url, show);
    },
    chooseRedaction(choice) {
      makeFolder(home);
      writeRedactionMark(home, choice === "store");
    },
    async encryption() {
      const { composeEncryption } = await import("./compose-encryption.ts");
      return composeEncryption(home, printNotice);
    },
    async migration() {
      const { composeMigration } = await import("./compose-copy.ts");
      return composeMigration();
    },
    async open({ create } = { create: true }) {
      if (!create) {
        const { hasStore } = await import("./compose-store.ts");
        if (!(await hasStore(home))) throw nothingIn(home);
      }
      return openBelay(home, caller, cwd);
    },
  };
}

/** The parameters for installing Belay in another program's settings. */
function installing(cwd: string, { json, write }: Terminal) {
  return {
    cwd,
    userHome: homedir(),
    node: process.execPath,
    entry: realpathSync(process.argv[1] ?? ""),
    json,
    write,
  };
}

/** A process that stays open long also resumes sessions whose suspension has ended. */
async function openBelay(
  home: string,
  caller: Caller,
  cwd: string,
  staysOpen = false,
): Promise<OpenBelay> {
  const { openStore } = await import("./compose-store.ts");
  const onNotice = printNotice;
  const store = await openStore({ home, onNotice });
  const base = {
    ...createContext(store, onNotice, recordsFolder(home, store)),
    onProgress: printProgress,
  };
  let runner: Promise<AgentRunner> | null = null;
  const runAgents = (): Promise<AgentRunner> => {
    runner ??= import("./compose-agents.ts").then(({ composeAgents }) =>
      composeAgents(home, base, caller.interface, caller.owner),
    );
    return runner;
  };
  if (staysOpen) await runAgents();
  const context = { ...inFolder(home, base), agents: withoutDriving(runAgents) };
  await settleFiles(home, store);
  await deliverWaiting(context, { home, cwd, owner: caller.owner }, onNotice);
  return {
    service: createService(context),
    async recentWork(id) {
      const { readRecentWork } = await import("./service/read/read-recent-work.ts");
      return readRecentWork(context, caller, id);
    },
    async questionsEnding(digits) {
      const { findByEnding } = await import("./service/approval/find-approval.ts");
      return findByEnding(context, caller.owner, digits);
    },
    files: sessionFiles(context),
    maintenance: composeMaintenance(store, { home, cwd, owner: caller.owner }, (fact) =>
      recordSystemFact(context, caller, fact, newId()),
    ),
    workspace: {
      async syncBacklog(source) {
        const { syncBacklog } = await import("./integrations/copilot/sync-backlog.ts");
        const report = await syncBacklog(context, caller, cwd, source);
        if (report) await printSync(context, caller, cwd, onNotice);
        return report;
      },
      async writeBacklog(task) {
        const { writeBacklog } = await import("./integrations/copilot/sync-backlog.ts");
        writeBacklog(cwd, task);
      },
      async initialize(mirrors, plain) {
        if (store.fileSeal && mirrors.length > 0 && !plain) throw plainMirrors();
        if (mirrors.length > 0) {
          await expectNoMember(home, cwd);
          makeFolder(home);
          markMirrors(home);
        }
        const data = { cwd, mirrors: [...mirrors] };
        await recordSystemFact(context, caller, { type: "workspace.initialized", data }, newId());
      },
      async importGaia(folder, onProgress) {
        const { importGaia } = await import("./integrations/gaia/import-gaia.ts");
        return importGaia(context, caller, folder, onProgress);
      },
      async restore(file, { dry_run }) {
        await expectNoMember(home, resolve(file));
        const { restoreWorkspace } = await import("./integrations/copilot/restore-workspace.ts");
        const { recoverSession } = await import("./drive/recovery/recover-session.ts");
        const keeps = (await loadSystemHead(store, caller.owner, cwd))?.mirrors ?? [];
        if (store.fileSeal && !dry_run && !keeps.includes("copilot")) throw plainMirrors();
        const { openMemoryStore } = await import("./store/memory/memory-store.ts");
        return restoreWorkspace(context, caller, file, {
          dry_run,
          recoverSession,
          rehearse: () => ({ ...context, store: openMemoryStore(), onChanged: async () => {} }),
        });
      },
    },
    imports: {
      async home(tool) {
        const { IMPORTERS } = await import("./integrations/importers.ts");
        return IMPORTERS[tool].home(process.env, homedir());
      },
      async run(tool, options) {
        const { IMPORTERS } = await import("./integrations/importers.ts");
        const { importConversations } = await import("./import/import-conversations.ts");
        return importConversations(context, caller, IMPORTERS[tool], options);
      },
    },
    audit: {
      export: (wanted) => exportAudit(context, caller, wanted),
      check: (lines) => checkAudit(context, lines),
    },
    follow: (id, from, signal) => followLog(context, caller.owner, id, from, signal),
    converse: async (place) => (await runAgents()).converse(caller, place),
    async close() {
      await (await runner)?.close();
      await store.close();
    },
  };
}

function printNotice(text: string): void {
  process.stderr.write(`belay: ${visibleLine(text)}\n`);
}

/** A command exits before an agent could answer, so messages that it queues wait for a server or for `belay resume`. */
function withoutDriving(runAgents: () => Promise<AgentRunner>): AgentAccess {
  return {
    list: async (cwd) => (await runAgents()).agents.list(cwd),
    knows: async (name, cwd) => (await runAgents()).agents.knows(name, cwd),
    expect: async (owner, name, cwd) => (await runAgents()).agents.expect(owner, name, cwd),
    positionOf: () => null,
    async prepare(found) {
      await (await runAgents()).agents.prepare(found);
      return async () => {};
    },
    drive: async () => {},
  };
}

function composeMaintenance(
  store: StreamStore & Partial<StoreCare>,
  places: SpoolPlaces & { readonly owner: string },
  record: Parameters<typeof createMaintenance>[1],
): Maintenance {
  const maintenance = createMaintenance(store, record);
  return {
    ...maintenance,
    async describe() {
      const { describeServing } = await import("./server/describe-serving.ts");
      const { describeFiles } = await import("./server/describe-files.ts");
      const { describeSpool } = await import("./integrations/claude/describe-spool.ts");
      const serving = await describeServing(store, places.home);
      const { describeMirrors } = await import("./integrations/write-mirrors.ts");
      const mirrors = await describeMirrors(store, places.owner, places.cwd);
      const { describeMessages } = await import("./compose-store.ts");
      const members = await describeMemberAgents(store, places.home);
      return [
        ...(await maintenance.describe()),
        ...serving,
        ...(await describeMessages()),
        ...members,
        ...describeRedaction(places.home),
        ...(await describeFiles(store, places.owner)),
        ...describeSpool(places),
        ...mirrors,
      ];
    },
  };
}

/** Empty if text is stored as it is. */
function describeRedaction(home: string): Fact[] {
  const value = "secrets are replaced before they are stored, which cannot be undone";
  return readRedactionMark(home) ? [{ name: "redaction", value, ok: true, fix: null }] : [];
}

/** The line of `doctor` about the agents of members; empty if there are no members. */
async function describeMemberAgents(store: StreamStore, home: string): Promise<Fact[]> {
  const { composeMemberAgents } = await import("./compose-agents.ts");
  const { everyPerson } = await import("./service/read/find-person.ts");
  const name = "members' agents";
  try {
    const members = composeMemberAgents(home);
    if (members) {
      return [{ name, value: `isolated in ${members.folderOf("NAME")}`, ok: true, fix: null }];
    }
    const hasMembers = (await everyPerson(store)).some(({ role }) => role === "member");
    const value = "BELAY_MEMBER_FOLDERS is not set here: only a server that has it starts them";
    return hasMembers ? [{ name, value, ok: true, fix: null }] : [];
  } catch (error) {
    if (!(error instanceof BelayError)) throw error;
    return [{ name, value: "cannot be isolated", ok: false, fix: error.message }];
  }
}

/** Writes to the workspace's event log, if it has one, that a backlog was imported. */
async function printSync(
  { store }: ServiceContext,
  { owner }: Caller,
  cwd: string,
  onNotice: (text: string) => void,
): Promise<void> {
  if (!(await loadSystemHead(store, owner, cwd))?.mirrors.includes("copilot")) return;
  const { mirrorSync } = await import("./integrations/copilot/mirror-copilot.ts");
  await mirrorSync(store, owner, cwd).catch((error: Error) =>
    onNotice(`The copilot mirror in ${cwd} was not written: ${error.message}`),
  );
}

/** Only at a terminal, and only if there is a lot to do. */
function printProgress(done: number, total: number): void {
  if (!process.stderr.isTTY || total < 20 || done % 10 !== 0) return;
  process.stderr.write(`${done} of ${total} ...\n`);
}

function nothingIn(home: string): BelayError {
  const message = `No Belay data in ${home}. Set BELAY_HOME, or create a session first.`;
  return new BelayError(refuse("storage_missing", message, { home }));
}

/**
 * Refuses files of sessions in the folder of a member. The member could name processes to end and files to show in them,
 * and replace the folder by a link.
 */
async function expectNoMember(home: string, path: string): Promise<void> {
  const { findMember } = await import("./drive/agents/find-member.ts");
  const owner = findMember(readMemberMark(home), path)?.owner;
  if (owner === undefined) return;
  const message = `${path} is in the folder of ${owner}, a member. Belay neither restores sessions from files there nor writes mirrors there. Use another folder.`;
  throw new BelayError(refuse("not_allowed", message, { path, owner }));
}

function plainMirrors(): BelayError {
  const message =
    "Mirrors and checkpoint files are not encrypted, and this data is. To write them anyway, run: belay init --mirror NAME --plain-mirrors";
  return new BelayError(refuse("not_allowed", message));
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}
