import { homeFolder } from "./service/home-folder.ts";

/**
 * The command line's composition root. Everything except the imports above is loaded by the command that needs it,
 * because a hook runs on every delegation of an agent and must start fast.
 */
const args = process.argv.slice(2);
const [first, ...rest] = args;
if (first === "hook") await hook(rest);
else if (first === "demo-agent") await demoAgent(rest);
else if (first === "read-upload") await readUpload(rest);
else process.exitCode = await commandLine(args);

async function hook(given: string[]): Promise<never> {
  const { runHookProcess } = await import("./hook.ts");
  return runHookProcess(given);
}

async function demoAgent(given: string[]): Promise<never> {
  const { runDemoAgent } = await import("./agent/demo/run-demo-agent.ts");
  process.exit(await runDemoAgent(given));
}

/** The process that a server starts to read an upload. */
async function readUpload([tool = "", file = "", mode]: string[]): Promise<never> {
  const { ImportReport } = await import("./contract/import/import-report.ts");
  const { serveReader } = await import("./import/serve-reader.ts");
  const { IMPORTERS } = await import("./integrations/importers.ts");
  process.on("disconnect", () => process.exit());
  return serveReader(IMPORTERS[ImportReport.shape.tool.parse(tool)], file, mode === "redact", {
    send: (reply) => process.send?.(reply),
    hear: (listener) => process.on("message", listener),
  });
}

async function commandLine(typed: string[]): Promise<number> {
  const { runCli } = await import("./doors/cli/run-cli.ts");
  const { createTerminal } = await import("./doors/cli/create-terminal.ts");
  const { createProgram } = await import("./compose-program.ts");
  // Arguments after -- belong to another program.
  const dashes = typed.indexOf("--");
  const [ours, theirs] = dashes < 0 ? [typed, []] : [typed.slice(0, dashes), typed.slice(dashes)];
  const words = [...ours.filter((arg) => arg !== "--json"), ...theirs];
  return runCli(
    words,
    createProgram(homeFolder(), createTerminal(process, ours.includes("--json"))),
  );
}
