import { join } from "node:path";
import { z } from "zod";
import { makeFolder } from "../files/make-folder.ts";
import { readFile } from "../files/read-file.ts";
import { removeFile } from "../files/remove-file.ts";
import { replaceFile } from "../files/replace-file.ts";

/** How programs of the same person find the server of a data folder, and get in. Nobody else can read these files. */

const Address = z.object({ url: z.string(), pid: z.number().int() });
export type ServerAddress = z.infer<typeof Address>;

export function tokenFile(home: string): string {
  return join(home, "server-token");
}

export function readServerAddress(home: string): ServerAddress | null {
  try {
    return Address.parse(JSON.parse(readFile(addressFile(home))?.toString("utf8") ?? ""));
  } catch {
    return null;
  }
}

export function writeServerAddress(home: string, address: ServerAddress): void {
  makeFolder(home);
  replaceFile(addressFile(home), `${JSON.stringify(address)}\n`);
}

export function removeServerAddress(home: string): void {
  removeFile(addressFile(home));
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

function addressFile(home: string): string {
  return join(home, "server.json");
}
