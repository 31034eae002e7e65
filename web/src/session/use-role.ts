import { useQuery } from "@tanstack/react-query";
import { ownerIn } from "../../../src/contract/id-pattern.ts";
import type { OperationName, Output } from "../../../src/contract/operations.ts";
import type { SessionRole } from "../../../src/contract/vocabulary.ts";
import { answerOperation, mayDo } from "../../../src/core/shares.ts";
import { call } from "../api/call.ts";

/** A person's role in a session; it decides which actions the page offers. */
export type Role = SessionRole | "owner";

const LOOK_MS = 5000;

/** The sessions that others share with the person. No event reports the end of a share, so they are polled. */
export function useShared(isNeeded: boolean) {
  return useQuery({
    queryKey: ["shared"],
    queryFn: ({ signal }) => call("shared", {}, signal),
    enabled: isNeeded,
    staleTime: 0,
    refetchInterval: LOOK_MS,
  });
}

/** The person's role in a session. A role that is not known yet counts as viewer. */
export function useRole(id: string): Role {
  const { data } = useShared(ownerIn(id) !== null);
  return roleIn(id, data);
}

/** The same for several sessions, read now. */
export async function readRoles(
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<(id: string) => Role> {
  const isShared = ids.some((id) => ownerIn(id) !== null);
  const shared = isShared ? await call("shared", {}, signal) : undefined;
  return (id) => roleIn(id, shared);
}

function roleIn(id: string, shared: Output<"shared"> | undefined): Role {
  if (ownerIn(id) === null) return "owner";
  return shared?.sessions.find(({ session_id }) => session_id === id)?.role ?? "viewer";
}

export function mayUse(role: Role, operation: OperationName): boolean {
  return role === "owner" || mayDo(role, operation);
}

export function mayAnswer(role: Role, kind: string): boolean {
  return mayUse(role, answerOperation(kind));
}

export const A_ROLE = {
  viewer: "a viewer",
  approver: "an approver",
  editor: "an editor",
  owner: "the owner",
} as const satisfies Record<Role, string>;
