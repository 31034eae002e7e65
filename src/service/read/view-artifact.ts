import { Artifact } from "../../contract/session.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { iso } from "../../core/view/view-session.ts";

/** Empty for a row that is no longer an artifact. */
export function viewArtifact({ data }: StoredRow): Artifact[] {
  const created_at = typeof data.created_at === "number" ? iso(data.created_at) : "";
  const artifact = Artifact.safeParse({ ...data, created_at });
  return artifact.success ? [artifact.data] : [];
}
