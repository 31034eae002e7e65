#!/usr/bin/env node
// `npm run test:agents [-- gemini claude ... | handoff]`: real agents, driven through Belay against a model on this machine.
// The first time it installs them, so it needs the network and some minutes; it is no part of `npm test`.
const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 24) {
  process.stderr.write("run it with `npm run test:agents`: it needs the Node that comes along\n");
  process.exit(1);
}

const { runCampaign, runHandoffs } = await import("../test/agents/campaign.ts");
try {
  const names = process.argv.slice(2);
  const agents = names.filter((name) => name !== "handoff");
  const isAlone = names.length > 0 && agents.length === 0;
  const isGood = isAlone || (await runCampaign(agents));
  const isHandedOn = agents.length > 0 || (await runHandoffs());
  process.exitCode = isGood && isHandedOn ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
