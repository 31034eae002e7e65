import { acpStarter } from "../../../src/agent/acp/acp-connection.ts";

/** Prompts an agent once and prints only the stop reason, so that any other output is visible. */
const launch = JSON.parse(process.argv[2] ?? "");
const connection = await acpStarter.start(launch, {
  update: () => {},
  permission: async () => null,
});
await connection.open({ way: "new" });
const { stop } = await connection.prompt("go");
await connection.end();
process.stdout.write(`${stop}\n`);
