const NAMED = 3;

interface DamagedSessionsProps {
  readonly damaged: readonly { readonly entity_id: string; readonly session_id: string }[];
}

/** What cannot be read hides nothing else, and is not hidden itself. */
export function DamagedSessions({ damaged }: DamagedSessionsProps) {
  const names = [...new Set(damaged.map(({ session_id }) => session_id))];
  if (names.length === 0) return null;
  const more = names.length - NAMED;
  return (
    <p className="mx-4 mb-3 text-sm break-words text-warn" role="status">
      {names.length === 1 ? "One session cannot" : `${names.length} sessions cannot`} be read:{" "}
      {names.slice(0, NAMED).join(", ")}
      {more > 0 && ` and ${more} more`}. Run <code className="font-mono">npx belay verify</code> to
      see what is wrong.
    </p>
  );
}
