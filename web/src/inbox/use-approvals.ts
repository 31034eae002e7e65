import { useQuery } from "@tanstack/react-query";
import type { Approval } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";

/** The page size, and the most pages that are read: nobody reads more questions than that. */
const PAGE = 100;
const MOST_PAGES = 10;

interface Waiting {
  readonly approvals: readonly Approval[];
  /** True if there are more questions than were read. */
  readonly more: boolean;
  readonly damaged: readonly string[];
}

/** All open questions to a person. */
export function useApprovals() {
  return useQuery({ queryKey: ["approvals"], queryFn: ({ signal }) => readApprovals(signal) });
}

async function readApprovals(signal: AbortSignal): Promise<Waiting> {
  const approvals = new Map<string, Approval>();
  const damaged: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const input = { limit: PAGE, ...(cursor !== null && { cursor }) };
    const answer: Awaited<ReturnType<typeof call<"list_approvals">>> = await call(
      "list_approvals",
      input,
      signal,
    );
    // A session that moves while its list is read may come twice.
    for (const one of answer.approvals) approvals.set(one.approval_id, one);
    damaged.push(...answer.damaged);
    cursor = answer.next_cursor;
    if (cursor === null) break;
  }
  return { approvals: [...approvals.values()], more: cursor !== null, damaged };
}
