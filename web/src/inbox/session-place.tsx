import { useQuery } from "@tanstack/react-query";
import { call } from "../api/call.ts";

/** In which folder and branch a session works; nothing where it is not known. */
export function SessionPlace({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ["session", id, "get"],
    queryFn: ({ signal }) => call("get", { id }, signal),
  });
  const cwd = data?.project?.cwd ?? data?.project?.repo ?? null;
  const branch = data?.project?.branch ?? null;
  if (cwd === null && branch === null) return null;
  return (
    <div>
      <dt>Project</dt>
      <dd className="min-w-0 break-words" title={cwd ?? undefined}>
        {cwd?.split(/[\\/]/).findLast((part) => part !== "")}
        {branch !== null && <span className="text-soft"> on {branch}</span>}
      </dd>
    </div>
  );
}
