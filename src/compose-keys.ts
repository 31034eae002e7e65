import { execFile } from "node:child_process";
import { closeSync, constants, existsSync, fstatSync, readFileSync, realpathSync } from "node:fs";
import { sep } from "node:path";
import { promisify } from "node:util";
import { BelayError, refuse } from "./contract/errors.ts";
import { errorCode, FileRefusal } from "./files/file-refusal.ts";
import { openFile } from "./files/open-file.ts";
import { type LoadMasterKeys, parseMasterKeys } from "./store/sealed/master-key.ts";

const COMMAND_MS = 30_000;
const MOST_BYTES = 64 * 1024;

/** The source of the key that the environment names. */
export function findKeySource(
  env: Readonly<Record<string, string | undefined>>,
  commandMs = COMMAND_MS,
): LoadMasterKeys {
  const { BELAY_KEY_FILE: file, BELAY_KEY_COMMAND: command } = env;
  if (file !== undefined && command !== undefined) {
    const message = "Set BELAY_KEY_FILE or BELAY_KEY_COMMAND, not both.";
    throw new BelayError(refuse("invalid_input", message));
  }
  if (file) return async () => parseMasterKeys(readKeyFile(file), `BELAY_KEY_FILE (${file})`);
  if (command) {
    return async () => parseMasterKeys(await runCommand(command, commandMs), "BELAY_KEY_COMMAND");
  }
  const message =
    "BELAY_KEY_FILE or BELAY_KEY_COMMAND is empty. Set it to a file with the key, or to a command that prints it, or unset it.";
  throw new BelayError(refuse("encryption_key_missing", message));
}

function readKeyFile(file: string): string {
  try {
    return readPrivate(keyFile(file));
  } catch (cause) {
    if (cause instanceof BelayError) throw cause;
    const why = cause instanceof FileRefusal ? cause.why : (errorCode(cause) ?? "unreadable");
    const message = `The encryption key file ${file} cannot be read (${why}). Restore it, or set BELAY_KEY_FILE to the file with the key.`;
    throw new BelayError(refuse("encryption_key_missing", message, { file }), cause);
  }
}

/** The target, if the user named a link: secrets of a cluster are links. */
export function keyFile(file: string): string {
  return realpathSync(file);
}

/** A copy of the data folder must not contain the key. */
export function refuseKeyInside(home: string, file: string | undefined): void {
  if (file === undefined || !existsSync(home)) return;
  if (!keyFile(file).startsWith(realpathSync(home) + sep)) return;
  const message = `The encryption key file ${file} is in the data folder that it encrypts. Move it to another folder.`;
  throw new BelayError(refuse("encryption_key_wrong", message, { file, home }));
}

/** Someone else who can read the key can read the data; someone who can write it can lock everyone out. */
const FOR_OTHERS = 0o027;

function readPrivate(path: string): string {
  const file = openFile(path, constants.O_RDONLY);
  try {
    const { mode, size } = fstatSync(file);
    if ((mode & FOR_OTHERS) !== 0 && process.platform !== "win32") throw isOpen(path, mode);
    if (size > MOST_BYTES) throw new FileRefusal(path, `is larger than ${MOST_BYTES} bytes`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function isOpen(path: string, mode: number): BelayError {
  const shown = (mode & 0o777).toString(8).padStart(4, "0");
  const message = `Other users can access the encryption key file ${path} (mode ${shown}). Run: chmod 600 ${path}`;
  return new BelayError(refuse("encryption_key_wrong", message, { file: path, mode: shown }));
}

async function runCommand(command: string, timeout: number): Promise<string> {
  try {
    // A program may ignore a signal that asks it to end.
    const options = { timeout, maxBuffer: MOST_BYTES, killSignal: "SIGKILL" } as const;
    const running = promisify(execFile)("/bin/sh", ["-c", command], options);
    // A program that asks for something must not wait for an answer.
    running.child.stdin?.end();
    return (await running).stdout;
  } catch {
    // The output may be the key, so no message contains it.
    const message =
      "BELAY_KEY_COMMAND failed, so there is no encryption key. Run it in a terminal to see why.";
    throw new BelayError(refuse("encryption_key_missing", message));
  }
}
