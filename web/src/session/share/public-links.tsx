import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { counted } from "../../../../src/contract/import/describe-import.ts";
import type { Output } from "../../../../src/contract/operations.ts";
import { call } from "../../api/call.ts";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { FIELD } from "../../ui/panel.tsx";
import { explain } from "../../ui/states.tsx";
import { exactTime } from "../../ui/time-ago.tsx";
import { LASTS } from "./lasts.ts";

/** Links to a redacted page that needs no login. A preview shows what a link would hide before it is made. */
export function PublicLinks({ id }: { readonly id: string }) {
  const queries = useQueryClient();
  const links = useQuery({
    queryKey: ["links", id],
    queryFn: ({ signal }) => call("list_links", { id }, signal),
    staleTime: 0,
  });
  const preview = useMutation({ mutationFn: () => call("preview_link", { id }) });
  const refresh = () => queries.invalidateQueries({ queryKey: ["links", id] });
  const make = useMutation({
    mutationFn: (until: string) => call("add_link", { id, until }),
    onSettled: refresh,
  });
  const revoke = useMutation({
    mutationFn: (link_id: string) => call("revoke_link", { id, link_id }),
    onSuccess: (_, link_id) => {
      if (make.data?.link_id !== link_id) return;
      // The address of a revoked link is useless, and the next link gets its own preview.
      make.reset();
      preview.reset();
    },
    onSettled: refresh,
  });
  const error = preview.error ?? make.error ?? revoke.error ?? links.error;
  return (
    <section aria-label="Public links" className="space-y-3">
      <h3 className="font-medium">Public links</h3>
      <ul className="space-y-1">
        {(links.data?.links ?? []).filter(works).map(({ link_id, until, opened }) => (
          <li key={link_id} className="flex items-center gap-2 text-sm">
            <span className="min-w-0 flex-1">
              Works until {exactTime(until)}, opened {opened} {opened === 1 ? "time" : "times"}
            </span>
            <Button onClick={() => revoke.mutate(link_id)} disabled={revoke.isPending}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {make.data ? (
        <div className="space-y-1">
          <p className="text-sm text-soft">Copy the link now. It is not shown again.</p>
          <CopyText text={`${window.location.origin}${make.data.path}`} />
        </div>
      ) : preview.data ? (
        <MakeLink
          preview={preview.data}
          isBusy={make.isPending}
          onMake={(until) => make.mutate(until)}
        />
      ) : (
        <>
          <p className="text-sm text-soft">
            Everyone who has the link reads the session as it is now, without logging in. Text that
            looks like a secret is hidden; files and what runs on this machine are not shown.
          </p>
          <Button onClick={() => preview.mutate()} disabled={preview.isPending}>
            {preview.isPending ? "Looking for secrets …" : "New public link …"}
          </Button>
        </>
      )}
      <div role="alert">{error && <p className="text-sm text-bad">{explain(error)}</p>}</div>
    </section>
  );
}

function works({ revoked_at, until }: Output<"list_links">["links"][number]): boolean {
  return revoked_at === null && Date.parse(until) > Date.now();
}

interface MakeLinkProps {
  readonly preview: Output<"preview_link">;
  readonly isBusy: boolean;
  onMake(until: string): void;
}

function MakeLink({ preview, isBusy, onMake }: MakeLinkProps) {
  const field = useId();
  const [until, setUntil] = useState<string>("7d");
  const { shown, hidden, hidden_count } = preview;
  return (
    <div className="space-y-3 rounded-md border border-line p-3">
      <p className="text-sm">
        It would show {counted(shown, "event")} and hide {counted(hidden_count, "secret")}. No rule
        finds every secret: read the session before you share it.
      </p>
      {hidden.length > 0 && (
        <ul
          aria-label="Hidden secrets"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="max-h-40 overflow-y-auto font-mono text-xs text-soft"
        >
          {hidden.map(({ seq, path, rule, length }, nth) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: one field may hold two alike
            <li key={nth}>
              {seq === null ? "session" : `event ${seq}`}, {path}: {rule}, {length} characters
            </li>
          ))}
        </ul>
      )}
      <div className="flex items-end gap-2">
        <label htmlFor={field} className="text-sm text-soft">
          Expires
          <select
            id={field}
            value={until}
            onChange={({ target }) => setUntil(target.value)}
            className={`${FIELD} mt-1 block`}
          >
            {LASTS.map(({ span, words }) => (
              <option key={span} value={span}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <Button look="primary" onClick={() => onMake(until)} disabled={isBusy}>
          Create link
        </Button>
      </div>
    </div>
  );
}
