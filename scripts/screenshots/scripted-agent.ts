// The demo agent for natural messages: each known message becomes the directives that play it.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const PLAYED: Readonly<Record<string, string>> = {
  "Payments fail when the gateway is slow. Please retry them, but never charge twice.": `/think The gateway gives up after 10 s, and nothing tries again. A retry needs an idempotency key, or someone is charged twice.
/plan Find where payments are made; Retry with backoff under one key; Test with a slow gateway
/read pay.ts
/write pay.ts export const pay = (order: Order) => retry(() => gateway.charge(order, { key: order.id }));
/say Payments are tried up to **4 times** now, each time under the key of their order, so that nobody is charged twice. See \`pay.ts\`.
/usage 31200 4800 0.186`,
  "Good. Does it need a migration?": `/say Yes: \`orders\` gets a column for the key. I would like to try it on staging first.
/run npm run migrate -- --env staging`,
  "Let the settings screen follow the system's dark mode, and publish a preview.": `/say The colours come from \`theme.ts\` now, and follow the system. I will publish the preview.
/run ./publish-preview.sh`,
  "Write the release notes for 2.5.": `/say The release notes are in \`CHANGES.md\`: **12 fixes** and 3 new features.
/usage 18400 2100 0.084`,
};

const [bin = "", ...args] = process.argv.slice(2);
const demo = spawn(process.execPath, [bin, "demo-agent", ...args], {
  stdio: ["pipe", "inherit", "inherit"],
});
demo.on("close", (code) => process.exit(code ?? 1));

for await (const line of createInterface({ input: process.stdin })) {
  const frame = JSON.parse(line);
  if (frame.method === "session/prompt") {
    for (const part of frame.params.prompt) part.text = PLAYED[part.text] ?? part.text;
  }
  demo.stdin.write(`${JSON.stringify(frame)}\n`);
}
demo.stdin.end();
