#!/usr/bin/env node
// `npm run test:agents [-- gemini claude ...]`: real agents, driven through Belay against a model on this machine.
// The first time it installs them, so it needs the network and some minutes; it is no part of `npm test`.
const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 24) {
  process.stderr.write("run it with `npm run test:agents`: it needs the Node that comes along\n");
  process.exit(1);
}

const { runCampaign } = await import("../test/agents/campaign.ts");
try {
  process.exitCode = (await runCampaign(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
