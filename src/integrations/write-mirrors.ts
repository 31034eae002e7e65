import { everySession } from "../service/read/every-session.ts";
import { loadSystemHead } from "../service/record-system-fact.ts";
import type { ServiceContext } from "../service/service-context.ts";
import type { Fact } from "../store/store-care.ts";

type Changed = Parameters<NonNullable<ServiceContext["onChanged"]>>[0];

/** Receives a sentence if a mirror was not written. */
export type MirrorListener = (text: string) => void;

/**
 * Writes the mirror files of a workspace. The code is only loaded if a workspace has mirrors, because callers may be in
 * a hurry. `records` is the data folder, if sessions have readable files there. The change is stored whatever happens to its mirror, and the next change writes this one too.
 */
export async function writeMirrors(
  store: ServiceContext["store"],
  changed: Changed,
  onFailure: MirrorListener,
  records: string | null = null,
): Promise<void> {
  const { owner, project } = changed.head;
  if (records !== null) await writeRecord(records, store, changed, onFailure);
  if (!project?.cwd) return;
  const mirrors = (await loadSystemHead(store, owner, project.cwd))?.mirrors ?? [];
  for (const mirror of mirrors) {
    try {
      await WRITERS[mirror](store, changed);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      onFailure(
        `The ${mirror} mirror of session ${changed.head.session_id} in ${project.cwd} was not written: ${why}. The session is stored. Fix the cause; the next change of the session writes the mirror.`,
      );
    }
  }
}

/** The readable files of a session in its data folder. */
async function writeRecord(
  home: string,
  store: ServiceContext["store"],
  changed: Changed,
  onFailure: MirrorListener,
): Promise<void> {
  try {
    const { writeAgentSession } = await import("./agent-sessions/write-agent-session.ts");
    await writeAgentSession(home, store, changed);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    onFailure(
      `The file of session ${changed.head.session_id} in ${home} was not written: ${why}. The session is stored. Fix the cause; the next change of the session writes the file.`,
    );
  }
}

const WRITERS = {
  async copilot(store: ServiceContext["store"], changed: Changed): Promise<void> {
    const { mirrorCopilot } = await import("./copilot/mirror-copilot.ts");
    await mirrorCopilot(store, changed);
  },
  async claude(store: ServiceContext["store"], changed: Changed): Promise<void> {
    const { mirrorSession } = await import("./claude/mirror-session.ts");
    await mirrorSession(store, changed);
  },
};

/** The line of `doctor` about the mirrors of a workspace: it writes the mirror of its newest session again. */
export async function describeMirrors(
  store: ServiceContext["store"],
  owner: string,
  cwd: string,
): Promise<Fact[]> {
  const mirrors = (await loadSystemHead(store, owner, cwd))?.mirrors ?? [];
  if (mirrors.length === 0) return [];
  const failures: string[] = [];
  for await (const session of everySession(store, owner, { project: cwd })) {
    if (session.head.deleted) continue;
    await writeMirrors(store, session, (text) => failures.push(text));
    break;
  }
  const ok = failures.length === 0;
  const value = ok ? `${mirrors.join(", ")} in ${cwd}` : failures.join(" ");
  return [{ name: "mirrors", value, ok, fix: ok ? null : "fix the cause, and run doctor again" }];
}
