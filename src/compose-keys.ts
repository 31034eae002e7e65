import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { BelayError, refuse } from "./contract/errors.ts";
import { type LoadMasterKeys, parseMasterKeys } from "./store/sealed/master-key.ts";

const COMMAND_MS = 30_000;
const MOST_BYTES = 64 * 1024;

/** The key that the environment leads to. */
export function findKeySource(env: Readonly<Record<string, string | undefined>>): LoadMasterKeys {
  const { BELAY_KEY_FILE: file, BELAY_KEY_COMMAND: command } = env;
  if (file !== undefined && command !== undefined) {
    const message = "Set BELAY_KEY_FILE or BELAY_KEY_COMMAND, not both.";
    throw new BelayError(refuse("invalid_input", message));
  }
  if (file) return async () => parseMasterKeys(readKeyFile(file), `BELAY_KEY_FILE (${file})`);
  if (command) return async () => parseMasterKeys(await runCommand(command), "BELAY_KEY_COMMAND");
  const message =
    "BELAY_KEY_FILE or BELAY_KEY_COMMAND is empty. Set it to a file with the key, or to a command that prints it, or unset it.";
  throw new BelayError(refuse("encryption_key_missing", message));
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const why = cause instanceof Error && "code" in cause ? String(cause.code) : "unreadable";
    const message = `The encryption key file ${file} cannot be read (${why}). Restore it, or set BELAY_KEY_FILE to the file with the key.`;
    throw new BelayError(refuse("encryption_key_missing", message, { file }), cause);
  }
}

async function runCommand(command: string): Promise<string> {
  try {
    const options = { timeout: COMMAND_MS, maxBuffer: MOST_BYTES };
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", command], options);
    return stdout;
  } catch {
    // The output may be the key, so it is repeated nowhere.
    const message =
      "BELAY_KEY_COMMAND failed, so there is no encryption key. Run it in a terminal to see why.";
    throw new BelayError(refuse("encryption_key_missing", message));
  }
}
