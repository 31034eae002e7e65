import { hkdfSync } from "node:crypto";
import { z } from "zod";
import { FileSeal } from "../../files/file-seal.ts";

/**
 * Encrypts the values that a public link hides. The key comes from the secret of the link, which is not stored, so the
 * values cannot be read in the store, not even after the session was purged.
 */
export function sealHidden(values: Iterable<string>, link_id: string, secret: string): string {
  return sealOf(link_id, secret).seal(JSON.stringify([...values]));
}

/** Throws if they were altered, so that nothing is shown without them. */
export function openHidden(hides: string, link_id: string, secret: string): string[] {
  return Values.parse(JSON.parse(sealOf(link_id, secret).open(hides) ?? "null"));
}

const Values = z.array(z.string());

function sealOf(link_id: string, secret: string): FileSeal {
  return new FileSeal(Buffer.from(hkdfSync("sha256", secret, link_id, "belay link", 32)));
}
