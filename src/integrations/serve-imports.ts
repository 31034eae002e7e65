import { BelayError, refuse } from "../contract/errors.ts";
import { IMPORT_TOOLS, type ImportTool } from "../contract/vocabulary.ts";
import { hasFiles } from "../import/find-files.ts";
import { importConversations } from "../import/import-conversations.ts";
import { saveUpload } from "../import/save-upload.ts";
import type { Chore } from "../server/chores/chores.ts";
import type { ImportAccess } from "../service/import-access.ts";
import type { Caller, ServiceContext } from "../service/service-context.ts";
import { IMPORTERS } from "./importers.ts";

/** Where the server runs, and for whom. */
interface ImportPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  /** The files of this user are theirs alone. */
  readonly owner: string;
}

/** Imports for those who reach a server. One runs at a time, since each reads and writes much. */
export function serveImports(context: ServiceContext, places: ImportPlaces): ImportAccess {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
  const homeOf = (tool: ImportTool) => IMPORTERS[tool].home(places.env, places.userHome);
  const expectOwner = ({ owner }: Caller): void => {
    if (owner === places.owner) return;
    const message = `The files on this machine belong to owner "${places.owner}". Upload yours instead.`;
    throw new BelayError(refuse("not_allowed", message, { owner }));
  };
  return {
    async places(caller) {
      expectOwner(caller);
      const places = [];
      for (const tool of IMPORT_TOOLS) {
        const path = homeOf(tool);
        const found = await hasFiles(path, (name) => IMPORTERS[tool].matches(name));
        places.push({ tool, path, found });
      }
      return places;
    },
    async run(caller, tool, options) {
      expectOwner(caller);
      const path = homeOf(tool);
      return inTurn(() =>
        importConversations(context, caller, IMPORTERS[tool], { path, ...options }),
      );
    },
    async upload(caller, tool, { name, bytes }, { dry_run }) {
      const saved = await saveUpload(name, bytes);
      try {
        const options = { path: saved.path, dry_run, since: null };
        return await inTurn(() => importConversations(context, caller, IMPORTERS[tool], options));
      } finally {
        saved.remove();
      }
    },
  };
}

const EVERY = 10_000;

/** Keeps importing what other tools write, as long as a server runs. */
export function importChore(
  context: ServiceContext,
  places: ImportPlaces,
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
        if (!(await hasFiles(path, (name) => reader.matches(name))))
          return { counts: { turns: 0 } };
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
