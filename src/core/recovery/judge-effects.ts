import type { Effects } from "../../contract/vocabulary.ts";

/**
 * The effects of a tool, by the kind that the protocol gives it. A kind that is not listed may have
 * external effects.
 */
const EFFECTS_OF_KIND: Readonly<Record<string, Effects>> = {
  read: "none",
  search: "none",
  think: "none",
  switch_mode: "none",
  edit: "local",
  delete: "local",
  move: "local",
};

/**
 * `configured` holds the user's own rules by kind of tool; `*` applies to all kinds without known
 * effects.
 */
export function judgeEffects(
  tool_kind: string,
  configured: Readonly<Record<string, Effects>>,
): Effects {
  return configured[tool_kind] ?? EFFECTS_OF_KIND[tool_kind] ?? configured["*"] ?? "unknown";
}

type PermissionPolicy = "ask" | "allow" | "deny";

export function judgePermission(
  tool_kind: string,
  configured: Readonly<Record<string, PermissionPolicy>>,
): PermissionPolicy {
  return configured[tool_kind] ?? configured["*"] ?? "ask";
}
