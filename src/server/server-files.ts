import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { BelayError, refuse } from "../contract/errors.ts";
import { makeFolder } from "../files/make-folder.ts";
import { readFile } from "../files/read-file.ts";
import { removeFile } from "../files/remove-file.ts";
import { replaceFile } from "../files/replace-file.ts";
import { serverAddressFile } from "./server-address-file.ts";

/**
 * The files through which programs of the same user find the server of a data folder and authenticate. No other user
 * can read them.
 */

const Address = z.object({
  url: z.string(),
  pid: z.number().int(),
  // Older servers only wrote their pid.
  start_time: z.number().nullable().default(null),
  boot_id: z.string().nullable().default(null),
  node: z.string().nullable().optional(),
});
type ServerAddress = z.infer<typeof Address>;

export function tokenFile(home: string): string {
  return join(home, "server-token");
}

export function readServerAddress(home: string): ServerAddress | null {
  try {
    return Address.parse(JSON.parse(readFile(serverAddressFile(home))?.toString("utf8") ?? ""));
  } catch {
    return null;
  }
}

/**
 * The address of the server with this pid. It waits briefly for a server that just started, and ignores the file of
 * another.
 */
export async function awaitServerAddress(home: string, pid: number): Promise<string | null> {
  for (const end = Date.now() + ADDRESS_MS; ; await sleep(20)) {
    const address = readServerAddress(home);
    if (address?.pid === pid) return address.url;
    if (Date.now() > end) return null;
  }
}

const ADDRESS_MS = 3000;

export function writeServerAddress(home: string, address: z.input<typeof Address>): void {
  makeFolder(home);
  replaceFile(serverAddressFile(home), `${JSON.stringify(address)}\n`);
}

export function removeServerAddress(home: string): void {
  removeFile(serverAddressFile(home));
}

export function readServerToken(home: string): string | null {
  try {
    return readFile(tokenFile(home))?.toString("utf8").trim() ?? null;
  } catch {
    return null;
  }
}

export function writeServerToken(home: string, token: string): void {
  makeFolder(home);
  replaceFile(tokenFile(home), `${token}\n`);
}

/** The id of the node that serves from this folder. It stays the same when the node is restarted. */
export function keepNodeId(home: string, newId: () => string): string {
  const file = join(home, "node-id");
  makeFolder(home);
  try {
    // If two servers start at the same time, one of them creates the file.
    writeFileSync(file, `${newId()}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const kept = readFile(file)?.toString("utf8").trim() ?? "";
  if (/^[0-9a-f-]{36}$/.test(kept)) return kept;
  const message = `${file} is damaged. Remove it while no server runs on this folder.`;
  throw new BelayError(refuse("storage_damaged", message, { file }));
}

/** Proves that this server belongs to the data folder: only it and its user can read the token. */
export function proveServer(token: string, url: string, nonce: string): string {
  return createHmac("sha256", token).update(`belay-server\n${url}\n${nonce}`).digest("base64url");
}
