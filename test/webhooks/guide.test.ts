import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/doors/cli/commands.ts";
import { newSecret, signWebhook } from "../../src/server/webhooks/sign-webhook.ts";

const guide = readFileSync(
  fileURLToPath(new URL("../../docs/guide/webhooks.md", import.meta.url)),
  "utf8",
);

describe("docs/guide/webhooks.md", () => {
  it("shows how to verify a delivery", async () => {
    const [, code = ""] = /```js\n([^`]*(?:`(?!``)[^`]*)*)```/.exec(guide) ?? [];
    const source = `${code}\nexport { isGenuine };`;
    const { isGenuine } = await import(
      /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`
    );
    const [secret, body] = [newSecret(), '{"type":"session.failed"}'];
    const headers = signWebhook(secret, "evt_1", Date.now(), body);
    expect(isGenuine(secret, headers, body)).toBe(true);
    expect(isGenuine(secret, headers, `${body} `)).toBe(false);
    expect(isGenuine(newSecret(), headers, body)).toBe(false);
    const old = signWebhook(secret, "evt_1", Date.now() - 360_000, body);
    expect(isGenuine(secret, old, body)).toBe(false);
    expect(isGenuine(secret, { ...headers, "webhook-timestamp": "x" }, body)).toBe(false);
  });

  it("describes every command, and no others", () => {
    const told = [...guide.matchAll(/belay (webhooks [a-z]+)/g)].map(([, command]) => command);
    const known = Object.keys(COMMANDS).filter((name) => name.startsWith("webhooks "));
    expect([...new Set(told)].toSorted()).toEqual(known.toSorted());
  });
});
