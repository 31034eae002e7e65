import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { changeSession } from "../../src/service/change-session.ts";
import { defaultOwner } from "../../src/service/home-folder.ts";
import { redactCaller } from "../../src/service/redact/redact-caller.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { runInProcess } from "../cli/run-in-process.ts";
import { until } from "../http/until.ts";
import { as, closePlaces, openPlace, type WebhookPlace } from "../webhooks/open-place.ts";
import { endReceivers, Receiver } from "../webhooks/receiver.ts";
import { leaked } from "./leaked.ts";
import { SECRET_SHAPES } from "./secret-shapes.ts";

/** Nothing that leaves a session contains a secret. */

const shapes = Object.entries(SECRET_SHAPES);
/** The identity of the command line here. */
const ANN = as(defaultOwner());

describe("a session", () => {
  let place: WebhookPlace;
  const id = "leaky-session";
  const all = shapes.map(([, { text }]) => text).join("\n\n");
  const TANGERINE = "tangerine-and-42";
  const NAME = ["gh", "p_", "n4m3".repeat(9)].join("");

  beforeAll(async () => {
    process.env.BELAY_TEST_DEPLOY_TOKEN = TANGERINE;
    place = await openPlace();
    // The environment of the person who exports.
    place = { ...place, service: createService({ ...place.context, variables: process.env }) };
    const { service, context } = place;
    const first = shapes[2]?.[1].text;
    await service.call(
      "create",
      {
        agent_name: "a",
        session_id: id,
        title: `use ${first}`,
        metadata: { password: "hunter2-meta", [NAME]: NAME },
        project: { cwd: `/srv/${NAME}`, repo: `https://example.org/${NAME}`, branch: NAME },
      },
      ANN,
    );
    await service.call("record_turn", { id, input: all, output: `${all} ${TANGERINE}` }, ANN);
    await service.call(
      "begin_action",
      { id, action_id: "act-1", type: "run", details: { input: { command: all } } },
      ANN,
    );
    await service.call(
      "complete_action",
      {
        id,
        action_id: "act-1",
        status: "completed",
        result: "ok",
        details: { output: JSON.stringify({ all }) },
      },
      ANN,
    );
    await service.call(
      "save_checkpoint",
      { id, name: "c", state: { all, nested: { api_key: "hunter2-state" } } },
      ANN,
    );
    // Names can contain secrets too: of agents, programs, checkpoints, files and folders.
    const agent = { ...ANN, actor: `agent:${NAME}` };
    await service.call("begin_action", { id, action_id: "act-2", type: `run ${NAME}` }, agent);
    await service.call("save_checkpoint", { id, name: `c ${NAME}`, state: {} }, agent);
    const artifact = { id, name: `file ${NAME}`, uri: `https://example.org/${NAME}` };
    await service.call("record_artifact", artifact, agent);
    await recordParts(context, id, NAME, all);
    await service.call("update", { id, error: `failed: ${all}` }, ANN);
  });

  afterAll(async () => {
    delete process.env.BELAY_TEST_DEPLOY_TOKEN;
    await closePlaces();
    await endReceivers();
  });

  const secrets = [
    ...shapes.map(([name, { secret }]) => [name, secret] as const),
    ["environment", TANGERINE] as const,
    ["metadata", "hunter2-meta"] as const,
    ["state", "hunter2-state"] as const,
    ["name", NAME] as const,
  ];
  const left = (text: string) =>
    secrets.flatMap(([name, secret]) => (leaked(text, secret) ? [name] : []));

  it("names tokens and agents whose names are no secrets", () => {
    const redactor = createRedactor([]);
    for (const actor of ["token:deploy-robot", "agent:planner", "person:ann", "bench"]) {
      const told = { actor, trace_id: "4bf92f3577b34da6a3ce929d0e0e4736" };
      expect(redactCaller(redactor, told)).toEqual(told);
    }
    const hidden = redactCaller(redactor, { actor: `token:${NAME}`, trace_id: NAME });
    expect(leaked(JSON.stringify(hidden), NAME)).toBe(false);
  });

  it("control: is exported with all its secrets without redaction", async () => {
    const whole = await exportAll({ redact: false });
    expect(left(JSON.stringify(whole.events))).toEqual(secrets.map(([name]) => name));
  });

  it.each([500, 7])("is exported without secrets, in pages of %i", async (limit) => {
    const { events, hidden, pages } = await exportAll({ redact: true, limit });
    expect(left(JSON.stringify(pages))).toEqual([]);
    // Also after a reader has joined the parts.
    const answer = events.filter(({ type }) => type === "turn.part").map(({ data }) => data.text);
    expect(left(answer.join(""))).toEqual([]);
    expect(answer.join("")).toContain("[redacted:github]");
    expect(hidden.length).toBeGreaterThan(5 * shapes.length);
    expect(events.every(({ hash }) => hash === null)).toBe(true);
  });

  it.each([["--format", "markdown"], ["--format", "ndjson"], ["--preview"]])(
    "is written by belay export --redact %s %s without secrets",
    async (...flags) => {
      const out = await runInProcess(
        place.home,
        ["export", id, "--redact", ...flags.filter(Boolean)],
        false,
      );
      expect(out.code).toBe(0);
      expect(out.stdout.length).toBeGreaterThan(1000);
      expect(left(out.stdout + out.stderr)).toEqual([]);
    },
  );

  it("is written to a new file without secrets, and to no existing file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "belay-export-"));
    const file = join(folder, "a.md");
    const write = () => runInProcess(place.home, ["export", id, "--redact", "--out", file], false);
    expect((await write()).code).toBe(0);
    expect(left(readFileSync(file, "utf8"))).toEqual([]);
    expect((await write()).code).toBe(2);
    rmSync(folder, { recursive: true });
  });

  it("hides a password also without its name", async () => {
    const echo = "echo-session";
    await place.service.call("create", { agent_name: "a", session_id: echo }, ANN);
    const said = "connected as sunflower-field; password=sunflower-field";
    await place.service.call("record_turn", { id: echo, input: said, output: said }, ANN);
    const { events } = await place.service.call("export", { id: echo, redact: true }, ANN);
    expect(JSON.stringify(events)).toContain("connected as [redacted:known]");
    expect(JSON.stringify(events)).not.toContain("sunflower");
  });

  it("is sent to webhooks without secrets if they are redacted", async () => {
    const redacted = await Receiver.start();
    const plain = await Receiver.start();
    const on = ["session.failed"];
    for (const [receiver, redact] of [
      [redacted, true],
      [plain, false],
    ] as const) {
      await place.service.call(
        "add_webhook",
        { url: receiver.url, on, allow_private: true, redact },
        ANN,
      );
    }
    const running = place.send();
    const failed = { id, outcome: "failed", summary: all, error: all };
    await place.service.call("finalize", failed, { ...ANN, actor: `agent:${NAME}` });
    await until(() => redacted.received.length > 0 && plain.received.length > 0);
    await running.stop();
    const textOf = (receiver: Receiver) => JSON.stringify(receiver.received);
    expect(left(textOf(redacted))).toEqual([]);
    expect(left(textOf(plain)).length).toBeGreaterThanOrEqual(shapes.length);
    const { events } = await exportAll({ redact: false });
    const hash = String(events.at(-1)?.hash).slice(0, 40);
    expect(textOf(plain)).toContain(hash);
    expect(textOf(redacted)).not.toContain(hash);
  });

  async function exportAll(options: { redact: boolean; limit?: number }) {
    const pages = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: Awaited<ReturnType<typeof one>> = await one(after);
      pages.push(page);
      after = page.next_cursor;
    }
    return {
      pages,
      events: pages.flatMap(({ events }) => events),
      hidden: pages.flatMap(({ hidden }) => hidden),
    };
    function one(after: number) {
      return place.service.call("export", { id, after, ...options }, ANN);
    }
  }
});

/** An answer that is stored in parts of a few characters. */
async function recordParts(
  context: WebhookPlace["context"],
  id: string,
  turn_id: string,
  text: string,
): Promise<void> {
  const session = await context.store.read([
    { ref: { kind: "session", owner: ANN.owner, key: id } },
  ]);
  const stream = session[0]?.stream.id ?? "";
  const holder = { name: "test", pid: process.pid, start_time: null, boot_id: null };
  const lease = await acquireLease(context.store, stream, holder);
  const epoch = lease.granted ? lease.epoch : 0;
  const size = 97;
  const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, n) => ({
    type: "append_part" as const,
    turn_id,
    item: 0,
    kind: "message" as const,
    offset: n * size,
    text: text.slice(n * size, (n + 1) * size),
  }));
  const start = { type: "start_turn" as const, turn_id, content: "go" };
  const end = {
    type: "end_turn" as const,
    turn_id,
    outcome: "completed" as const,
    error: null,
    usage: null,
  };
  await changeSession(context, ANN, { id, epoch, commands: () => [start, ...parts, end] });
  await context.store.lease(stream, { release: epoch });
}
