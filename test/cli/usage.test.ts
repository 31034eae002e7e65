import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SYSTEM_COMMANDS } from "../../src/doors/cli/commands/system-commands.ts";
import { COMMANDS } from "../../src/doors/cli/commands.ts";
import { textWidth } from "../../src/doors/cli/show/text-width.ts";
import { newPlace } from "./run-belay.ts";
import { runInProcess } from "./run-in-process.ts";

let place: ReturnType<typeof newPlace>;
beforeAll(async () => {
  place = newPlace();
  await place.belay("create", "--agent", "a", "--purpose", "p", "--id", "twin-1");
  await place.belay("create", "--agent", "a", "--purpose", "p", "--id", "twin-2");
});
afterAll(() => place.remove());

describe("error messages", () => {
  it.each([
    [["share", "twin-1"], "Give either --with or --everyone. For a public link, use --link."],
    [["unshare", "twin-1"], "For a public link, use --link LINK_ID."],
    [["share", "twin-1", "--link", "--with", "bob"], "--link cannot be combined with --with."],
    [["share", "twin-1", "--role=viewer", "--link"], "--link cannot be combined with --role."],
    [
      ["login", "--url", "http://127.0.0.1:1", "--for", "bob"],
      "--url cannot be combined with --for.",
    ],
    [["update", "twin-1"], "Give --phase, --metadata, --error or --resume-ready."],
    [["create", "--agent", "a", "--id", "four"], "--id: must have 5 to 128 characters"],
    [["cleanup"], "Give either --hours or --expired."],
    [["recover", "twin-1"], 'Unexpected argument "twin-1". Remove it.'],
    [["rename", "twin-1", "two", "words"], "Quote texts that contain spaces."],
    [["checkpoint", "show", "twin-1", "none"], "belay checkpoint list"],
    [["people"], "Give one of these commands: belay people add, belay people list, belay"],
    [["people", "ad", "bob"], 'Unknown command "people ad". Did you mean "belay people add"?'],
  ])("%j names flags and commands: %s", async (args, message) => {
    expect((await runInProcess(place.home, args, false)).stderr).toContain(message);
  });

  it("name the command to continue a suspended or closed session", async () => {
    const belay = (...args: string[]) => runInProcess(place.home, args, false);
    await belay("create", "--agent", "a", "--id", "closed-1");
    await belay("suspend", "closed-1");
    expect((await belay("suspend", "closed-1")).stderr).toContain("Use: belay resume closed-1");
    await belay("cancel", "closed-1");
    expect((await belay("suspend", "closed-1")).stderr).toContain("Use: belay fork closed-1");
  });
});

it.each([
  ["1", "deleted 1 day after"],
  ["2", "deleted 2 days after"],
])("an expiration after %s days is shown as: %s", async (days, shown) => {
  const set = await runInProcess(place.home, ["expiration", "set", "--after-days", days], false);
  expect(set.stdout).toContain(shown);
});

describe("exit codes and errors", () => {
  const cases: [args: string[], code: number, error: string][] = [
    [["get", "nothing-here"], 3, "session_not_found"],
    [["get", "twin"], 2, "ambiguous_id"],
    [["get", "../etc/passwd"], 2, "invalid_id"],
    [["get", "a b c d e"], 2, "invalid_id"],
    [["create", "--agent", "a", "--id", "four"], 2, "invalid_id"],
    [["create", "--agent", "a", "--id", "x".repeat(129)], 2, "invalid_id"],
    [["create", "--agent", "a", "--id", "twin-1"], 4, "session_exists"],
    [["create", "--purpose", "p"], 2, "usage"],
    [["create", "--agent", "a", "--metadata", "{oops"], 2, "invalid_input"],
    [["create", "--agent", "a", "--metadata", '{"__proto__":{"x":1}}'], 2, "invalid_input"],
    [["update", "twin-1", "--phase", "dreaming"], 2, "invalid_input"],
    [["update", "twin-1", "--resume-ready", "maybe"], 2, "usage"],
    [["update", "twin-1", "--metdata", "{}"], 2, "usage"],
    [
      ["update", "twin-1", "--phase", "planning", "--expected-version", "99"],
      4,
      "version_conflict",
    ],
    [["finalize", "twin-1", "done"], 2, "invalid_input"],
    [["finalize", "twin-1"], 2, "usage"],
    [["list", "--from", "yesterday"], 2, "invalid_input"],
    [["fork", "twin-1", "--at", "99"], 3, "event_not_found"],
    [["undelete", "twin-1"], 1, "session_not_deleted"],
    [["purge", "twin-1"], 1, "session_not_deleted"],
    [["approve", "no-such-approval"], 3, "approval_not_found"],
    [["checkpoint", "show", "twin-1", "none"], 3, "checkpoint_not_found"],
    [["tasks", "update", "none", "--status", "x"], 3, "task_not_found"],
    [["cleanup"], 2, "invalid_input"],
    [["cleanup", "--hours", "-1"], 2, "invalid_input"],
    [["cleanup", "--hours"], 2, "usage"],
    [["list", "--active-only=yes"], 2, "usage"],
    [["nonsense"], 2, "usage"],
    [["import", "gaia", "/does/not/exist"], 2, "invalid_input"],
    [["tasks", "import", "/does/not/exist"], 2, "invalid_input"],
    [["log", "nothing-here", "--ndjson"], 3, "session_not_found"],
  ];
  it.each(cases)("%j exits %i with %s", async (args, code, error) => {
    const ran = await runInProcess(place.home, args, true);
    expect(ran.code).toBe(code);
    expect(JSON.parse(ran.stdout)).toMatchObject({ error, message: expect.any(String) });
    const human = await runInProcess(place.home, args, false);
    expect(human.code).toBe(code);
    expect(human.stdout).toBe("");
    expect(human.stderr).toMatch(/^belay: .+\n$/);
  });

  const oneOfEach = [...new Map(cases.map((given) => [given[1], given])).values()];
  it.each(oneOfEach)("the process exits with that code: %j, %i", async (args, code, error) => {
    const ran = await place.belay(...args, "--json");
    expect(ran).toMatchObject({ code, json: { error, message: expect.any(String) } });
    const human = await place.belay(...args);
    expect([human.code, human.stdout]).toEqual([code, ""]);
    expect(human.stderr).toMatch(/^belay: .+\n$/);
  });

  it("suggests the closest name", async () => {
    expect((await place.belay("lsit")).stderr).toContain('Did you mean "belay list"?');
    expect((await place.belay("update", "twin-1", "--fase", "x")).stderr).toContain("--phase");
  });

  it("reports a data folder without data", async () => {
    const ran = await place.with({ BELAY_HOME: `${place.root}/nowhere` }, "verify", "--json");
    expect(ran).toMatchObject({ code: 3, json: { error: "storage_missing" } });
  });
});

