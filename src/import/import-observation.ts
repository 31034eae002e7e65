import { hash } from "node:crypto";
import { BelayError } from "../contract/errors.ts";
import { IMPORT_ACTOR } from "../contract/reserved-actor.ts";
import { isSessionHead } from "../core/session/known-events.ts";
import { addPast } from "../service/import-session.ts";
import { submitObservation } from "../service/operations/submit-observation.ts";
import type { Caller, ServiceContext } from "../service/service-context.ts";
import { readParts } from "../store/read-streams.ts";
import type { ReportDamage } from "./conversation.ts";
import { textIn } from "./fields.ts";
import { CURSOR_ROW, cursorIn } from "./import-cursor.ts";
import type { Fields } from "./record-file.ts";
import type { WrittenBranch } from "./write-conversation.ts";

/** An observation in a file, not validated yet. */
export interface FoundObservation {
  readonly line: number;
  readonly observation: Fields;
}

/** Submits an observation from a file, unless the same was submitted from there before. */
export async function importObservation(
  context: ServiceContext,
  caller: Caller,
  { line, observation }: FoundObservation,
  options: {
    readonly source: string;
    readonly file: string;
    readonly dry_run: boolean;
    readonly report: ReportDamage;
  },
): Promise<WrittenBranch[]> {
  const { source, file, dry_run, report } = options;
  const session_id = textIn(observation.session_id) ?? "";
  const digest = hash("sha256", JSON.stringify(observation)).slice(0, 32);
  const ref = { kind: "session", owner: caller.owner, key: session_id } as const;
  const [part] = await readParts(context.store, [{ ref, rows: [CURSOR_ROW] }]);
  const head = isSessionHead(part?.stream.head) ? part.stream.head : null;
  const cursor = head && cursorIn(part?.rows[0] ?? [], head);
  const told = { session_id, title: null, turns: 0, why: null };
  if (cursor?.turn_id === digest) return [{ ...told, state: "known" }];
  const state = head ? "grown" : "new";
  if (dry_run) return [{ ...told, state }];
  const by = { ...caller, actor: source, trace_id: null };
  try {
    const { warnings = [] } = await submitObservation(context, observation, by);
    for (const why of warnings) report({ file, line, why });
    const turns = head?.counts.turns ?? 0;
    await addPast(
      context,
      { ...by, actor: `${IMPORT_ACTOR}${source}` },
      {
        session_id,
        steps: (now) =>
          now
            ? [
                {
                  at: now.updated_at,
                  commands: [
                    {
                      type: "note_imported",
                      ...{ source, conversation_id: session_id, turns, turn_id: digest, items: 0 },
                      agent_session_id: null,
                    },
                  ],
                },
              ]
            : [],
      },
    );
  } catch (error) {
    if (!(error instanceof BelayError) || error.code.startsWith("storage_")) throw error;
    report({ file, line, why: error.message });
    return [];
  }
  return [{ ...told, state }];
}
