import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { LIMITS } from "../../../../src/contract/limits.ts";
import { addFile, MOST_MB } from "../../api/files.ts";
import { Button } from "../../ui/button.tsx";
import { formatBytes } from "../../ui/format-bytes.ts";
import { explain } from "../../ui/states.tsx";

type Sending =
  | { readonly is: "sending"; readonly name: string; readonly part: number }
  | { readonly is: "sent"; readonly name: string }
  | { readonly is: "failed"; readonly why: string };

/** Stores a file with the session. A file that is too large is refused before the upload. */
export function AddFile({ id }: { readonly id: string }) {
  const queries = useQueryClient();
  const picker = useRef<HTMLInputElement>(null);
  const abort = useRef<AbortController>(null);
  const [state, setState] = useState<Sending | null>(null);

  const send = async (file: File): Promise<void> => {
    const { name, size } = file;
    if (size > LIMITS.BLOB_BYTES) {
      const why = `${name} has ${formatBytes(size)}. A file can have at most ${MOST_MB} MB.`;
      setState({ is: "failed", why });
      return;
    }
    const controller = new AbortController();
    abort.current = controller;
    setState({ is: "sending", name, part: 0 });
    try {
      await addFile(id, file, (part) => setState({ is: "sending", name, part }), controller.signal);
      setState({ is: "sent", name });
      void queries.invalidateQueries({ queryKey: ["session", id] });
    } catch (error) {
      const why = `${name} was not added: ${explain(error)}`;
      setState(controller.signal.aborted ? null : { is: "failed", why });
    }
  };
  return (
    <div className="flex min-w-0 flex-wrap items-center justify-end gap-x-2 text-xs">
      <p role="status" className="min-w-0 break-words text-soft">
        {state?.is === "sending" && `Sending ${state.name}: ${Math.floor(state.part * 100)} %`}
        {state?.is === "sent" && (
          <>
            {state.name} was added.{" "}
            <Link to="/s/$id/files" params={{ id }} className="underline underline-offset-2">
              Show files
            </Link>
          </>
        )}
        {state?.is === "failed" && <span className="text-bad">{state.why}</span>}
      </p>
      {state?.is === "sending" ? (
        <Button look="quiet" onClick={() => abort.current?.abort()}>
          Cancel
        </Button>
      ) : (
        <Button look="quiet" onClick={() => picker.current?.click()}>
          Add file (up to {MOST_MB} MB)
        </Button>
      )}
      <input
        ref={picker}
        type="file"
        aria-label="File to add"
        hidden
        onChange={({ target }) => {
          const file = target.files?.[0];
          // Cleared so that the same file can be chosen again.
          target.value = "";
          if (file) void send(file);
        }}
      />
    </div>
  );
}
