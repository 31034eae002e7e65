import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Signatures as https://www.standardwebhooks.com describes them, and as GitHub makes them. */

/** How far the clocks of sender and receiver may be apart, and how old a request may be. */
const FRESH_MS = 5 * 60_000;
const MARK = "whsec_";
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

export function newSecret(): string {
  return MARK + randomBytes(32).toString("base64");
}

/** Of 24 to 64 bytes, as the standard wants it. */
export function isSecret(text: string): boolean {
  const bytes = Buffer.from(SECRET.exec(text)?.[1] ?? "", "base64").length;
  return bytes >= 24 && bytes <= 64;
}

interface SignedHeaders {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
}

/** The time is that of sending: what is sent again is as fresh as the first time. */
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

/** The delivery's id, which is signed with it; null for one that is not genuine, or not fresh. */
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

/** While secrets are being changed, a sender signs with each of them. */
const MOST_SIGNATURES = 8;
const ID = /^[\x21-\x7e]{1,200}$/;

/**
 * GitHub signs nothing but the body, so the body is what makes two deliveries the same: a sender that repeats it under
 * another delivery id gets nowhere.
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
