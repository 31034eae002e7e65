import type { ServiceContext } from "../service/context.ts";
import { loadSystemHead } from "../service/record-system-fact.ts";

type Changed = Parameters<NonNullable<ServiceContext["onChanged"]>>[0];

/**
 * Writes the files that a workspace has asked for. Callers may be in a hurry: what writes them is loaded only where
 * someone has asked.
 */
export async function keepMirrors(store: ServiceContext["store"], changed: Changed): Promise<void> {
  const { owner, project } = changed.head;
  if (!project?.cwd) return;
  const mirrors = (await loadSystemHead(store, owner, project.cwd))?.mirrors ?? [];
  // The change is kept whatever becomes of its mirror, and the next one brings this one along.
  if (mirrors.includes("copilot")) {
    const { mirrorCopilot } = await import("./copilot/mirror-copilot.ts");
    await mirrorCopilot(store, changed).catch(() => undefined);
  }
  if (mirrors.includes("claude")) {
    const { mirrorSession } = await import("./claude/mirror-claude.ts");
    await mirrorSession(store, changed).catch(() => undefined);
  }
}
