import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";

/**
 * The digest of an open question, read once when it is shown and again only after a refused answer: a newer one would
 * also fit to what the person has not seen yet. Undefined until it is loaded.
 */
export function useDigest(id: string, approval_id: string): string | undefined {
  const { data } = useQuery({
    queryKey: ["question", approval_id],
    queryFn: ({ signal }) => call("list_approvals", { id, approval_id }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  return data?.approvals[0]?.digest;
}
