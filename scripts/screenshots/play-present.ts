import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A request to the server as its owner; returns the parsed JSON. */
export type Ask = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<Record<string, unknown>>;

export const WAITING_SESSION = "retry-payments";
export const CUT_SESSION = "dark-mode";

const PAY = `export async function pay(order: Order): Promise<Receipt> {
  return gateway.charge(order);
}
`;

/** The demo agent under the names of others: they work in the same way, and need no key. */
export function writeAgents(home: string, bin: string): void {
  const script = fileURLToPath(new URL("scripted-agent.ts", import.meta.url));
  const demo = { command: process.execPath, args: [script, bin, "--pace", "4"] };
  const agents = { claude: demo, codex: demo, gemini: demo };
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "agents.json"), JSON.stringify({ agents }), { mode: 0o600 });
}

/** A turn that is running when the server is killed. */
export async function beginCutTurn(ask: Ask, root: string): Promise<void> {
  const cwd = folder(root, "mobile-app");
  const project = { cwd, repo: null, branch: "dark-mode" };
  await ask("POST", "/sessions", {
    agent_name: "gemini",
    session_id: CUT_SESSION,
    title: "Dark mode for the settings screen",
    project,
  });
  await say(
    ask,
    CUT_SESSION,
    "Let the settings screen follow the system's dark mode, and publish a preview.",
  );
  await approve(ask, CUT_SESSION);
  await until(async () => {
    const { events } = await ask("GET", `/sessions/${CUT_SESSION}/events?limit=1000`);
    return JSON.stringify(events).includes("approval.decided");
  });
}

/** The current state: one session works, one waits for a person, one is done. */
export async function playPresent(ask: Ask, root: string): Promise<void> {
  const shop = folder(root, "shop");
  writeFileSync(join(shop, "pay.ts"), PAY);
  const project = { cwd: shop, repo: null, branch: "retry-payments" };
  await ask("POST", "/tasks", {
    task_id: "PAY-214",
    title: "Payments fail when the gateway is slow",
  });
  await ask("POST", "/sessions", {
    agent_name: "claude",
    session_id: WAITING_SESSION,
    title: "Checkout: retry failed payments",
    task_id: "PAY-214",
    project,
  });
  await say(
    ask,
    WAITING_SESSION,
    "Payments fail when the gateway is slow. Please retry them, but never charge twice.",
  );
  await approve(ask, WAITING_SESSION);
  await ended(ask, WAITING_SESSION);
  await say(ask, WAITING_SESSION, "Good. Does it need a migration?");
  await until(async () => hasQuestion(ask, WAITING_SESSION));

  const website = { cwd: folder(root, "website"), repo: null, branch: "main" };
  await ask("POST", "/sessions", {
    agent_name: "codex",
    session_id: "release-notes",
    title: "Write the release notes for 2.5",
    project: website,
  });
  await say(ask, "release-notes", "Write the release notes for 2.5.");
  await ended(ask, "release-notes");
  await ask("POST", "/sessions/release-notes/pin");
}

async function say(ask: Ask, id: string, message: string): Promise<void> {
  await ask("POST", `/sessions/${id}/messages`, { message, wait: false });
}

async function questionOf(ask: Ask, id: string): Promise<string | null> {
  const { approvals } = await ask("GET", "/approvals");
  if (!Array.isArray(approvals)) return null;
  return approvals.find(({ session_id }) => session_id === id)?.approval_id ?? null;
}

async function hasQuestion(ask: Ask, id: string): Promise<boolean> {
  return (await questionOf(ask, id)) !== null;
}

async function approve(ask: Ask, id: string): Promise<void> {
  await until(() => hasQuestion(ask, id));
  await ask("POST", `/approvals/${await questionOf(ask, id)}`, { decision: "approved" });
}

async function ended(ask: Ask, id: string): Promise<void> {
  await until(async () => {
    const { turns } = await ask("GET", `/sessions/${id}/messages`);
    return (
      Array.isArray(turns) && turns.length > 0 && turns.every(({ ended_at }) => ended_at !== null)
    );
  });
}

export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50)) if (await isSo()) return;
  throw new Error(`waited in vain: ${isSo}`);
}

function folder(root: string, name: string): string {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  if (name === "mobile-app")
    writeFileSync(join(path, "publish-preview.sh"), "#!/bin/sh\nsleep 60\n", { mode: 0o755 });
  return path;
}
