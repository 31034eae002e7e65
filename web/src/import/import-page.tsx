import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId, useRef, useState } from "react";
import type { ImportProgress, ImportReport } from "../../../src/contract/import/import-report.ts";
import { IMPORT_TOOLS, type ImportTool } from "../../../src/contract/vocabulary.ts";
import { ApiError } from "../api/api-error.ts";
import { call } from "../api/call.ts";
import { MOST_MB } from "../api/files.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { useTerminal } from "../shell/use-me.ts";
import { Button } from "../ui/button.tsx";
import { CopyText } from "../ui/copy-text.tsx";
import { FIELD } from "../ui/panel.tsx";
import { explain, Failed, Loading } from "../ui/states.tsx";
import { ImportBar } from "./import-bar.tsx";
import { ImportResult } from "./import-result.tsx";
import { filesOf, type ImportSource, runImport } from "./run-import.ts";
import { TOOL_NAMES } from "./tool-names.ts";

type State =
  | { readonly is: "running"; readonly dry_run: boolean; readonly progress: ImportProgress | null }
  | { readonly is: "done"; readonly report: ImportReport; readonly source: ImportSource }
  | { readonly is: "failed"; readonly why: string }
  | { readonly is: "cancelled" };

/** Imports other tools' conversations as sessions: choose a tool, see a preview, import. */
export function ImportPage() {
  usePageTitle("Import");
  const id = useId();
  const [tool, setTool] = useState<ImportTool>("claude-code");
  const [chosen, setChosen] = useState<readonly File[]>([]);
  const [state, setState] = useState<State | null>(null);
  const abort = useRef<AbortController>(null);
  const queries = useQueryClient();
  const isRunning = state?.is === "running";

  const start = async (source: ImportSource, dry_run: boolean): Promise<void> => {
    const controller = new AbortController();
    abort.current = controller;
    setState({ is: "running", dry_run, progress: null });
    const onProgress = (progress: ImportProgress): void =>
      setState({ is: "running", dry_run, progress });
    try {
      const { signal } = controller;
      const report = await runImport(tool, source, { dry_run, signal, onProgress });
      setState({ is: "done", report, source });
    } catch (error) {
      const isCancelled = controller.signal.aborted;
      setState(isCancelled ? { is: "cancelled" } : { is: "failed", why: explain(error) });
    }
    if (!dry_run) void queries.invalidateQueries({ queryKey: ["counts"] });
  };
  const choose = (value: string): void => {
    const next = IMPORT_TOOLS.find((known) => known === value);
    if (!next) return;
    setTool(next);
    setState(null);
  };
  return (
    <div className="mx-auto max-w-4xl space-y-6 px-4 py-4 md:px-6">
      <div>
        <Link to="/" className="text-sm text-soft hover:text-ink hover:underline">
          Back to sessions
        </Link>
        <h1 className="mt-1 text-xl font-semibold">Import</h1>
        <p className="mt-1 text-soft">
          Import conversations of other tools as sessions. Belay never changes their files. A second
          import adds only what is new.
        </p>
      </div>
      <div>
        <label htmlFor={id} className="text-sm text-soft">
          Tool
        </label>
        <select
          id={id}
          value={tool}
          disabled={isRunning}
          onChange={({ target }) => choose(target.value)}
          className={`${FIELD} mt-1 block w-full max-w-xs`}
        >
          {IMPORT_TOOLS.map((each) => (
            <option key={each} value={each}>
              {TOOL_NAMES[each].name}
            </option>
          ))}
        </select>
      </div>
      <ServerFiles tool={tool} isRunning={isRunning} start={start} />
      <OwnFiles
        tool={tool}
        chosen={chosen}
        isRunning={isRunning}
        onChoose={(files) => {
          setChosen(files);
          setState(null);
        }}
        start={start}
      />
      <div role="status" aria-live="polite">
        {state?.is === "running" && (
          <ImportBar
            dry_run={state.dry_run}
            progress={state.progress}
            onCancel={() => abort.current?.abort()}
          />
        )}
        {state?.is === "cancelled" && (
          <p>The import was cancelled. Sessions imported so far stay. Import again to continue.</p>
        )}
        {state?.is === "done" && (
          <ImportResult report={state.report} onImport={() => void start(state.source, false)} />
        )}
      </div>
      <div role="alert">
        {state?.is === "failed" && (
          <p className="rounded-md bg-bad-soft px-3 py-2 text-sm break-words text-bad">
            {state.why}
          </p>
        )}
      </div>
    </div>
  );
}

