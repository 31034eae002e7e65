import { expect, it } from "vitest";
import { begin, openWebLab, SOON, sessionOf, visit } from "./web-lab.ts";

const lab = openWebLab(undefined, { AGENT_MAX_CONCURRENT_SESSIONS: "1" });

const send = (id: string, message: string) =>
  lab.server.ask("POST", `/sessions/${id}/messages`, { body: { message, wait: false } });

it("a message beyond the limit shows its position in line as it changes, and can be withdrawn", async () => {
  const [working, first, second] = [await begin(lab), await begin(lab), await begin(lab)];
  await send(working, "/slow 60000");
  await send(first, "/say first\n/slow 60000");
  const { page } = await visit(lab, `/s/${second}`);
  await page.getByRole("textbox", { name: "Message to the agent" }).fill("/say second");
  await page.keyboard.press("Enter");
  await page.getByText("Starts when an agent is free: number 2 in line").waitFor();
  await lab.server.ask("POST", `/sessions/${working}/interrupt`, { body: {} });
  await page.getByText("Starts when an agent is free: number 1 in line").waitFor();
  await page.getByRole("button", { name: "Withdraw" }).click();
  await page.getByText("Starts when an agent is free").waitFor({ state: "detached" });
  await expect.poll(async () => (await sessionOf(lab, second)).queued_messages, SOON).toBe(0);
  expect(await sessionOf(lab, second)).toMatchObject({ status: "active", queue_position: null });
});
