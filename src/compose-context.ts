import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { BelayError, refuse } from "./contract/errors.ts";
import { cleanEnvironment } from "./drive/agents/clean-environment.ts";
import { askRemoteWith, readRecoverySettings } from "./drive/recovery/ask-remote.ts";
import type { RecoverySurroundings } from "./drive/recovery/drive-context.ts";
import { removeLeftFiles } from "./drive/recovery/remove-left-files.ts";
import { logFolder } from "./drive/run/write-transcript.ts";
import { readMemberMark } from "./files/member-mark.ts";
import { readRedactionMark } from "./files/redaction-mark.ts";
import { dropRejected } from "./integrations/claude/spool.ts";
import { type MirrorListener, writeMirrors } from "./integrations/write-mirrors.ts";
import type { StoredRedaction } from "./redaction/stored-redaction.ts";
import { resolveFew } from "./server/webhooks/find-addresses.ts";
import type { ServerContext } from "./server/webhooks/server-context.ts";
import { openSecrets } from "./server/webhooks/webhook-secrets.ts";
import type { WorkTreeAccess } from "./service/checkpoint/work-tree-access.ts";
import { defaultOwner } from "./service/home-folder.ts";
import type { ImportAccess } from "./service/import-access.ts";
import { newId } from "./service/new-id.ts";
import { ownedName } from "./service/owned-name.ts";
import { readStoreAddress } from "./service/read-store-address.ts";
import { loadSystemHead } from "./service/record-system-fact.ts";
import type { ServiceContext } from "./service/service-context.ts";
import type { StreamStore } from "./store/stream-store.ts";

/**
 * The production context of the service: with the clock of the database or of this machine, and with mirrors for the
 * workspaces that have them. `records` is the data folder, if sessions have readable files there.
 */
export function createContext(
  store: StreamStore,
  onMirrorFailure: MirrorListener = (text) => process.emitWarning(text),
  records: string | null = null,
): ServiceContext {
  return {
    store,
    // Nodes compare times with each other, so they use one clock.
    now: () => store.nodes?.now() ?? Date.now(),
    newId,
    imports: composeImports(null),
    onChanged: (changed) => writeMirrors(store, changed, onMirrorFailure, records),
  };
}

/** The same for a data folder: with agents' logs, recovery and webhooks. */
export function inFolder(home: string, context: ServiceContext, isServer = false): ServerContext {
  return {
    ...context,
    ...composeRedaction(home, isServer ? {} : process.env),
    logs: logFolder(home),
    onPurged: async ({ owner, key: session_id }) => {
      removeLeftFiles(home, ownedName(owner, session_id));
      // Hooks record sessions of the data folder's user only.
      if (owner === defaultOwner()) {
        dropRejected({ home, cwd: home }, session_id, context.store.fileSeal);
      }
      const { removeAgentSession } = await import(
        "./integrations/agent-sessions/write-agent-session.ts"
      );
      removeAgentSession(home, owner, session_id);
    },
    recovery: composeRecovery(home, context.store, isServer),
    webhooks: { secrets: openSecrets(home, context.store.fileSeal), resolve: resolveFew(2) },
    workTrees: {
      ...composeWorkTrees(home, context.store),
      // Recorded files are in git folders, which Belay does not encrypt.
      ...(context.store.fileSeal && { record: refuseToRecord }),
    },
  };
}

/** Replaces nothing before it is stored, unless the data folder says so. The rules are loaded with the first change. */
function composeRedaction(
  home: string,
  variables: NodeJS.ProcessEnv,
): Pick<ServiceContext, "variables" | "redaction"> {
  if (!readRedactionMark(home)) return { variables };
  let loaded: Promise<StoredRedaction> | null = null;
  const load = async (ofAgent = {}): Promise<StoredRedaction> => {
    const { openStoredRedaction } = await import("./redaction/stored-redaction.ts");
    return openStoredRedaction(variables, ofAgent);
  };
  return {
    variables,
    redaction(ofAgent) {
      if (ofAgent) return load(ofAgent);
      loaded ??= load();
      return loaded;
    },
  };
}

async function refuseToRecord(): Promise<never> {
  throw filesNotRecorded();
}

export function filesNotRecorded(): BelayError {
  const message = "Files are not recorded while the data is encrypted.";
  return new BelayError(refuse("work_tree_refused", message));
}

