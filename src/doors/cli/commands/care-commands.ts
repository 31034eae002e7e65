import { BelayError, ERRORS, refuse } from "../../../contract/errors.ts";
import { counted } from "../../../contract/import/describe-import.ts";
import { visibleJson, visibleLine } from "../../../contract/visible-text.ts";
import { DURABILITIES } from "../../../contract/vocabulary.ts";
import type { Verification } from "../../../service/maintenance.ts";
import { colors } from "../colors.ts";
import { expectArguments } from "../expect-arguments.ts";
import type { Program } from "../program.ts";

/** Commands that maintain the store itself. */

export async function verify(args: readonly string[], program: Program): Promise<number> {
  const { values } = expectArguments("verify [--anchor FILE] [--accept-anchor]", args, 0, {
    anchor: { type: "string", multiple: true },
    "accept-anchor": { type: "boolean" },
  });
  const anchors = [values.anchor ?? []].flat().map(String);
  const accept_anchor = values["accept-anchor"] === true;
  const { terminal } = program;
  const belay = await program.open({ create: false }).catch(unlessKeyMissing);
  if (!belay) {
    const result = await (await program.encryption()).verifyWithoutKey();
    terminal.write(terminal.json ? `${visibleJson(result)}\n` : describeVerification(result));
    return result.ok ? 0 : ERRORS.storage_damaged.exit;
  }
  try {
    const result = await belay.maintenance.verify(
      (done) => {
        if (terminal.interactive && done % 100 === 0) terminal.note(`checked ${done} streams`);
      },
      { accept_anchor, anchors },
    );
    terminal.write(terminal.json ? `${visibleJson(result)}\n` : describeVerification(result));
    return result.ok ? 0 : ERRORS.storage_damaged.exit;
  } finally {
    await belay.close();
  }
}

/** The stored bytes can be checked without a key too. */
function unlessKeyMissing(error: unknown): null {
  if (error instanceof BelayError && error.code === "encryption_key_missing") return null;
  throw error;
}

function describeVerification(result: Verification): string {
  const { ok, findings, settled, accepted_anchor, without_key } = result;
  const lines = findings.map(({ kind, stream, seq, what }) => {
    const place = [stream, seq === null ? null : `event ${seq}`].filter(Boolean).join(" ");
    const label = (kind === "damage" ? colors.red : colors.yellow)(kind.padEnd(9));
    return `${label}  ${visibleLine(place ? `${place}: ${what}` : what)}\n`;
  });
  if (!ok) {
    return `${lines.join("")}Data was lost or changed. Restore a backup, or copy the data folder before you continue.\n`;
  }
  if (accepted_anchor) {
    const isOlder = findings.some(({ lost_tail }) => lost_tail);
    const moved = isOlder
      ? "`belay verify` lists data that was moved to quarantine, if any.\n"
      : "";
    return `${lines.join("")}Accepted ${counted(settled, "log")} in their current state; \`belay audit\` shows this.\n${moved}`;
  }
  const settledNote =
    settled > 0
      ? `A crash left ${counted(settled, "log")} ahead of the anchor. This is repaired now.\n`
      : "";
  const sound = without_key
    ? "No damage found in the chain and the anchor. Set the encryption key to check the sessions too."
    : "No damage found.";
  return `${lines.join("")}${settledNote}${colors.green(sound)}\n`;
}

export async function doctor(args: readonly string[], program: Program): Promise<number> {
  expectArguments("doctor", args, 0);
  const { terminal } = program;
  const belay = await program.open({ create: false });
  try {
    const facts = [
      { name: "node", value: process.version, ok: true, fix: null },
      ...(await belay.maintenance.describe()),
    ];
    const ok = facts.every((fact) => fact.ok);
    if (terminal.json) {
      terminal.write(`${visibleJson({ ok, facts })}\n`);
    } else {
      const width = Math.max(...facts.map((fact) => fact.name.length));
      for (const fact of facts) {
        const mark = fact.ok ? colors.green("✓") : colors.red("✗");
        terminal.write(`${mark} ${fact.name.padEnd(width)}  ${visibleLine(fact.value)}\n`);
        if (fact.fix)
          terminal.write(`  ${" ".repeat(width)}  ${colors.yellow(visibleLine(fact.fix))}\n`);
      }
    }
    return ok ? 0 : 1;
  } finally {
    await belay.close();
  }
}

export async function compact(args: readonly string[], program: Program): Promise<number> {
  expectArguments("compact", args, 0);
  const { terminal } = program;
  const belay = await program.open({ create: false });
  try {
    await belay.maintenance.compact();
    terminal.write(terminal.json ? `${visibleJson({ compacted: true })}\n` : "Compacted.\n");
    return 0;
  } finally {
    await belay.close();
  }
}

export async function durability(args: readonly string[], program: Program): Promise<number> {
  const usage = "durability power|process";
  const [given] = expectArguments(usage, args, 1).positionals;
  const choice = DURABILITIES.find((each) => each === given);
  if (!choice) throw new BelayError(refuse("usage", `Usage: belay ${usage}`));
  const { terminal } = program;
  const belay = await program.open();
  try {
    await belay.maintenance.chooseDurability(choice);
    terminal.write(
      terminal.json ? `${visibleJson({ durability: choice })}\n` : `${CHOSEN[choice]}\n`,
    );
    return 0;
  } finally {
    await belay.close();
  }
}

export async function redact(args: readonly string[], program: Program): Promise<number> {
  const usage = "redact store|exports";
  const [choice = ""] = expectArguments(usage, args, 1).positionals;
  if (choice !== "store" && choice !== "exports") {
    throw new BelayError(refuse("usage", `Usage: belay ${usage}`));
  }
  const { terminal } = program;
  program.chooseRedaction(choice);
  terminal.write(terminal.json ? `${visibleJson({ redact: choice })}\n` : `${REDACTS[choice]}\n`);
  return 0;
}

const REDACTS = {
  store:
    "Secrets are now replaced before they are stored. This cannot be undone. Restart the server if one is running.",
  exports:
    "Text is now stored as it is, and secrets are replaced in redacted exports only. Restart the server if one is running.",
} as const;

const CHOSEN = {
  power: "Acknowledged changes now survive a power cut.",
  process:
    "Acknowledged changes now survive killed processes. A power cut can lose the most recent ones.",
} as const;

export async function backup(args: readonly string[], program: Program): Promise<number> {
  const [folder = ""] = expectArguments("backup FOLDER", args, 1).positionals;
  const { terminal } = program;
  const belay = await program.open({ create: false });
  try {
    const report = await belay.maintenance.backup(folder, (done, total) => {
      if (terminal.interactive) terminal.note(`copied ${done} of ${total} pages`);
    });
    const { included, left_out } = report;
    const lines = [
      `Copied to ${visibleLine(folder)}`,
      ...(included.length > 0
        ? [`The copy contains settings and secrets (${included.join(", ")}). Keep it private.`]
        : []),
      ...(left_out.length > 0 ? [`not copied: ${left_out.map(visibleLine).join(", ")}`] : []),
    ];
    terminal.write(
      terminal.json ? `${visibleJson({ folder, ...report })}\n` : `${lines.join("\n")}\n`,
    );
    return 0;
  } finally {
    await belay.close();
  }
}
