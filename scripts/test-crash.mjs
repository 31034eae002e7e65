#!/usr/bin/env node
// `npm run test:crash [-- --seed N --minutes M --real-only --simulated-only]`: deaths at every step, simulated and real.
// A full run takes half an hour and writes what it has found into the README; it is no part of `npm test`.
const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 24) {
  process.stderr.write("run it with `npm run test:crash`: it needs the Node that comes along\n");
  process.exit(1);
}

const { runCampaign } = await import("../test/campaign/run-campaign.ts");
try {
  process.exitCode = (await runCampaign(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
