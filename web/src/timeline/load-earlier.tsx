import type { SessionSpans } from "../../../src/contract/past.ts";
import { Button } from "../ui/button.tsx";
import { explain } from "../ui/states.tsx";
import type { usePast } from "./spans/use-past.ts";

interface Props {
  readonly session: SessionSpans;
  readonly past: Pick<ReturnType<typeof usePast>, "loadEarlier" | "loading" | "failure">;
}

/** Shown only if there is more than what is drawn. */
export function LoadEarlier({ session, past: { loadEarlier, loading, failure } }: Props) {
  if (session.earlier === null) return null;
  return (
    <div className="mb-2 flex items-center gap-3">
      <Button onClick={() => void loadEarlier(session)} disabled={loading !== null}>
        {loading === session.session_id ? "Loading …" : "Load earlier"}
      </Button>
      {failure?.session_id === session.session_id && (
        <p role="alert" className="text-sm text-bad">
          {explain(failure.error)}
        </p>
      )}
    </div>
  );
}
