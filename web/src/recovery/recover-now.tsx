import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { Button } from "../ui/button.tsx";
import { explain } from "../ui/states.tsx";

interface RecoverNowProps {
  /** Null means all sessions that need it. */
  readonly id: string | null;
  readonly label: string;
}

/** Runs the recovery now, which the server would do a little later. */
export function RecoverNow({ id, label }: RecoverNowProps) {
  const queries = useQueryClient();
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => call("recover", id === null ? {} : { id }),
    onSuccess: () => {
      for (const key of ["recoveries", "approvals", "counts"]) {
        void queries.invalidateQueries({ queryKey: [key] });
      }
    },
  });
  const failed = data?.failed[0]?.why ?? (error ? explain(error) : null);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button look="primary" disabled={isPending} onClick={() => mutate()}>
        {isPending ? "Recovering …" : label}
      </Button>
      {failed !== null && (
        <p role="alert" className="text-sm text-bad">
          {failed}
        </p>
      )}
    </div>
  );
}
