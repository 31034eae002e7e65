import { BelayError, refuse } from "../../../contract/errors.ts";
import { counted } from "../../../contract/import/describe-import.ts";
import { visibleJson, visibleLine } from "../../../contract/visible-text.ts";
import { expectArguments } from "../expect-arguments.ts";
import type { EncryptionStatus, Program } from "../program.ts";

const USAGE = "encrypt status|enable|rotate [--plain-mirrors]";

/** `belay encrypt`: manages the keys of the data. */
export async function encrypt(args: readonly string[], program: Program): Promise<number> {
  const { positionals, values } = expectArguments(USAGE, args, 1, {
    "plain-mirrors": { type: "boolean" },
  });
  const [action] = positionals;
  const { terminal } = program;
  const encryption = await program.encryption();
  switch (action) {
    case "status": {
      const status = await encryption.status();
      terminal.write(terminal.json ? `${visibleJson(status)}\n` : describe(status));
      return 0;
    }
    case "enable": {
      const done = await encryption.enable({ plain_mirrors: values["plain-mirrors"] === true });
      const left = done.left.map((name) => `left in plain text, remove it if you can: ${name}\n`);
      const removed = done.removed.map((name) => `removed, because it was plain text: ${name}\n`);
      const text = `The data is encrypted. Store a copy of the key in a safe place: without it the data is lost.\n${removed.join("")}${left.join("")}`;
      terminal.write(terminal.json ? `${visibleJson(done)}\n` : text);
      return 0;
    }
    case "rotate": {
      const rotated = await encryption.rotate();
      const text = `The new master key ${rotated.master_key} now protects ${counted(rotated.wrapped, "key")}. Store a copy of it in a safe place.\nBackups from before still need the old key, and so does other data that is encrypted with it.\n`;
      terminal.write(terminal.json ? `${visibleJson(rotated)}\n` : text);
      return 0;
    }
    default:
      throw new BelayError(refuse("usage", `Usage: belay ${USAGE}`));
  }
}

function describe(status: EncryptionStatus): string {
  const { encrypted, key_from, master_key, owners, kept_for_forks, readable, plain } = status;
  const key = key_from === null ? "no key is set" : `key from ${key_from}`;
  const lines = [
    encrypted ? `The data is encrypted; ${key}.` : `The data is not encrypted; ${key}.`,
    ...(master_key === null ? [] : [`master key: ${master_key}`]),
    ...(owners === 0 ? [] : [`owners with a key: ${owners}`]),
    ...(kept_for_forks === 0
      ? []
      : [`keys of purged sessions that forks still need: ${kept_for_forks}`]),
    ...plain.map(({ what, folder }) => `not encrypted: ${what} in ${visibleLine(folder)}`),
    ...(readable.length === 0
      ? []
      : ["Agents also store conversations, and Belay does not encrypt those:"]),
    ...readable.map(({ tool, folder }) => `  ${tool}: ${visibleLine(folder)}`),
  ];
  return `${lines.join("\n")}\n`;
}
