import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addHooks,
  hookCommand,
  removeHooks,
} from "../../src/integrations/claude/hooks/claude-settings.ts";
import { NotJson, scanJsonc } from "../../src/settings-files/jsonc.ts";

const COMMAND = hookCommand("/opt/node 24/bin/node", "/srv/my tools/bin/belay.mjs");

const FOREIGN = '{"type":"command","command":"echo foreign"}';

/** Typical settings of people. */
const SETTINGS: Readonly<Record<string, string>> = {
  "an empty object": "{}",
  "an empty object and a newline": "{}\n",
  "blanks in an empty object": "{ }",
  "an empty object over two lines": "{\n}\n",
  "a comment in an empty object": "{\n  // nothing yet\n}\n",
  "one line": '{"model":"opus"}',
  "one line with blanks": '{ "model": "opus" }\n',
  "two blanks": '{\n  "model": "opus",\n  "env": { "A": "1" }\n}\n',
  "four blanks": '{\n    "model": "opus",\n    "permissions": {\n        "allow": []\n    }\n}\n',
  tabs: '{\n\t"model": "opus",\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n',
  "odd indentation": '{\n   "model": "opus",\n "env": {}\n      }\n',
  CRLF: '{\r\n  "model": "opus",\r\n  "env": {}\r\n}\r\n',
  "a byte order mark": '\uFEFF{\n  "model": "opus"\n}\n',
  "no final newline": '{\n  "model": "opus"\n}',
  "comments everywhere":
    '// top\n{\n  /* before */ "model": "opus", // after\n  // last\n  "env": {} // end\n  /* tail */\n}\n// bottom\n',
  "trailing commas": '{\n  "model": "opus",\n  "permissions": { "allow": ["Bash(ls:*)",], },\n}\n',
  "a trailing comma after a comment": '{\n  "model": "opus" /* , */ ,\n}\n',
  "unknown keys":
    '{\n  "zeta": 1,\n  "alpha": { "x": [1, 2.5e3, -0, null, true] },\n  "hooksy": {}\n}\n',
  "an empty hooks object": '{\n  "hooks": {}\n}\n',
  "an empty hooks object over two lines": '{\n  "hooks": {\n  }\n}\n',
  "hooks on one line": `{"hooks":{"Stop":[{"hooks":[${FOREIGN}]}]}}`,
  "empty lists of hooks":
    '{\n  "hooks": {\n    "Stop": [],\n    "SessionStart": [ ],\n    "PreToolUse": [\n    ]\n  }\n}\n',
  "foreign hooks on our events": `{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n          ${FOREIGN}\n        ]\n      }\n    ],\n    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [${FOREIGN}] }, // keep\n    ]\n  },\n  "model": "opus"\n}\n`,
  "foreign hooks on other events": `{\n  "hooks": {\n    "Notification": [{ "hooks": [${FOREIGN}] }]\n  }\n}\n`,
  "two hooks members": '{\n  "hooks": {},\n  "hooks": { "Stop": [] }\n}\n',
  "escapes and other scripts":
    '{\n  "m\\u006fdel": "\\"q\\" \\\\ /",\n  "note": "naïve — 日本 🙂 // not a comment"\n}\n',
};

