import type { ApprovalChoice } from "../../contract/approval/approval-choice.ts";
import { LIMITS } from "../../contract/limits.ts";
import { visibleCharacters, visibleLine } from "../../contract/visible-text.ts";
import { CHOICE_KINDS } from "../../contract/vocabulary.ts";
import type { PermissionAnswer, PermissionRequest, ToolCall } from "../agent-connection.ts";
import { boundText } from "./bound-text.ts";
import { fieldsOf, listOf, textOf } from "./read-fields.ts";

/** The options of one request, with the agent's own ids. */
interface Offered {
  readonly options: readonly (ApprovalChoice & { readonly agents_id: string })[];
  readonly missing: number;
}

/** Reads the options in the agent's order. One without an id cannot be chosen, so it is left out. */
export function readOptions(options: unknown): Offered {
  const said = listOf(options).map(fieldsOf);
  const all = said.flatMap(({ optionId, name, kind }) => {
    const agents_id = textOf(optionId);
    return agents_id === null ? [] : [{ agents_id, name: textOf(name) ?? "", kind }];
  });
  const { count, text } = LIMITS.CHOICES;
  const kept = all.slice(0, count);
  // Bounded before too, because a name may have millions of characters.
  const names = kept.map(({ name }) => boundText(visibleLine(boundText(name, text)), text));
  const ids = nameOptions(kept, names);
  return {
    options: kept.map(({ agents_id, kind }, nth) => {
      const option_id = ids[nth] ?? "";
      return {
        agents_id,
        option_id,
        name: names[nth] || option_id,
        kind: CHOICE_KINDS.find((word) => word === kind) ?? "other",
      };
    }),
    missing: all.length - kept.length,
  };
}

/**
 * The agent's ids, with another one in the place of each that a person could not type, that occurred before, or that is
 * the name of another option: who types that name means the other one.
 */
function nameOptions(
  options: readonly { readonly agents_id: string }[],
  names: readonly string[],
): readonly string[] {
  const ids = options.map(({ agents_id }) => agents_id);
  const isUsable = (id: string, nth: number) =>
    id !== "" &&
    id.length <= LIMITS.CHOICES.text &&
    isTypable(id) &&
    ids.indexOf(id) === nth &&
    names.every((name, other) => name !== id || other === nth);
  const used = new Set([...ids.filter(isUsable), ...names]);
  return ids.map((id, nth) => {
    if (isUsable(id, nth)) return id;
    let number = nth + 1;
    while (used.has(`option-${number}`)) number += ids.length;
    used.add(`option-${number}`);
    return `option-${number}`;
  });
}

function isTypable(id: string): boolean {
  return id.trim() === id && !/[\n\t]/.test(id) && visibleCharacters(id) === id;
}

export function toRequest(call: ToolCall, { options, missing }: Offered): PermissionRequest {
  return {
    call,
    options: options.map(({ option_id, name, kind }) => ({ option_id, name, kind })),
    missing,
  };
}

/**
 * The answer in the protocol's form. If an option that rejects has the id of one that does not, the agent could take it
 * for the other, so it gets "cancelled".
 */
export function toOutcome(answer: PermissionAnswer, { options }: Offered): unknown {
  const chosen = options.find(({ option_id }) => option_id === answer?.option_id);
  const isAmbiguous =
    chosen !== undefined &&
    rejects(chosen) &&
    options.some((other) => other.agents_id === chosen.agents_id && !rejects(other));
  if (!chosen || isAmbiguous) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: chosen.agents_id } };
}

function rejects({ kind }: ApprovalChoice): boolean {
  return kind === "reject_once" || kind === "reject_always";
}
