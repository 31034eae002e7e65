import { describe, expect, it } from "vitest";
import { createRunView, type RunViewOptions } from "../../src/doors/cli/talk/run-view.ts";
import { event } from "./run-view-terminal.ts";

type Body = Parameters<typeof event>[0];

describe("a run on the screen", () => {
  it("is printed from top to bottom", () => {
    const { show } = view({ interactive: true, answers: true });
    const text = [
      show(0, { type: "agent", state: "started", how: "new" }),
      show(0, { type: "started", turn_id: "t", content: "Fix the date test." }),
      show(400, thought("It depends on the day.\nSo something adds a month.")),
      show(900, said("I will read the test ", 0)),
      show(950, said("first.\n\n", 21)),
      show(1000, plan("in_progress", "pending")),
      show(1100, call("a1", "read", "test/date.test.ts", "started")),
      show(1400, call("a1", "read", "test/date.test.ts", "completed")),
      show(1500, plan("completed", "in_progress")),
      show(1600, { ...call("a2", "edit", "Edit src/date.ts", "started"), diffs: [DIFF] }),
      show(1600, PERMISSION),
      show(5000, {
        type: "answered",
        approval_id: "p-1",
        decision: "approved",
        note: "ok",
        choice: null,
      }),
      show(6000, { ...call("a2", "edit", "Edit src/date.ts", "completed"), diffs: [DIFF] }),
      show(6000, call("a3", "execute", "npm test", "started")),
      show(7000, { type: "queued", turn_id: "t2", content: "then commit" }),
      show(18_000, {
        ...call("a3", "execute", "npm test", "failed"),
        output: "1\n2\n3\n4 failed\n",
      }),
      show(18_000, { type: "note", text: "mode is now plan" }),
      show(19_000, { ...said("One test is left.", 0), item: 2 }),
      show(75_000, {
        type: "completed",
        turn_id: "t",
        outcome: "completed",
        usage: { input_tokens: 12_345, output_tokens: 678, cost_usd: 0.0412 },
      }),
    ].join("");
    expect(text).toBe(`  agent started

> Fix the date test.

  ┊ It depends on the day.
  ┊ So something adds a month.

I will read the test first.

Plan  0 of 2
  ▸ Read the test
  ○ Fix it

✓ read     test/date.test.ts  0.3s

Plan  1 of 2
  ✓ Read the test
  ▸ Fix it

? Edit src/date.ts
  It changes a file.
    src/date.ts  +1 -1
      const next = new Date(day);
    - next.setMonth(1);
    + next.setDate(1);
      return next;
  y approve once   a approve always   n reject
  in another terminal: belay approve p-1 (or reject)
✓ approved from elsewhere: Edit src/date.ts (ok)
✓ edit     Edit src/date.ts  4.4s
  ⋯ queued: then commit
✗ execute  npm test  12s
    2
    3
    4 failed
  mode is now plan

One test is left.

✓ done · 1m 15s · 12.3k tokens in, 678 out · $0.0412
`);
  });

  it("is shorter without a terminal: one line per thought, slow tools when they start", () => {
    const { show } = view({ interactive: false, columns: 40 });
    const text = [
      show(0, { type: "started", turn_id: "t", content: null }),
      show(0, thought("A long thought about many things,\n")),
      show(0, { ...thought("and more."), offset: 34 }),
      show(0, call("a1", "execute", "npm test", "started")),
      show(0, call("a2", "read", "a.ts", "started")),
      show(20_000, call("a2", "read", "a.ts", "interrupted")),
      show(20_000, call("a1", "execute", "npm test", "completed")),
      show(20_000, PERMISSION),
    ].join("");
    expect(text).toBe(`  ┊ A long thought about many things, ↵…
○ execute  npm test
⊘ read     a.ts  20s
✓ execute  npm test  20s

? Edit src/date.ts
  It changes a file.
  answer with: belay approve p-1 (or reject)
`);
  });

  it("shows a long change in part", () => {
    const { show } = view({});
    const after = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join("");
    const made = {
      ...call("a", "edit", "Write x", "completed"),
      diffs: [{ path: "x", before: null, after }],
    };
    const lines = show(0, made).split("\n");
    expect(lines.slice(0, 3)).toEqual(["✓ edit     Write x", "    x  new, +30", "    + line 1"]);
    expect(lines.slice(9)).toEqual([
      "    + line 8",
      "    … 18 lines hidden …",
      "    + line 27",
      "    + line 28",
      "    + line 29",
      "    + line 30",
      "",
    ]);
  });

  it("offers only answers that the service accepts", () => {
    const { show } = view({ answers: true });
    expect(show(0, { ...PERMISSION, options: ["allow_once", "reject_once"] })).toContain(
      "  y approve once   n reject\n",
    );
  });

  it.each([
    [{ decision: "approved", note: null }, "✓ approved: Edit src/date.ts\n"],
    [{ decision: "rejected", note: "no" }, "✗ rejected: Edit src/date.ts (no)\n"],
    [{ decision: "expired", note: null }, "⊘ expired: Edit src/date.ts\n"],
  ] as const)("shows an answer that was given here: %j", (answer, line) => {
    const { show, view: shown } = view({});
    show(0, PERMISSION);
    shown.answering("p-1");
    const given = { ...answer, choice: null };
    expect(show(0, { type: "answered", approval_id: "p-1", ...given })).toBe(line);
  });

  it.each([
    [
      { type: "completed", turn_id: "t", outcome: "interrupted", usage: null },
      "⊘ interrupted · 2.0s\n",
    ],
    [
      { type: "completed", turn_id: "t", outcome: "cancelled", usage: null },
      "⊘ cancelled · 2.0s\n",
    ],
    [
      { type: "error", turn_id: "t", message: "log in first" },
      "✗ log in first · 2.0s\n  Resume with: belay resume agent-1. Details: belay log agent-1\n",
    ],
    [{ type: "ended", status: "cancelled" }, "The session is cancelled.\n"],
    [
      { type: "suspended", reason: "user_requested", checkpoint_id: null },
      "⊘ suspended (user requested) · resume with: belay resume agent-1\n",
    ],
    [{ type: "resumed", interface: "web" }, "  resumed through web\n"],
  ] as const)("ends a turn: %j", (end, line) => {
    const { show } = view({});
    show(0, { type: "started", turn_id: "t", content: null });
    expect(show(2000, end)).toBe(line);
  });

  it("shows each text exactly once if chunks overlap", () => {
    const { show } = view({});
    expect(
      show(0, said("Hello ", 0)) + show(0, said("lo world", 3)) + show(0, said("Hello", 0)),
    ).toBe("Hello world");
  });

  it("does not repeat a message that was typed on this screen", () => {
    const { show, view: shown } = view({});
    shown.typed("hi");
    expect(show(0, { type: "started", turn_id: "t", content: "hi" })).toBe("");
    expect(show(0, { type: "started", turn_id: "t2", content: "hi" })).toBe("> hi\n");
  });

  it("shows nothing if the plan is unchanged", () => {
    const { show } = view({});
    show(0, plan("in_progress", "pending"));
    expect(show(0, plan("in_progress", "pending"))).toBe("");
  });

  it("lets no control character of an agent through, in any field", () => {
    const evil = "a\u001b]0;t\u0007b\u009b31mc\u202ed\u0007";
    const { show } = view({ answers: true });
    const diffs = [{ path: evil, before: evil, after: `${evil}${evil}` }];
    const shown = [
      show(0, { type: "started", turn_id: evil, content: evil }),
      show(0, { type: "queued", turn_id: evil, content: evil }),
      show(0, said(evil, 0)),
      show(0, thought(evil)),
      show(0, { type: "plan", turn_id: "t", entries: [{ content: evil, status: "pending" }] }),
      show(0, { type: "note", text: evil }),
      show(0, { ...call("a", evil, evil, "failed"), output: evil, result: evil, diffs }),
      show(0, { ...PERMISSION, title: evil, body: evil }),
      show(0, {
        type: "answered",
        approval_id: "p-1",
        decision: "rejected",
        note: evil,
        choice: null,
      }),
      show(0, { type: "agent", state: "stopped", how: evil }),
      show(0, { type: "error", turn_id: null, message: evil }),
    ];
    for (const text of shown) expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    for (const text of shown) expect(text).toContain("a⟦U+001B⟧]0;t");
  });

  it("has colours only on request", () => {
    const body = call("a", "read", "a.ts", "completed");
    expect(view({ color: true }).show(0, body)).toContain("\u001b[32m✓\u001b[39m");
    expect(view({}).show(0, body)).not.toContain("\u001b");
  });
});

