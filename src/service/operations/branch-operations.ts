import type { Parsed } from "../../contract/operations.ts";
import { compareSessions } from "../branch/compare-sessions.ts";
import { mergeSession } from "../branch/merge-session.ts";
import { readBranches } from "../branch/read-branches.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** Operations on sessions that share a history. */
export const branchOperations = {
  compare: compareSessions,
  branches: readBranches,
  merge: (context: ServiceContext, input: Parsed<"merge">, caller: Caller) =>
    mergeSession(context, input, caller),
};
