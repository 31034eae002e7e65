import { BelayError } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { knownItemQueries } from "../../core/observation/merge-observation.ts";
import {
  findContradictions,
  validateObservation,
} from "../../core/observation/validate-observation.ts";
import { cutText } from "../../core/text-size.ts";
import { changeSession } from "../change-session.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** Appends one observation, and creates the session if it is new. */
export async function submitObservation(
  context: ServiceContext,
  input: Parsed<"submit_observation">,
  caller: Caller,
): Promise<Output<"submit_observation">> {
  const checked = validateObservation(input);
  if ("error" in checked) {
    throw new BelayError({ ...checked, message: checked.details.message });
  }
  const { observation, warnings } = checked;
  const queries = knownItemQueries(observation);
  const reads = [...queries.action, ...queries.checkpoint, ...queries.outcome];
  const checkpointsFrom = queries.action.length;
  const outcomesFrom = checkpointsFrom + queries.checkpoint.length;
  const entity_id = context.newId();
  let contradictions: readonly string[] = [];

  const { head } = await changeSession(context, caller, {
    id: observation.session_id,
    commands: (known) => {
      contradictions = findContradictions(observation, known?.observation ?? null);
      return [
        ...(known
          ? []
          : [
              {
                type: "create",
                session_id: observation.session_id,
                entity_id,
                owner: caller.owner,
                agent_name: cutText(caller.actor, LIMITS.AGENT),
                interface: caller.interface,
                purpose: null,
                title: null,
                project: null,
                task_id: entity_id,
                metadata: {},
                supports_resume: false,
                observed: true,
              } as const,
            ]),
        { type: "observe", observation },
      ];
    },
    reads: reads.map((query) => ({ stream: 0, query })),
    known: ({ rows }) => ({
      action: rows.slice(0, checkpointsFrom).flat(),
      checkpoint: rows.slice(checkpointsFrom, outcomesFrom).flat(),
      outcome: rows.slice(outcomesFrom).flat(),
    }),
  });
  const told = [...warnings, ...contradictions];
  return {
    entity_id: head.entity_id,
    observation_count: head.counts.observations,
    ...(told.length > 0 && { warnings: told }),
  };
}
