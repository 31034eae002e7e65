import { z } from "zod";
import { readWholeFeed, type Subjects } from "./ask-everything.ts";
import type { OpenService } from "./open-service.ts";

/** Everything in the undamaged data that has a name to ask for. */
export async function findSubjects({ call, store }: OpenService): Promise<Subjects> {
  const listed = await call("list", { archived: true, failed: true, limit: 100 });
  const trashed = await call("list", { deleted: true });
  const all = [...listed.sessions, ...trashed.sessions];
  const checkpoints = await Promise.all(
    all.map(async ({ session_id: id }) => {
      const page = await call("list_checkpoints", { id });
      return page.checkpoints.map(({ name }) => ({ id, name }));
    }),
  );
  const events = await readWholeFeed(store);
  const approvals = events
    .filter(({ type }) => type === "approval.requested")
    .map(({ data }) => `approval:${Question.parse(data).approval_id}`);
  return {
    sessions: all.map((one) => ({ id: one.session_id, entity: one.entity_id, seq: one.version })),
    checkpoints: checkpoints.flat(),
    names: [...approvals, "entity:bucket-1", "entity:release-7", "entity:thing-2"],
  };
}

const Question = z.object({ approval_id: z.string() });
