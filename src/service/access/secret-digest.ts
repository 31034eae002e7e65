import { hash, timingSafeEqual } from "node:crypto";

/** The stored digest of a secret. The secret has at least 128 random bits, so slow hashing would add nothing. */
export function digestOf(secret: string): string {
  return hash("sha256", secret, "base64url");
}

export function isDigestOf(digest: string, secret: string): boolean {
  const [left, right] = [Buffer.from(digest), Buffer.from(digestOf(secret))];
  return left.length === right.length && timingSafeEqual(left, right);
}