interface SourceProps {
  readonly tool: ImportTool;
  readonly isRunning: boolean;
  start(source: ImportSource, dry_run: boolean): Promise<void>;
}

/** The tool’s files on the server’s machine. Not every login may read them; a terminal there may. Members have neither. */
function ServerFiles({ tool, isRunning, start }: SourceProps) {
  const hasTerminal = useTerminal();
  const { data, error, refetch } = useQuery({
    queryKey: ["imports"],
    queryFn: ({ signal }) => call("imports", {}, signal),
    retry: false,
  });
  const isRefused = error instanceof ApiError && error.status === 403;
  const place = data?.tools.find((each) => each.tool === tool);
  const { name } = TOOL_NAMES[tool];
  if (isRefused && !hasTerminal) return null;
  return (
    <section aria-labelledby="on-server" className="rounded-lg border border-line bg-panel p-4">
      <h2 id="on-server" className="font-semibold">
        On the server’s machine
      </h2>
      {!data && !error && <Loading what="folders" lines={2} />}
      {error && !isRefused && <Failed error={error} retry={() => void refetch()} />}
      {isRefused && (
        <div className="mt-2 space-y-2 text-sm text-soft">
          <p>
            This browser may not read files there. To import the conversations of {name}, run this
            in a terminal on the server’s machine:
          </p>
          <CopyText text={`npx belay import ${tool}`} />
        </div>
      )}
      {place && !place.found && (
        <p className="mt-2 text-sm break-words text-soft">
          No conversations of {name} in <code className="font-mono break-all">{place.path}</code>.
        </p>
      )}
      {place?.found && (
        <>
          <p className="mt-2 text-sm break-words text-soft">
            Conversations of {name} in <code className="font-mono break-all">{place.path}</code>
          </p>
          <StartButtons
            of={`${name} on the server`}
            isRunning={isRunning}
            start={(dry_run) => void start({ kind: "server" }, dry_run)}
          />
        </>
      )}
    </section>
  );
}

interface OwnFilesProps extends SourceProps {
  readonly chosen: readonly File[];
  onChoose(files: readonly File[]): void;
}

/** Files of this computer, which are uploaded. */
function OwnFiles({ tool, chosen, isRunning, onChoose, start }: OwnFilesProps) {
  const files = filesOf(tool, chosen);
  const left = chosen.length - files.length;
  return (
    <section aria-labelledby="on-computer" className="rounded-lg border border-line bg-panel p-4">
      <h2 id="on-computer" className="font-semibold">
        On this computer
      </h2>
      <p className="mt-2 text-sm text-soft">
        Choose {TOOL_NAMES[tool].files}. Each file can have at most {MOST_MB} MB.
      </p>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Picker label="Choose files" isRunning={isRunning} onChoose={onChoose} />
        <Picker label="Choose folder" isRunning={isRunning} onChoose={onChoose} folder />
        <p className="text-sm text-soft">
          {chosen.length > 0 &&
            `${countFiles(files.length)} chosen${left > 0 ? `, ${left} other files in the folder are ignored` : ""}`}
        </p>
      </div>
      {files.length > 0 && (
        <StartButtons
          of="the chosen files"
          isRunning={isRunning}
          start={(dry_run) => void start({ kind: "files", files }, dry_run)}
        />
      )}
    </section>
  );
}

function countFiles(number: number): string {
  return number === 1 ? "1 file" : `${number} files`;
}

interface PickerProps {
  readonly label: string;
  readonly isRunning: boolean;
  readonly folder?: true;
  onChoose(files: readonly File[]): void;
}

function Picker({ label, isRunning, folder, onChoose }: PickerProps) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button disabled={isRunning} onClick={() => picker.current?.click()}>
        {label}
      </Button>
      <input
        ref={picker}
        type="file"
        aria-label={label}
        hidden
        multiple
        {...(folder && { webkitdirectory: "" })}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // Cleared so that the same files can be chosen again.
          target.value = "";
          if (files.length > 0) onChoose(files);
        }}
      />
    </>
  );
}

interface StartButtonsProps {
  readonly of: string;
  readonly isRunning: boolean;
  start(dry_run: boolean): void;
}

function StartButtons({ of, isRunning, start }: StartButtonsProps) {
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      <Button
        look="primary"
        disabled={isRunning}
        aria-label={`Dry run: ${of}`}
        onClick={() => start(true)}
      >
        Dry run
      </Button>
      <Button disabled={isRunning} aria-label={`Import: ${of}`} onClick={() => start(false)}>
        Import
      </Button>
    </div>
  );
}
