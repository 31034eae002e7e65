import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { ApiError } from "../api/api-error.ts";
import { buttonClass } from "../ui/button.tsx";
import { CopyText } from "../ui/copy-text.tsx";
import { Empty, Failed } from "../ui/states.tsx";

interface NoSessionProps {
  readonly id: string;
  readonly error: unknown;
  retry(): void;
}

/** The reason why there is nothing to show, and where to go next. */
export function NoSession({ id, error, retry }: NoSessionProps) {
  const code = error instanceof ApiError ? error.code : null;
  if (code === "session_not_found" || code === "invalid_id") {
    return <NotFound id={id} />;
  }
  if (code === "storage_damaged") {
    return (
      <Empty title="This session is damaged">
        <p>Its stored data does not match its checksums, so it is not shown. For details, run:</p>
        <CopyText text="npx belay verify" />
        <AllSessions />
      </Empty>
    );
  }
  if (code === "ambiguous_id") {
    return (
      <Empty title="Ambiguous session id">
        <p>{error instanceof Error && error.message}</p>
        <AllSessions />
      </Empty>
    );
  }
  return <Failed error={error} retry={retry} />;
}

function NotFound({ id }: { readonly id: string }) {
  const queries = useQueryClient();
  // No event tells a page that a share was removed, so what counts the session is fetched again.
  useEffect(() => {
    for (const key of ["counts", "approvals", "shared"])
      void queries.invalidateQueries({ queryKey: [key] });
  }, [queries]);
  return (
    <Empty title="Session not found">
      <p className="break-words">
        You have no session with the id “{id}”. It may have been deleted forever. If it belongs to
        someone else, it was never shared with you, or is no longer shared with you.
      </p>
      <AllSessions />
    </Empty>
  );
}

function AllSessions() {
  return (
    <Link to="/" className={buttonClass("plain")}>
      All sessions
    </Link>
  );
}