describe("help", () => {
  it("lists every command, and each shows an example", async () => {
    const names = [...Object.keys(COMMANDS), ...Object.keys(SYSTEM_COMMANDS)];
    const overview = (await place.belay("--help")).stdout;
    for (const name of names) expect(overview).toMatch(new RegExp(`^  ${name} `, "m"));
    for (const name of ["create", "checkpoint save", "verify", "tasks list"]) {
      const help = await place.belay(...name.split(" "), "--help");
      expect(help.code).toBe(0);
      expect(help.stdout).toContain("Example");
      expect(help.stdout).toContain(`belay ${name}`);
      const prose = help.stdout.split("\n").filter((line) => !line.startsWith("Usage: "));
      for (const line of prose) expect(line.length).toBeLessThanOrEqual(120);
    }
  });

  it.each([
    [
      ["people", "--help"],
      ["people add", "people list", "people disable"],
    ],
    [
      ["help", "links"],
      ["links add", "links preview", "links list", "links revoke"],
    ],
    [
      ["token", "--help"],
      ["token create", "token list", "token revoke"],
    ],
    [
      ["expiration", "--help"],
      ["Usage: belay expiration", "expiration set"],
    ],
  ])("%j lists the commands that start with the same word", async (args, listed) => {
    const { code, stdout } = await runInProcess(place.home, args, false);
    expect(code).toBe(0);
    for (const part of listed) expect(stdout).toContain(part);
  });

  it.each(["--help", "run --help", "serve --help", "mcp --help", "update --help", "agents --help"])(
    "belay %s fits into 80 columns, and breaks no line inside of brackets",
    async (command) => {
      const { stdout } = await atTerminal(80, ...command.split(" "));
      for (const line of stdout.split("\n")) {
        expect(textWidth(line), line).toBeLessThanOrEqual(80);
        expect(line.split("[").length, line).toBe(line.split("]").length);
      }
    },
  );
});

describe("the list of sessions", () => {
  beforeAll(async () => {
    const purpose = "find out why the nightly build of the documents is so slow";
    const id = "agent-20260108-180530-abc12345";
    await place.belay("create", "--agent", "terraform-architect", "--purpose", purpose, "--id", id);
  });

  it("fits into the terminal: less important columns are left out, long texts are cut", async () => {
    const { stdout } = await atTerminal(80, "list");
    for (const line of stdout.split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/SESSION +AGENT +STATUS +ACTIVE +TITLE/);
    expect(stdout).toMatch(/abc12345 .* find out why the/);
    expect((await atTerminal(240, "list")).stdout).toMatch(/PHASE +INTERFACE +CREATED/);
  });

  it("is complete if a program reads it", async () => {
    const { stdout } = await runInProcess(place.home, ["list"], false);
    expect(stdout).toMatch(/PHASE +INTERFACE +CREATED +ACTIVE +TITLE/);
    expect(stdout).toContain("documents is so slow");
  });
});

it("the feed of events says how to read on", async () => {
  const first = await runInProcess(place.home, ["events", "--limit", "1"], false);
  const [, cursor = ""] = /^More: add --after (\S+)$/m.exec(first.stdout) ?? [];
  const second = await runInProcess(place.home, ["events", "--after", cursor], false);
  expect(second.stdout).toContain("twin-2");
  expect(second.stdout).not.toContain("More:");
});

function atTerminal(columns: number, ...args: string[]) {
  return runInProcess(place.home, args, false, { isTTY: true, columns });
}
