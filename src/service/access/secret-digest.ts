import { hash, timingSafeEqual } from "node:crypto";

/** The stored digest of a text. Secrets have at least 128 random bits, so slow hashing would add nothing. */
export function digestOf(text: string): string {
  return hash("sha256", text, "base64url");
}

export function isDigestOf(digest: string, secret: string): boolean {
  const [left, right] = [Buffer.from(digest), Buffer.from(digestOf(secret))];
  return left.length === right.length && timingSafeEqual(left, right);
}
