import { BelayError, refuse } from "../contract/errors.ts";
import { IMPORT_FILES, IMPORT_TOOLS, type ImportTool } from "../contract/vocabulary.ts";
import { hasFiles } from "../import/find-files.ts";
import { importConversations } from "../import/import-conversations.ts";
import { readElsewhere } from "../import/read-elsewhere.ts";
import { saveUpload, type Upload } from "../import/save-upload.ts";
import { forkOwnProgram } from "../process/fork-own-program.ts";
import type { Chore } from "../server/chores/chores.ts";
import type { ImportAccess } from "../service/import-access.ts";
import type { Caller, ServiceContext } from "../service/service-context.ts";
import { IMPORTERS } from "./importers.ts";

/** The environment and the user of the server. */
interface ImportPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  /** The owner of this user's files; with null, no token can access them. */
  readonly owner: string | null;
}

/** Megabytes. Together with the program itself, this is less than an upload may take. */
const HEAP = ["--max-old-space-size=56", "--max-semi-space-size=2", "--expose-gc"];

/** Imports for clients of a server. One runs at a time, because each reads and writes a lot. */
export function serveImports(places: ImportPlaces): ImportAccess {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
  const uploading = new Set<string>();
  const homeOf = (tool: ImportTool) => IMPORTERS[tool].home(places.env, places.userHome);
  return {
    async places(caller) {
      expectOwner(caller, places);
      const found = [];
      for (const tool of IMPORT_TOOLS) {
        const path = homeOf(tool);
        found.push({ tool, path, found: await hasFiles(path, IMPORT_FILES[tool]) });
      }
      return found;
    },
    async run(context, caller, tool, { path, ...options }) {
      expectOwner(caller, places);
      if (path !== undefined) expectNoToken(caller);
      const from = { path: path ?? homeOf(tool), ...options };
      return inTurn(() => importConversations(context, caller, IMPORTERS[tool], from));
    },
    async receive({ redaction, ...context }, caller, tool, { name, bytes, signal }) {
      const { owner } = caller;
      if (uploading.has(owner)) throw oneAtATime();
      uploading.add(owner);
      let saved: Upload | null = null;
      const end = (): void => {
        saved?.remove();
        uploading.delete(owner);
      };
      try {
        saved = await saveUpload(name, bytes);
        signal.throwIfAborted();
      } catch (error) {
        end();
        throw error;
      }
      const { path, temporary } = saved;
      const args = ["read-upload", tool, path, redaction ? "redact" : "plain"];
      const start = () => forkOwnProgram(args, temporary, HEAP);
      const reader = readElsewhere(IMPORTERS[tool], start, signal);
      signal.addEventListener("abort", end);
      return async (options) => {
        // From here on, the sender's absence ends the import, and that ends the upload.
        signal.removeEventListener("abort", end);
        const work = () => importConversations(context, caller, reader, { path, ...options });
        const report = await inTurn(work).finally(end);
        // The sender knows the file by its name.
        return { ...report, damage: report.damage.map((each) => ({ ...each, file: name })) };
      };
    },
  };
}

/** More would wait with their files on this machine's disk. */
function oneAtATime(): BelayError {
  const message = "You are already importing a file. Wait until that import has ended.";
  return new BelayError(refuse("limit_reached", message, { limit: 1 }));
}

/** The files on a server's machine belong to the user who started it, and to no other person with a token. */
function expectOwner({ owner, scope }: Caller, places: ImportPlaces): void {
  if (scope === undefined || owner === places.owner) return;
  const message = `The files on this machine belong to owner "${places.owner}". Upload yours instead.`;
  throw new BelayError(refuse("not_allowed", message, { owner }));
}

/** With a path, a token could read any file of the server's user that looks like a conversation. */
function expectNoToken({ scope }: Caller): void {
  if (scope === undefined) return;
  const message = `A token cannot name a path on the server's machine. Leave out "path", or upload the file.`;
  throw new BelayError(refuse("not_allowed", message, { field: "path" }));
}

const EVERY = 10_000;

/** Imports other tools' new conversations continuously while a server runs. */
export function importChore(
  context: ServiceContext,
  places: ImportPlaces & { readonly owner: string },
  tools: readonly ImportTool[],
): Chore[] {
  return tools.map((tool) => {
    const seen = new Map<string, string>();
    const caller: Caller = {
      owner: places.owner,
      actor: "belay",
      interface: "api",
      trace_id: null,
    };
    return {
      name: `import ${tool}`,
      every_ms: EVERY,
      async run() {
        const reader = IMPORTERS[tool];
        const path = reader.home(places.env, places.userHome);
        if (!(await hasFiles(path, IMPORT_FILES[tool]))) return { counts: { turns: 0 } };
        const options = { path, dry_run: false, since: null, seen };
        const report = await importConversations(context, caller, reader, options);
        return {
          counts: { turns: report.turns, damaged: report.damaged },
          notes: report.damage.map(({ file, line, why }) => `${file}:${line ?? ""} ${why}`),
        };
      },
    };
  });
}
