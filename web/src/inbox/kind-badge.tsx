const LOOKS: Readonly<Record<string, string>> = {
  permission: "bg-accent-soft text-accent",
  question: "bg-info-soft text-info",
  recovery: "bg-bad-soft text-bad",
};

/** The kind of the question: from a running agent, from anyone, or from recovery after a crash. */
export function KindBadge({ kind }: { readonly kind: string }) {
  return (
    <span
      className={`inline-block shrink-0 rounded-full px-2 py-0.5 text-xs font-medium ${LOOKS[kind] ?? "bg-raised text-soft"}`}
    >
      {kind}
    </span>
  );
}
