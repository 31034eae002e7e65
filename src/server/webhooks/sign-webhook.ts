import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Signatures of https://www.standardwebhooks.com and of GitHub. */

/** The most that the clocks of sender and receiver may differ, and the age limit of a request. */
const FRESH_MS = 5 * 60_000;
const MARK = "whsec_";
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

export function newSecret(): string {
  return MARK + randomBytes(32).toString("base64");
}

/** True for 24 to 64 bytes, as the standard requires. */
export function isSecret(text: string): boolean {
  const bytes = Buffer.from(SECRET.exec(text)?.[1] ?? "", "base64").length;
  return bytes >= 24 && bytes <= 64;
}

interface SignedHeaders {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
}

/** The time is that of sending, so a retry is as fresh as the first attempt. */
export function signWebhook(secret: string, id: string, now: number, body: string): SignedHeaders {
  const timestamp = String(Math.floor(now / 1000));
  const digest = digestOf(secret, id, timestamp, Buffer.from(body)).toString("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${digest}`,
  };
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The delivery's id, which is part of the signature; null if the request is not genuine or not fresh. */
export function readStandard(
  secret: string,
  headers: Headers,
  body: Buffer,
  now: number,
): string | null {
  const id = textOf(headers["webhook-id"]);
  const timestamp = textOf(headers["webhook-timestamp"]);
  const expected = digestOf(secret, id, timestamp, body);
  const given = textOf(headers["webhook-signature"]).split(" ").slice(0, MOST_SIGNATURES);
  const genuine = given.filter((signature) =>
    isSame(signature, `v1,${expected.toString("base64")}`),
  );
  const sent = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN;
  const fresh = Math.abs(now - sent) <= FRESH_MS;
  return genuine.length > 0 && fresh && ID.test(id) ? id : null;
}

/** A sender signs with each secret while secrets are being replaced. */
const MOST_SIGNATURES = 8;
const ID = /^[\x21-\x7e]{1,200}$/;

/**
 * GitHub only signs the body, so the body identifies a delivery: repeating it under another delivery id has no effect.
 */
export function readGitHub(secret: string, headers: Headers, body: Buffer): string | null {
  const digest = createHmac("sha256", secret).update(body).digest("hex");
  const genuine = isSame(textOf(headers["x-hub-signature-256"]), `sha256=${digest}`);
  const named = ID.test(textOf(headers["x-github-delivery"]));
  return genuine && named ? digest : null;
}

function digestOf(secret: string, id: string, timestamp: string, body: Buffer): Buffer {
  const key = Buffer.from(secret.slice(MARK.length), "base64");
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function textOf(value: string | readonly string[] | undefined): string {
  return typeof value === "string" ? value : "";
}
