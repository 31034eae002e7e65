import { PERMISSION_KINDS, type PermissionKind } from "../../contract/vocabulary.ts";
import type { PermissionAnswer, PermissionRequest, ToolCall } from "../agent-connection.ts";
import { boundText } from "./bound-text.ts";
import { fieldsOf, listOf, textOf } from "./read-fields.ts";

const LONGEST_NAME = 200;

interface OfferedOption {
  readonly kind: PermissionKind;
  readonly name: string;
  readonly id: string;
}

/** The same decision with another duration. An allow never becomes a reject, or the other way round. */
const NEAREST = {
  allow_once: "allow_always",
  allow_always: "allow_once",
  reject_once: "reject_always",
  reject_always: "reject_once",
} as const satisfies Record<PermissionKind, PermissionKind>;

export function readOptions(options: unknown): OfferedOption[] {
  return listOf(options).flatMap((option) => {
    const { kind, name, optionId } = fieldsOf(option);
    const known = PERMISSION_KINDS.find((word) => word === kind);
    const id = textOf(optionId);
    if (known === undefined || id === null) return [];
    return [{ kind: known, name: boundText(textOf(name) ?? known, LONGEST_NAME), id }];
  });
}

export function toRequest(call: ToolCall, options: readonly OfferedOption[]): PermissionRequest {
  return { call, options: options.map(({ kind, name }) => ({ kind, name })) };
}

/** The answer in the protocol's form: the option of that kind, or the nearest. */
export function toOutcome(answer: PermissionAnswer, options: readonly OfferedOption[]): unknown {
  const chosen =
    answer.kind === "cancelled"
      ? undefined
      : (options.find(({ kind }) => kind === answer.kind) ??
        options.find(({ kind }) => kind === NEAREST[answer.kind]));
  if (!chosen) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: chosen.id } };
}
