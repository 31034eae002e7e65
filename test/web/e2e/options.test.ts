import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { CHOICE_WORDS } from "../../../src/contract/approval/choice-words.ts";
import { COMMAND, OFFERING, type Offer, offer, PLAN } from "../../run/offers.ts";
import { listOf, runBelay } from "../../serve/server-process.ts";
import { findViolations } from "./find-violations.ts";
import { approvalOf, begin, openWebLab, until, visit } from "./web-lab.ts";

const lab = openWebLab(async ({ home }) => {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const [command, ...args] = OFFERING;
  const agents = { offering: { command, args } };
  writeFileSync(join(home, "agents.json"), JSON.stringify({ agents }), { mode: 0o600 });
});

const CHOICES = PLAN.map(({ optionId, name, kind }) => ({ option_id: optionId, name, kind }));

async function ask(options: readonly Offer[], kind = "switch_mode") {
  const id = await begin(lab, { agent_name: "offering", title: "Plans" }, offer(options, kind));
  return { id, approval_id: await approvalOf(lab, id) };
}

/** The option that the agent got. */
function chosenIn(id: string): Promise<string> {
  return until("the end", async () => {
    const { json } = await lab.server.ask("GET", `/sessions/${id}/messages`);
    const turn = listOf(json, "turns").at(-1);
    if (typeof turn?.output !== "string" || !turn.ended_at) return null;
    return String(JSON.parse(turn.output).outcome.optionId);
  });
}

/** The bodies of the answers that the page sends. */
function answersOf(page: Page): unknown[] {
  const bodies: unknown[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().includes("/approvals/")) {
      bodies.push(request.postDataJSON());
    }
  });
  return bodies;
}

async function digestOf(approval_id: string): Promise<unknown> {
  const { json } = await lab.server.ask("GET", "/approvals");
  return listOf(json, "approvals").find((one) => one.approval_id === approval_id)?.digest;
}

