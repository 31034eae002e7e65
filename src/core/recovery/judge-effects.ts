import type { Effects } from "../../contract/vocabulary.ts";

/** What a tool may change, by the protocol's word for what it does. What is not listed may reach out. */
const EFFECTS_OF_KIND: Readonly<Record<string, Effects>> = {
  read: "none",
  search: "none",
  think: "none",
  switch_mode: "none",
  edit: "local",
  delete: "local",
  move: "local",
};

/** `configured` is what the user knows better, by kind of tool; `*` stands for all kinds of which nothing is known. */
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
