import { useMutation } from "@tanstack/react-query";
import type { AuditProof as Proof } from "../../../src/contract/past.ts";
import { ask } from "../api/ask.ts";
import { Button } from "../ui/button.tsx";
import { explain } from "../ui/states.tsx";
import { TerminalHint } from "../ui/terminal-hint.tsx";
import { exactTime } from "../ui/time-ago.tsx";

interface Props {
  readonly session: string | undefined;
  readonly everyone: boolean;
}

/** Checks the hashes of all logs, whatever the filters of the page. */
export function AuditProof({ session, everyone }: Props) {
  const check = useMutation<Proof>({
    mutationFn: () =>
      ask("GET", "/audit/check", {
        query: session === undefined ? { everyone } : { id: session },
      }),
  });
  return (
    <section aria-labelledby="proof" className="rounded-lg border border-line bg-panel px-4 py-3">
      <h2 id="proof" className="font-semibold">
        Proof
      </h2>
      <p className="mt-1 text-sm text-soft">
        Each entry has a hash that covers everything before it in its log. The check reads all logs
        from their start and compares every hash.{" "}
        <TerminalHint>
          An export that you keep elsewhere also shows later whether entries were replaced:{" "}
          <code className="font-mono">belay audit --check FILE</code>
        </TerminalHint>
      </p>
      <div className="mt-2 flex flex-wrap items-center gap-3">
        <Button disabled={check.isPending} onClick={() => check.mutate()}>
          {check.isPending ? "Checking …" : "Check all hashes"}
        </Button>
        <div role="status" className="text-sm">
          {check.data && <p className="text-good">{describeProof(check.data)}</p>}
        </div>
      </div>
      <div role="alert">
        {check.error && <p className="mt-2 text-sm text-bad">{explain(check.error)}</p>}
      </div>
    </section>
  );
}

function describeProof({ logs, entries, until }: Proof): string {
  if (until === null) return "There are no entries to check.";
  const number = (count: number): string => count.toLocaleString("en");
  return `Checked up to ${exactTime(until)}: ${number(entries)} entries in ${number(logs)} logs have correct hashes.`;
}
