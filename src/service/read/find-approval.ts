import { BelayError, refuse } from "../../contract/errors.ts";
import type { Caller, ServiceContext } from "../service-context.ts";
import { everySession } from "./every-session.ts";

/** Finds an approval by its id, or by a prefix that is unique among open approvals. */
export async function findApproval(
  { store }: ServiceContext,
  caller: Caller,
  asked: string,
): Promise<{ id: string; approval_id: string }> {
  const [place] = await store.findByName(caller.owner, `approval:${asked}`, { limit: 1 });
  if (place) return { id: place.id, approval_id: asked };
  const matches: { id: string; approval_id: string }[] = [];
  for await (const { stream, head } of everySession(store, caller.owner, { waiting: true })) {
    for (const { id: approval_id } of head.approvals) {
      if (approval_id.startsWith(asked)) matches.push({ id: stream.id, approval_id });
    }
  }
  const [only, second] = matches;
  if (!only) {
    throw new BelayError(
      refuse("approval_not_found", `Approval ${asked} not found.`, {
        approval_id: asked,
      }),
    );
  }
  if (!second) return only;
  const ids = matches.map((match) => match.approval_id);
  throw new BelayError(
    refuse(
      "ambiguous_id",
      `Ambiguous approval id ${asked}. Write more of it; candidates: ${ids.join(", ")}`,
      {
        id: asked,
        matches: ids,
      },
    ),
  );
}