describe("a finished plan", () => {
  it.each(PLAN.flatMap((option, nth) => [{ ...option, path: nth % 2 ? "/inbox" : "a session" }]))(
    "is answered by $optionId in $path of the page",
    async ({ optionId, name, kind, path }) => {
      const { id, approval_id } = await ask(PLAN);
      const { page } = await visit(lab, path === "/inbox" ? path : `/s/${id}`);
      const answers = answersOf(page);
      const card = page.getByRole("region", { name: "switch_mode: Ready to code?" });
      await card.getByText("changes what the agent may do without asking").waitFor();
      const buttons = card.getByRole("button", { name: /\((approves|rejects)/ });
      await buttons.first().waitFor();
      const shown = (await buttons.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
      expect(shown).toEqual(PLAN.map((one) => `${one.name} (${CHOICE_WORDS[one.kind]})`));
      const digest = await digestOf(approval_id);
      await card.getByRole("button", { name }).click();
      if (kind === "allow_always") {
        const dialog = page.getByRole("alertdialog");
        await dialog.getByText("This changes what the agent may do without asking.").waitFor();
        expect(answers).toEqual([]);
        await dialog.getByRole("button", { name: "Approve always" }).click();
      }
      expect(await chosenIn(id)).toBe(optionId);
      expect(answers).toEqual([{ option: optionId, digest }]);
      if (path !== "/inbox") await page.getByText(`“${name}”`).waitFor();
    },
  );

  it("shows the same five options at every door, and each door sends the id", async () => {
    const { id, approval_id } = await ask(PLAN);
    const { json } = await lab.server.ask("GET", "/approvals");
    const asked = listOf(json, "approvals").find((one) => one.approval_id === approval_id);
    expect(asked?.choices).toEqual(CHOICES);

    const query = "{ listApprovals { approvals { choices { optionId name kind } digest } } }";
    const graphql = async (body: object) =>
      JSON.stringify((await lab.server.ask("POST", "/graphql", { body })).json);
    const shown = await graphql({ query });
    for (const { optionId, name, kind } of PLAN) {
      expect(shown).toContain(JSON.stringify({ optionId, name, kind: kind.toUpperCase() }));
    }

    const listed = await runBelay(lab.place, ["approvals"]);
    for (const { optionId, name, kind } of PLAN) {
      expect(listed.stdout).toContain(` ${optionId}  ${name} (${CHOICE_WORDS[kind]})\n`);
    }
    expect(listed.stdout).toContain("choose one with --option ID\n");
    expect(listed.stdout).toContain("changes what the agent may do without asking");

    const wrong = await runBelay(lab.place, ["approve", approval_id, "--always"]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("Set --option to one of: exit-plan-default (Yes, manually");
    const opposite = await runBelay(lab.place, [
      "reject",
      approval_id,
      "--option",
      "exit-plan-auto",
    ]);
    expect(opposite.code).toBe(2);
    const done = await runBelay(lab.place, [
      "approve",
      approval_id,
      "--option",
      "Yes, and bypass permissions",
    ]);
    expect(done.stdout).toContain("approved: Yes, and bypass permissions");
    const late = await runBelay(lab.place, ["reject", approval_id]);
    expect(late.stderr).toContain("approved always (Yes, and bypass permissions) by ");
    expect(await chosenIn(id)).toBe("exit-plan-bypass");

    const second = await ask(PLAN);
    const mutation = `mutation { decideApproval(approvalId: "${second.approval_id}", option: "exit-plan-auto") { decision choice { optionId } } }`;
    expect(await graphql({ query: mutation })).toContain(
      '{"decision":"APPROVED","choice":{"optionId":"exit-plan-auto"}}',
    );
    expect(await chosenIn(second.id)).toBe("exit-plan-auto");

    const third = await ask(COMMAND, "execute");
    const rest = `/approvals/${third.approval_id}`;
    const stale = { option: "abort", digest: "of something else" };
    expect(await lab.server.ask("POST", rest, { body: stale })).toMatchObject({
      status: 409,
      json: { error: "approval_changed" },
    });
    expect(await lab.server.ask("POST", rest, { body: { option: "abort" } })).toMatchObject({
      status: 200,
      json: { decision: "rejected", choice: { option_id: "abort" } },
    });
    expect(await chosenIn(third.id)).toBe("abort");
  });
});

it("a request without options, or with too many, can only be rejected", async () => {
  const sixty = Array.from({ length: 60 }, (_, n) => ({
    optionId: `o${n}`,
    name: `Way ${n}`,
    kind: "allow_once",
  }));
  for (const [options, why] of [
    [[], "The agent offers no options, so this request can only be rejected."],
    [sixty, "The agent offers 10 more options than can be shown"],
  ] as const) {
    const { id } = await ask(options, "execute");
    const { page } = await visit(lab, `/s/${id}`);
    const card = page.getByRole("region", { name: "execute: Ready to code?" });
    await card.getByText(why).waitFor();
    expect(await card.getByRole("button").allInnerTexts()).toEqual(["Reject"]);
    await card.getByRole("button", { name: "Reject" }).click();
    expect(await chosenIn(id)).toBe("undefined");
  }
});

it("long and hostile names stay within the page", async () => {
  const options = [
    { optionId: "a", name: "W".repeat(10_000), kind: "allow_once" },
    { optionId: "b", name: "No \u202eseY", kind: "reject_once" },
    { optionId: "", kind: "other-kind" },
  ];
  const { id } = await ask(options, "execute");
  const { page } = await visit(lab, `/s/${id}`, { viewport: { width: 360, height: 740 } });
  const card = page.getByRole("region", { name: "execute: Ready to code?" });
  await card.getByRole("button", { name: "No ⟦U+202E⟧seY (rejects)" }).waitFor();
  await card.getByRole("button", { name: "option-3 (the agent does not say" }).waitFor();
  expect(await findViolations(page, null)).toEqual([]);
  const width = await page.evaluate("document.documentElement.scrollWidth");
  expect(width).toBe(360);
  // A button that hides a part of its name would let a person choose what they have not read.
  const cut =
    "[...document.querySelectorAll('main button')].filter((e) => e.scrollWidth > e.clientWidth).length";
  expect(await page.evaluate(cut)).toBe(0);
  await card.getByRole("button", { name: /^No/ }).click();
  expect(await chosenIn(id)).toBe("b");
});
