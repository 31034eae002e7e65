import { useQuery } from "@tanstack/react-query";
import type { Approval } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";
import { readPages } from "../api/read-pages.ts";
import { mayAnswer, readRoles } from "../session/use-role.ts";

interface Waiting {
  readonly approvals: readonly Approval[];
  /** True if there are more questions than were read. */
  readonly more: boolean;
  readonly damaged: readonly string[];
}

/** All open questions that the person may answer. */
export function useApprovals() {
  return useQuery({ queryKey: ["approvals"], queryFn: ({ signal }) => readApprovals(signal) });
}

async function readApprovals(signal: AbortSignal): Promise<Waiting> {
  const { pages, more } = await readPages((place) => call("list_approvals", place, signal));
  // A session that moves while its list is read may come twice.
  const asked = new Map(
    pages.flatMap((page) => page.approvals.map((one) => [one.approval_id, one] as const)),
  );
  const all = [...asked.values()];
  const roleIn = await readRoles(
    all.map(({ session_id }) => session_id),
    signal,
  );
  const approvals = all.filter(({ session_id, kind }) => mayAnswer(roleIn(session_id), kind));
  return { approvals, more, damaged: pages.flatMap((page) => page.damaged) };
}