/** Access to files in git work trees, loaded by the first checkpoint that has some. */
function composeWorkTrees(home: string, store: StreamStore): WorkTreeAccess {
  let loaded: Promise<WorkTreeAccess> | null = null;
  const load = async (): Promise<WorkTreeAccess> => {
    const { createWorkTrees } = await import("./drive/work-tree/work-trees.ts");
    return createWorkTrees(await workTreeDeps(home, store));
  };
  const access = (): Promise<WorkTreeAccess> => {
    loaded ??= load();
    return loaded;
  };
  return {
    record: async (...given) => (await access()).record(...given),
    compare: async (...given) => (await access()).compare(...given),
    restore: async (...given) => (await access()).restore(...given),
  };
}

/** Finishes or undoes the file restores of a process that died. */
export async function settleFiles(home: string, store: StreamStore): Promise<void> {
  if (!existsSync(join(home, "work-trees"))) return;
  const { settleRestores } = await import("./drive/work-tree/work-trees.ts");
  await settleRestores(await workTreeDeps(home, store));
}

async function workTreeDeps(home: string, store: StreamStore) {
  const { isTrustedTree } = await import("./drive/work-tree/trust-work-tree.ts");
  const { hasCheckpoint } = await import("./service/read/read-checkpoint.ts");
  return {
    home,
    isTrusted: (root: string) => isTrustedTree(home, root),
    isSaved: (owner: string, checkpoint_id: string) => hasCheckpoint(store, owner, checkpoint_id),
    onNotice: (text: string) => process.emitWarning(text),
  };
}

/** Recovery with the settings of this machine's user. Its questions are written to files where that user finds them. */
export function composeRecovery(
  home: string,
  store: StreamStore,
  isServer = false,
): RecoverySurroundings {
  // Read on demand, so that a mistake in that file does not stop work that does not need it.
  return {
    askRemote: (type, key) => askRemoteWith(readRecoverySettings(home))(type, key),
    get policy() {
      return { alive: readRecoverySettings(home).alive };
    },
    // In a terminal, the user decides when work continues.
    get continues() {
      return isServer && readRecoverySettings(home).continue;
    },
    shared: readStoreAddress(process.env) !== undefined,
    grace_ms: 3000,
    async writeTimeline(id, { owner, project }) {
      const cwd = project?.cwd;
      if (!cwd || !(await hasCopilotFiles(store, owner, cwd))) return;
      const { mirrorTimeline } = await import("./integrations/copilot/mirror-copilot-events.ts");
      // The events are in the log anyway.
      await mirrorTimeline(store, id, cwd).catch(() => undefined);
    },
    environmentOf: (session_id) =>
      cleanEnvironment(process.env, { pass_env: [], env: {}, home, session_id }),
    async isOfMember(folder) {
      const { mayBelongToMember } = await import("./drive/agents/find-member.ts");
      return mayBelongToMember(readMemberMark(home), folder);
    },
    async confine(cwd, env) {
      const { findMember } = await import("./drive/agents/find-member.ts");
      const place = findMember(readMemberMark(home), cwd);
      if (!place) return { cwd, env };
      const { composeMemberAgents } = await import("./compose-agents.ts");
      const { notIsolated } = await import("./drive/agents/member-agents.ts");
      const members = composeMemberAgents(home);
      if (!members) throw notIsolated(place.owner, place.root, cwd);
      return members.confine(place.owner, cwd, env);
    },
    async folderOf({ owner, project, session_id }) {
      const cwd = project?.cwd;
      if (cwd && (await hasCopilotFiles(store, owner, cwd))) return cwd;
      // A plain file would show contents of the encrypted store.
      return store.fileSeal ? null : join(home, "recovery", ownedName(owner, session_id));
    },
  };
}

async function hasCopilotFiles(store: StreamStore, owner: string, cwd: string) {
  return (await loadSystemHead(store, owner, cwd))?.mirrors.includes("copilot") ?? false;
}

/** Imports on this machine; tokens can access its files only as `owner`. The readers are loaded on first use. */
export function composeImports(owner: string | null): ImportAccess {
  let loaded: Promise<ImportAccess> | null = null;
  const load = async (): Promise<ImportAccess> => {
    const { serveImports } = await import("./integrations/serve-imports.ts");
    return serveImports({ env: process.env, userHome: homedir(), owner });
  };
  const access = (): Promise<ImportAccess> => {
    loaded ??= load();
    return loaded;
  };
  return {
    places: async (caller) => (await access()).places(caller),
    run: async (...given) => (await access()).run(...given),
    receive: async (...given) => (await access()).receive(...given),
  };
}
