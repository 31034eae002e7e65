import { isRecord } from "../../../src/contract/is-record.ts";
import { LongText } from "./long-text.tsx";

/** The input of a tool: each field under its name, texts unchanged and everything else as JSON. */
export function ToolInput({ input }: { readonly input: unknown }) {
  if (input === null || input === undefined) return null;
  if (!isRecord(input)) return <LongText text={formatValue(input)} />;
  const fields = Object.entries(input);
  if (fields.length === 0) return <p className="text-sm text-faint">No input</p>;
  return (
    <dl className="space-y-1.5">
      {fields.map(([name, value]) => (
        <div key={name} className="sm:flex sm:gap-3">
          <dt className="shrink-0 text-sm text-faint sm:w-28 sm:truncate" title={name}>
            {name}
          </dt>
          <dd className="min-w-0 flex-1">
            <LongText text={formatValue(value)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? String(value));
}
