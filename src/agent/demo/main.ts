import { runDemoAgent } from "./run-demo-agent.ts";

process.exit(await runDemoAgent(process.argv.slice(2)));
