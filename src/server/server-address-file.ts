import { join } from "node:path";

/** The file in the data folder with the address and the process of its server. */
export function serverAddressFile(home: string): string {
  return join(home, "server.json");
}
