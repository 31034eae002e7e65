import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "./agents/replace-file.ts";

/** How programs of the same person find the server of a data folder, and get in. Nobody else can read these files. */

const Address = z.object({ url: z.string(), pid: z.number().int() });
export type ServerAddress = z.infer<typeof Address>;

export function tokenFile(home: string): string {
  return join(home, "server-token");
}

export function readServerAddress(home: string): ServerAddress | null {
  try {
    return Address.parse(JSON.parse(readFileSync(addressFile(home), "utf8")));
  } catch {
    return null;
  }
}

export function writeServerAddress(home: string, address: ServerAddress): void {
  replaceFile(addressFile(home), `${JSON.stringify(address)}\n`);
}

export function removeServerAddress(home: string): void {
  rmSync(addressFile(home), { force: true });
}

export function readServerToken(home: string): string | null {
  try {
    return readFileSync(tokenFile(home), "utf8").trim();
  } catch {
    return null;
  }
}

export function writeServerToken(home: string, token: string): void {
  replaceFile(tokenFile(home), `${token}\n`);
}

function addressFile(home: string): string {
  return join(home, "server.json");
}
