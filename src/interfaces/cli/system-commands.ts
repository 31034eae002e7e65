import { parseArgs } from "node:util";
import colors from "picocolors";
import { BelayError, ERRORS, refuse } from "../../contract/errors.ts";
import type { Verification } from "../../service/maintenance.ts";
import { demo } from "./demo.ts";
import type { Program } from "./program.ts";

export interface SystemCommand {
  readonly doc: string;
  readonly help: string;
  run(args: readonly string[], program: Program): Promise<number>;
}

/** Commands that look after the store itself. */
export const SYSTEM_COMMANDS = {
  verify: {
    doc: "Check that nothing stored was lost or changed",
    help: help(
      "verify",
      "Check every log, head, index and the anchor. Damage exits 5; what a crash explains is settled.",
    ),
    run: verify,
  },
  doctor: {
    doc: "Show versions, settings and rights, and how to fix what is wrong",
    help: help("doctor", "Show versions, settings and rights, and how to fix what is wrong."),
    run: doctor,
  },
  backup: {
    doc: "Copy the data folder while it is in use",
    help: help("backup FOLDER", "Copy the data into a new folder, while it is in use.", [
      "belay backup /mnt/backup/belay-today",
      "BELAY_HOME=/mnt/backup/belay-today belay verify",
    ]),
    run: backup,
  },
  demo: {
    doc: "Watch a session being created, worked on, killed and resumed",
    help: help("demo", "Watch a session being created, worked on, killed and resumed."),
    run: demo,
  },
  version: {
    doc: "Print the version",
    help: help("version", "Print the version."),
    run: version,
  },
} as const satisfies Record<string, SystemCommand>;

function help(
  usage: string,
  doc: string,
  examples: readonly string[] = [`belay ${usage}`],
): string {
  const shown = examples.map((example) => `  ${example}\n`).join("");
  return `${doc}\n\nUsage: belay ${usage} [--json]\n\n${colors.bold("Example")}\n${shown}`;
}

async function verify(args: readonly string[], program: Program): Promise<number> {
  expectArguments("verify", args, 0);
  const { terminal } = program;
  const belay = await program.open({ create: false });
  try {
    const result = await belay.maintenance.verify((done) => {
      if (terminal.interactive && done % 100 === 0) terminal.note(`checked ${done} streams`);
    });
    terminal.write(terminal.json ? `${JSON.stringify(result)}\n` : describeVerification(result));
    return result.ok ? 0 : ERRORS.storage_damaged.exit;
  } finally {
    await belay.close();
  }
}

function describeVerification({ ok, findings, settled }: Verification): string {
  const lines = findings.map(({ kind, stream, seq, what }) => {
    const place = [stream, seq === null ? null : `event ${seq}`].filter(Boolean).join(" ");
    const label = kind === "damage" ? colors.red("damage") : colors.yellow("crash ");
    return `${label}  ${place ? `${place}: ` : ""}${what}\n`;
  });
  if (!ok) {
    return `${lines.join("")}Something was lost or changed. Restore a backup, or keep a copy before going on.\n`;
  }
  const settledNote =
    settled > 0 ? `A crash left ${settled} log(s) ahead of the anchor; that is settled now.\n` : "";
  return `${lines.join("")}${settledNote}${colors.green("Everything is as it was written.")}\n`;
}

async function doctor(args: readonly string[], program: Program): Promise<number> {
  expectArguments("doctor", args, 0);
  const { terminal } = program;
  const belay = await program.open({ create: false });
  try {
    const facts = [
      { name: "node", value: process.version, ok: true, fix: null },
      { name: "data folder", value: program.home, ok: true, fix: null },
      ...(await belay.maintenance.describe()),
    ];
    const ok = facts.every((fact) => fact.ok);
    if (terminal.json) {
      terminal.write(`${JSON.stringify({ ok, facts })}\n`);
    } else {
      const width = Math.max(...facts.map((fact) => fact.name.length));
      for (const fact of facts) {
        const mark = fact.ok ? colors.green("✓") : colors.red("✗");
        terminal.write(`${mark} ${fact.name.padEnd(width)}  ${fact.value}\n`);
        if (fact.fix) terminal.write(`  ${" ".repeat(width)}  ${colors.yellow(fact.fix)}\n`);
      }
    }
    return ok ? 0 : 1;
  } finally {
    await belay.close();
  }
}

async function backup(args: readonly string[], program: Program): Promise<number> {
  const [folder = ""] = expectArguments("backup FOLDER", args, 1);
  const { terminal } = program;
  const belay = await program.open({ create: false });
  try {
    await belay.maintenance.backup(folder, (done, total) => {
      if (terminal.interactive) terminal.note(`copied ${done} of ${total} pages`);
    });
    terminal.write(terminal.json ? `${JSON.stringify({ folder })}\n` : `Copied to ${folder}\n`);
    return 0;
  } finally {
    await belay.close();
  }
}

async function version(_: readonly string[], { terminal }: Program): Promise<number> {
  const { default: about } = await import("../../../package.json", { with: { type: "json" } });
  terminal.write(
    terminal.json ? `${JSON.stringify({ version: about.version })}\n` : `${about.version}\n`,
  );
  return 0;
}

function expectArguments(usage: string, args: readonly string[], count: number): readonly string[] {
  const { positionals } = readArguments(usage, args);
  if (positionals.length === count) return positionals;
  throw new BelayError(refuse("usage", `use it like this: belay ${usage}`));
}

function readArguments(usage: string, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: {}, allowPositionals: true, strict: true });
  } catch (cause) {
    throw new BelayError(refuse("usage", `use it like this: belay ${usage}`), cause);
  }
}
