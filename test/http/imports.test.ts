import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { ClaudeLines } from "../import/conversations/claude-lines.ts";
import { lines } from "../import/conversations/import-place.ts";
import { openServer } from "./open-server.ts";

const ID = "11111111-aaaa-4bbb-8ccc-000000000009";

function transcript(): string {
  const claude = new ClaudeLines(ID);
  claude.user("Hello?");
  claude.says("Hello.");
  return lines(claude.records);
}

const FILE = { "content-type": "application/octet-stream" };

async function upload(url: string, token: string, path: string, body: string) {
  const headers = { ...FILE, authorization: `Bearer ${token}` };
  const response = await fetch(`${url}${path}`, { method: "POST", headers, body });
  return { status: response.status, json: await response.json() };
}

describe("importing over REST", () => {
  it("imports an uploaded file once, after a dry run that writes nothing", async () => {
    const { url, tokens, ask } = await openServer();
    const path = `/imports/claude-code/files?name=${ID}.jsonl`;
    const dry = await upload(url, tokens.ann.write, `${path}&dry_run=true`, transcript());
    expect(dry).toMatchObject({ status: 200, json: { dry_run: true, new_sessions: 1 } });
    expect((await ask("GET", `/sessions/${ID}`)).status).toBe(404);
    const first = await upload(url, tokens.ann.write, path, transcript());
    expect(first).toMatchObject({ status: 200, json: { new_sessions: 1, turns: 1 } });
    const again = await upload(url, tokens.ann.write, path, transcript());
    expect(again).toMatchObject({ json: { new_sessions: 0, turns: 0 } });
    expect((await ask("GET", `/sessions/${ID}`)).json).toMatchObject({
      turn_count: 1,
      owner: "ann",
    });
  });

  it("refuses a path as a name, an unknown tool and a weaker token", async () => {
    const { url, tokens } = await openServer();
    const send = (path: string, token = tokens.ann.write) => upload(url, token, path, transcript());
    expect(await send("/imports/claude-code/files?name=..%2Fa.jsonl")).toMatchObject({
      status: 400,
    });
    for (const name of ["a/../../b", "/etc/b", "a//b", "a\\b", ".", "a/./b", "a/\u0000"]) {
      const path = `/imports/claude-code/files?name=${encodeURIComponent(name)}`;
      expect([name, (await send(path)).status]).toEqual([name, 400]);
    }
    expect(await send("/imports/never/files?name=a.jsonl")).toMatchObject({ status: 400 });
    expect(await send("/imports/codex/files?name=a.jsonl", tokens.ann.record)).toMatchObject({
      status: 403,
    });
  });

  it("imports the tool's files on the server's machine, for an admin of the owner only", async () => {
    const userHome = mkdtempSync(join(tmpdir(), "belay-user-"));
    onTestFinished(() => rmSync(userHome, { recursive: true }));
    const folder = join(userHome, ".claude", "projects", "p");
    mkdirSync(folder, { recursive: true });
    vi.stubEnv("HOME", userHome);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { tokens, ask } = await openServer({ owner: "ann" });
    writeFileSync(join(folder, `${ID}.jsonl`), transcript());
    const as = (token: string) => ({ token, body: { dry_run: false } });
    expect((await ask("POST", "/imports/claude-code", as(tokens.ann.write))).status).toBe(403);
    expect((await ask("POST", "/imports/claude-code", as(tokens.bob.admin))).status).toBe(403);
    const { json } = await ask("GET", "/imports", { token: tokens.ann.admin });
    expect(json).toMatchObject({
      tools: expect.arrayContaining([
        { tool: "claude-code", path: join(userHome, ".claude", "projects"), found: true },
        expect.objectContaining({ tool: "codex", found: false }),
      ]),
    });
    const report = await ask("POST", "/imports/claude-code", as(tokens.ann.admin));
    expect(report.json).toMatchObject({ new_sessions: 1, turns: 1 });
    const path = { dry_run: true, path: folder };
    const named = { token: tokens.ann.admin, body: path };
    expect(await ask("POST", "/imports/claude-code", named)).toMatchObject({
      status: 403,
      json: { message: expect.stringContaining("A token cannot name a path") },
    });
  });

  it("streams its progress, and then the report", async () => {
    const { url, tokens } = await openServer();
    const path = `/imports/claude-code/files?name=p/${ID}.jsonl&stream=true`;
    const headers = { ...FILE, authorization: `Bearer ${tokens.ann.write}` };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: transcript() });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const told = [...(await response.text()).matchAll(/^event: (\w+)\ndata: (.*)$/gm)];
    expect(told[0]?.[1]).toBe("progress");
    expect(JSON.parse(told[0]?.[2] ?? "")).toMatchObject({ total: 1, sessions: 1, turns: 1 });
    expect(told.at(-1)?.[1]).toBe("report");
    expect(JSON.parse(told.at(-1)?.[2] ?? "")).toMatchObject({ new_sessions: 1, turns: 1 });
  });

  it("stops an import whose client disconnects, and keeps what was imported", async () => {
    const { url, tokens, ask } = await openServer();
    const chats = Array.from({ length: 2000 }, (_, n) => ({
      uuid: `talk-${String(n).padStart(5, "0")}`,
      chat_messages: [{ uuid: "m", sender: "human", text: `hello ${n}` }],
    }));
    const stop = new AbortController();
    const response = await fetch(
      `${url}/imports/claude-ai/files?name=conversations.json&stream=true`,
      {
        method: "POST",
        headers: { ...FILE, authorization: `Bearer ${tokens.ann.write}` },
        body: JSON.stringify(chats),
        signal: stop.signal,
      },
    );
    await response.body?.getReader().read();
    stop.abort();
    // The next import waits for its turn, so the first is over when it answers.
    const next = `/imports/claude-code/files?name=${ID}.jsonl`;
    expect(await upload(url, tokens.ann.write, next, transcript())).toMatchObject({ status: 200 });
    const { json } = await ask("GET", "/counts", { token: tokens.ann.write });
    const { completed } = z
      .object({ by_status: z.record(z.string(), z.number()) })
      .parse(json).by_status;
    expect(completed).toBeGreaterThan(0);
    expect(completed).toBeLessThan(2000);
  });
});
