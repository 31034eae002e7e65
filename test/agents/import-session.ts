import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { textOf } from "../../src/agent/acp/read-fields.ts";
import type { ImportTool } from "../../src/contract/vocabulary.ts";
import { IMPORTERS } from "../../src/integrations/importers.ts";
import { openHandle } from "./open-handle.ts";
import { TOLD_BY_AGENT } from "./told-by-agent.ts";
import type { Trial } from "./trial.ts";

const TOOLS: Readonly<Record<string, ImportTool>> = {
  ...{ claude: "claude-code", codex: "codex", gemini: "gemini" },
  ...{ opencode: "opencode", copilot: "copilot", qwen: "qwen" },
};

const Agents = z.object({
  agents: z.record(
    z.string(),
    z.object({ command: z.string(), env: z.record(z.string(), z.string()) }),
  ),
});

/**
 * A new Belay imports the agent's files: the same prompts and answers, in the same order, as the agent's own reader
 * shows. A message then continues the agent's session.
 */
export async function importSession(
  trial: Trial,
  message: string,
  words: readonly string[],
): Promise<string> {
  await trial.open();
  const started = (await trial.log()).findLast(({ type }) => type === "agent.started");
  const session = textOf(started?.data.agent_session_id) ?? "";
  await trial.close();
  const { folder, work } = trial.place;
  const [user, home] = [join(folder, "user"), join(folder, "imported")];
  mkdirSync(home, { recursive: true });
  copyFileSync(join(trial.place.home, "agents.json"), join(home, "agents.json"));
  const settings = Agents.parse(JSON.parse(readFileSync(join(home, "agents.json"), "utf8")));
  const agent = settings.agents[trial.agent];
  const tool = TOOLS[trial.agent];
  assert.ok(agent && tool, `nobody knows how to import ${trial.agent}`);
  const belay = await openHandle(home);
  try {
    const path = IMPORTERS[tool].home(agent.env, user);
    const report = await belay.call("import_conversations", { tool, path });
    assert.deepEqual(report.damage, []);
    const again = await belay.call("import_conversations", { tool, path });
    assert.equal(again.turns, 0, "a second import added something");
    const { turns } = await belay.call("turns", { id: session, limit: 1000 });
    const ours = turns.flatMap(({ input, output }) => [input, output]).filter(Boolean);
    const tell = TOLD_BY_AGENT[trial.agent];
    const { env, command: program } = agent;
    const told = await tell?.({ session, work, user, env, program });
    if (told) assert.equal(squeeze(ours.join("")), squeeze(told.join("")));
    let text = "";
    let way = "";
    for await (const event of belay.run({ id: session, message })) {
      if (event.type === "message") text += event.text;
      if (event.type === "agent" && event.state === "started") way = event.how;
      assert.notEqual(event.type, "error", JSON.stringify(event));
    }
    for (const word of words) assert.ok(text.includes(word), `${word} is not in: ${text}`);
    assert.ok(["resume", "load"].includes(way), `it came back by ${way}`);
    const compared = told ? `${told.length} texts as its own reader tells them` : "no own reader";
    return `${turns.length} turns, ${compared}; then ${way}`;
  } finally {
    await belay.close();
  }
}

/** Each reader joins texts in its own way. */
function squeeze(text: string): string {
  return text.replace(/\s+/g, "");
}
