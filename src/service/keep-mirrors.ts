import type { ServiceContext } from "./context.ts";
import { loadSystemHead } from "./record-system-fact.ts";

type Changed = Parameters<NonNullable<ServiceContext["onChanged"]>>[0];

/** Like `mirrorSession`, for callers in a hurry: what writes mirrors is loaded only where a workspace has asked for them. */
export async function keepMirrors(store: ServiceContext["store"], changed: Changed): Promise<void> {
  const { owner, project } = changed.head;
  if (!project?.cwd) return;
  const workspace = await loadSystemHead(store, owner, project.cwd);
  if (!workspace || workspace.mirrors.length === 0) return;
  const { mirrorSession } = await import("./mirror-claude.ts");
  await mirrorSession(store, changed);
}