describe("hooks in settings", () => {
  it.each(Object.entries(SETTINGS))("are added and removed without a trace: %s", (_, before) => {
    const installed = addHooks(before, COMMAND);
    expect(installed).not.toBe(before);
    expect(removeHooks(installed, COMMAND)).toBe(before);
  });

  it.each(Object.entries(SETTINGS))("exist once, however often they are added: %s", (_, before) => {
    const once = addHooks(before, COMMAND);
    expect(addHooks(once, COMMAND)).toBe(once);
    expect(once.split("hook claude-code").length - 1).toBe(8);
  });

  it.each(Object.entries(SETTINGS))("leave everything else unchanged: %s", (_, before) => {
    const installed = addHooks(before, COMMAND);
    let at = 0;
    for (const character of before) {
      at = installed.indexOf(character, at) + 1;
      expect(at).toBeGreaterThan(0);
    }
  });

  it.each(Object.entries(SETTINGS).filter(([, text]) => isStrict(text)))(
    "keep plain JSON plain: %s",
    (_, before) => {
      const { hooks, ...rest } = JSON.parse(addHooks(before, COMMAND));
      const { hooks: hooksBefore = {}, ...restBefore } = JSON.parse(before);
      expect(rest).toEqual(restBefore);
      expect(Object.keys(hooks)).toEqual(expect.arrayContaining(Object.keys(hooksBefore)));
      for (const [event, groups] of Object.entries<unknown[]>(hooksBefore)) {
        expect(hooks[event].slice(0, groups.length)).toEqual(groups);
      }
      expect(hooks.PreToolUse.at(-1)).toEqual({
        matcher: "Agent|Task",
        hooks: [{ type: "command", command: COMMAND, timeout: 10 }],
      });
      for (const event of [
        "SessionStart",
        "UserPromptSubmit",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "Stop",
        "SessionEnd",
      ]) {
        expect(hooks[event].at(-1)).toEqual({
          hooks: [{ type: "command", command: COMMAND, timeout: 10 }],
        });
      }
    },
  );

  it("are updated when Belay or Node moves", () => {
    const old = addHooks(SETTINGS.tabs ?? "", hookCommand("/old/node", "/old/bin/belay.mjs"));
    const moved = addHooks(old, COMMAND);
    expect(moved).not.toContain("/old/");
    expect(moved.split("hook claude-code").length - 1).toBe(8);
    expect(removeHooks(old, COMMAND)).toBe(SETTINGS.tabs);
  });

  it("keep later additions around them", () => {
    const installed = addHooks("{}\n", COMMAND);
    const settings = JSON.parse(installed);
    settings.hooks.Stop[0].hooks.push({ type: "command", command: "echo mine" });
    settings.hooks.SessionEnd.unshift({ hooks: [{ type: "command", command: "echo other" }] });
    settings.model = "opus";
    const left = removeHooks(JSON.stringify(settings, null, 2), COMMAND) ?? "";
    expect(JSON.parse(left)).toEqual({
      hooks: {
        Stop: [{ hooks: [{ type: "command", command: "echo mine" }] }],
        SessionEnd: [{ hooks: [{ type: "command", command: "echo other" }] }],
      },
      model: "opus",
    });
  });

  it("are not confused with hooks of others", () => {
    const foreign =
      '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/opt/belay/run.sh hook claude-code"}]}]}}';
    expect(removeHooks(foreign, COMMAND)).toBe(foreign);
  });

  it("create the file if it is missing, and remove it again", () => {
    const made = addHooks(null, COMMAND);
    expect(Object.keys(JSON.parse(made).hooks)).toHaveLength(8);
    expect(removeHooks(made, COMMAND)).toBeNull();
  });

  it.each([
    ["", "line 1: value expected"],
    ["not json", "line 1: invalid symbol"],
    ["[]", "it is not an object"],
    ['{"a":1', "line 1: close brace expected"],
    ['{\n"a":1\n"b":2}', "line 3: comma expected"],
    ['{"a":1}}', "line 1: end of file expected"],
    ['{"a":"x', "line 1: unexpected end of string"],
    ["{'a':1}", "line 1: invalid symbol"],
    ['{"hooks":[]}', '"hooks" is not an object'],
    ['{"hooks":{"Stop":{}}}', '"hooks.Stop" is not a list'],
    [`${"[".repeat(100_000)}`, "nested too deeply"],
  ])("are not added to a file that is not settings: %s", (text, why) => {
    expect(() => addHooks(text, COMMAND)).toThrow(NotJson);
    expect(() => addHooks(text, COMMAND)).toThrow(why);
  });
});

describe("the command", () => {
  it("works in a shell with any path", () => {
    expect(hookCommand("/a b/node", '/x/$HOME`id`"\\/belay.mjs')).toBe(
      '"/a b/node" "/x/\\$HOME\\`id\\`\\"\\\\/belay.mjs" hook claude-code',
    );
  });
});

describe("the scanner", () => {
  it("finds the position of every value in any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 2, 4), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        check(text, JSON.parse(text));
      }),
    );

    function check(text: string, value: unknown): void {
      const visit = (node: ReturnType<typeof scanJsonc>, expected: unknown): void => {
        expect(JSON.parse(text.slice(node.start, node.end))).toEqual(expected);
        if (node.kind === "array") {
          for (const [at, child] of node.children.entries()) visit(child, Object(expected)[at]);
        }
        if (node.kind === "object") {
          for (const { key, value: child } of node.children) {
            visit(child, Object.getOwnPropertyDescriptor(expected, key)?.value);
          }
        }
      };
      visit(scanJsonc(text), value);
    }
  });
});

function isStrict(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
