import { existsSync } from "node:fs";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import { openBelay } from "../../src/index.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { defaultOwner } from "../../src/service/home-folder.ts";
import { newId } from "../../src/service/new-id.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { newPlace } from "./run-belay.ts";
import { runInProcess } from "./run-in-process.ts";
import { typeAnswer } from "./type-answer.ts";

const place = newPlace();
afterAll(() => place.remove());

let count = 0;
let session: string;
let question: string;
let other: string;
beforeEach(async () => {
  count += 1;
  session = `drop-${count}`;
  [other, question] = [await ask(`tidy-${count}`), await ask(session)];
});

async function run(...args: string[]) {
  const { code, stdout, stderr } = await runInProcess(place.home, args, true);
  return { code, stderr, json: JSON.parse(stdout) };
}

async function ask(id: string): Promise<string> {
  await run("create", "--agent", "a", "--id", id);
  const { json } = await run("approvals", "request", id, `Drop ${id}?`);
  return String(json.approval_id);
}

async function openQuestions(): Promise<string[]> {
  const belay = await openBelay({ home: place.home });
  const { approvals } = await belay.approvals.list({ limit: 1000 });
  await belay.close();
  return approvals.map(({ approval_id }) => approval_id);
}

describe("a question on the command line", () => {
  it("is answered by its whole id or its last eight digits", async () => {
    expect(await run("approve", other.slice(-8))).toMatchObject({
      code: 0,
      json: { approval_id: other, decision: "approved" },
    });
    expect(await openQuestions()).toContain(question);
    expect(await run("reject", question)).toMatchObject({ code: 0, json: { session_id: session } });
  });

  it("is not found by the start of its id, although it is the only open one", async () => {
    await run("approve", other);
    for (const start of [question.slice(0, 8), question.slice(0, 18), "0", question.slice(-7)]) {
      expect([start, await run("approve", start)]).toMatchObject([
        start,
        { code: 3, json: { error: "approval_not_found" } },
      ]);
      expect(await run("answer", start, "abort")).toMatchObject({ code: 3 });
    }
    expect(await openQuestions()).toContain(question);
  });

  it("says that it is closed, if its digits name a closed one", async () => {
    await run("approve", question);
    expect(await run("approve", question.slice(-8))).toMatchObject({
      code: 4,
      json: { error: "approval_closed", details: { approval_id: question } },
    });
  });

  it("is named by digits that another question has too, in the same or another session", async () => {
    const ending = newId().slice(-8);
    const ids = ["11111111", "22222222"].map((start) => `${start}${newId().slice(8, -8)}${ending}`);
    await askAs(session, ids);
    const ambiguous = { code: 2, json: { error: "ambiguous_id", details: { matches: ids } } };
    expect(await run("approve", ending)).toMatchObject(ambiguous);
    // The answer to one of them does not make the other the only one.
    await run("reject", ids[0] ?? "");
    expect(await run("approve", ending)).toMatchObject(ambiguous);
    const third = `33333333${newId().slice(8, -8)}${ending}`;
    await askAs(`tidy-${count}`, [third]);
    const { json } = await run("approve", ending);
    expect(json.details.matches.toSorted()).toEqual([...ids, third]);
  });
});

describe("a session in the place of its question", () => {
  it("is refused without a terminal, with the command to type", async () => {
    const { stdout, stderr, code } = await runInProcess(place.home, ["approve", session], false);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`Drop ${session}?`);
    const [, typed = ""] = /type: belay (.+)\n/.exec(stderr) ?? [];
    expect(await openQuestions()).toContain(question);
    expect(await run(...typed.split(" "))).toMatchObject({
      code: 0,
      json: { session_id: session },
    });
    expect(await run("approve", session)).toMatchObject({
      code: 3,
      json: { error: "approval_not_found", message: expect.stringContaining("no open question") },
    });
  });

  it("with two questions is refused with both", async () => {
    const second = newId();
    await askAs(session, [second]);
    expect(await run("reject", session)).toMatchObject({
      code: 2,
      json: { error: "ambiguous_id", details: { matches: [question, second] } },
    });
  });

  it.skipIf(!existsSync("/usr/bin/script"))("is shown at a terminal, and asked about", async () => {
    for (const no of ["n\n", CTRL_C]) {
      const { code, screen } = await typeAnswer(place, ["approve", session], no);
      expect([code, screen]).toEqual([1, expect.stringContaining("Nothing was changed.")]);
      expect(screen).toContain(`Drop ${session}?`);
    }
    expect(await openQuestions()).toContain(question);
    const yes = await typeAnswer(place, ["approve", session], "y\n");
    expect(yes).toMatchObject({ code: 0, screen: expect.stringContaining("approved") });
    expect(await openQuestions()).not.toContain(question);
  });

  it("is enough for the only recovery question", async () => {
    const id = `crash-${count}`;
    await run("create", "--agent", "a", "--id", id);
    await run("begin-action", id, "deploy", "--effects", "remote");
    await run("recover", "--session", id, "--force");
    expect(await run("answer", id.slice(0, -1), "abort")).toMatchObject({ code: 3 });
    expect(await run("answer", id, "continue")).toMatchObject({
      code: 0,
      json: { session_id: id, answer: "continue" },
    });
  });
});

const CTRL_C = "\u0003";

/** Asks with these ids. */
async function askAs(id: string, ids: readonly string[]): Promise<void> {
  const store = await openSqliteStore({ folder: place.home, isAlive });
  const rest = [...ids];
  const service = createService({ ...createContext(store), newId: () => rest.shift() ?? newId() });
  const caller = {
    owner: defaultOwner(),
    actor: "test",
    interface: "cli",
    trace_id: null,
  } as const;
  for (const _ of ids) await service.call("request_approval", { id, title: "Go on?" }, caller);
  await store.close();
}