describe("the status line", () => {
  it("shows the current work, and for how long it has run", () => {
    const { show, view: shown, at } = view({ columns: 40 });
    expect(shown.status()).toBe("");
    show(0, { type: "started", turn_id: "t", content: null });
    at(3000);
    expect(shown.status()).toBe("○ working  3s");
    show(3000, call("a1", "execute", "npm test", "started"));
    show(3000, call("a2", "read", "a.ts", "started"));
    at(5000);
    expect(shown.status()).toBe("○ execute  npm test  and 1 more  2s");
    show(5000, PERMISSION);
    expect(shown.status()).toBe("? needs your answer: Edit src/date.ts");
    show(6000, { type: "completed", turn_id: "t", outcome: "completed", usage: null });
    expect(shown.status()).toBe("");
  });

  it("never needs more than one row", () => {
    const { show, view: shown, at } = view({ columns: 40 });
    show(0, { type: "started", turn_id: "t", content: null });
    show(0, call("a1", "execute", "x".repeat(200), "started"));
    at(100_000);
    expect(shown.status().length).toBeLessThan(40);
  });
});

const DIFF = {
  path: "src/date.ts",
  before: "{\nconst next = new Date(day);\nnext.setMonth(1);\nreturn next;\n}\n",
  after: "{\nconst next = new Date(day);\nnext.setDate(1);\nreturn next;\n}\n",
};

const PERMISSION = {
  type: "permission",
  approval_id: "p-1",
  kind: "permission",
  action_id: null,
  title: "Edit src/date.ts",
  body: "It changes a file.",
  options: ["allow_once", "allow_always", "reject_once"],
  choices: [],
  missing_choices: 0,
} as const satisfies Body;

function said(text: string, offset: number) {
  return { type: "message", turn_id: "t", item: 1, offset, text } as const;
}

function thought(text: string) {
  return { type: "thought", turn_id: "t", item: 0, offset: 0, text } as const;
}

function call<S extends "started" | "completed" | "failed" | "interrupted">(
  action_id: string,
  tool: string,
  title: string,
  status: S,
) {
  return { type: "tool_call", action_id, tool, title, status } as const;
}

function plan(first: "in_progress" | "completed", second: "pending" | "in_progress"): Body {
  const entries = [
    { content: "Read the test", status: first },
    { content: "Fix it", status: second },
  ];
  return { type: "plan", turn_id: "t", entries };
}

function view(options: Partial<RunViewOptions>) {
  let time = 0;
  const now = () => time;
  const made = createRunView({ columns: 80, color: false, interactive: true, now, ...options });
  return {
    view: made,
    at(ms: number) {
      time = ms;
    },
    show(ms: number, body: Body) {
      time = ms;
      return made.show(event(body));
    },
  };
}
