import { describe, expect, it } from "vitest";
import type { SessionHead } from "../../src/contract/head.ts";
import { matchesWords, wordsOf } from "../../src/core/view/match-words.ts";
import { EXAMPLE } from "./example-command.ts";
import { NO_LOG, play } from "./session-log.ts";

const head = headOf({
  title: "Move the State Bucket",
  purpose: "größere Ordnung",
  session_id: "agent-20260108",
  agent_name: "terraform",
  project: { cwd: "/srv/infra", repo: "never-looked-at", branch: "feature/buckets" },
  task_id: "T-77",
});

function headOf(fields: Partial<typeof EXAMPLE.create>): SessionHead {
  const finalize = { ...EXAMPLE.finalize, summary: "moved; Οδός checked" };
  const { head } = play(NO_LOG, [{ ...EXAMPLE.create, ...fields }, finalize]);
  if (!head) throw new Error("there is one");
  return head;
}

const finds = (search: string) => matchesWords(head, wordsOf(search));

describe("a search", () => {
  it.each([
    ["its title", "bucket"],
    ["its purpose", "ordnung"],
    ["its id", "20260108"],
    ["its agent", "terraform"],
    ["its folder", "/srv/infra"],
    ["its branch", "feature/buck"],
    ["its task", "t-77"],
    ["its summary", "checked"],
  ])("finds a session by %s", (_what, word) => {
    expect(finds(word)).toBe(true);
  });

  it("needs every word, at any position and in any order", () => {
    expect(finds("checked TERRAFORM  move")).toBe(true);
    expect(finds("terraform plan")).toBe(false);
  });

  it.each(["GRÖSSERE", "größere", "gro\u0308ßere", "ΟΔΌΣ", "οδός"])(
    "ignores case and accents: %s",
    (word) => {
      expect(finds(word)).toBe(true);
    },
  );

  it("finds no words across two texts, nor in texts that are not the session's own", () => {
    expect(finds("ordnungagent")).toBe(false);
    expect(finds("never-looked-at")).toBe(false);
    expect(finds("null")).toBe(false);
  });

  it("does not find a session without a task by its entity id", () => {
    const { entity_id } = head;
    const alone = headOf({ task_id: entity_id });
    expect(matchesWords(alone, wordsOf(entity_id))).toBe(false);
    expect(matchesWords(headOf({ task_id: `of-${entity_id}` }), wordsOf(entity_id))).toBe(true);
  });

  it("matches punctuation literally", () => {
    expect(finds(".*")).toBe(false);
    expect(finds("%")).toBe(false);
    expect(finds("moved;")).toBe(true);
  });
});
