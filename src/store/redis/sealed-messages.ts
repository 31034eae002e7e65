import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";

/** Encrypts messages for one channel each, so that Redis cannot read, forge or move them. */
export class SealedMessages {
  readonly #names: KeyObject;
  readonly #texts: KeyObject;

  /** The secret is shared by all nodes of the same data. */
  constructor(secret: Uint8Array) {
    const derive = (purpose: string) =>
      createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", purpose, KEY_BYTES)));
    this.#names = derive("belay channel names");
    this.#texts = derive("belay node messages");
  }

  /** The name under which Redis knows a topic. */
  channelOf(topic: string): string {
    const name = createHmac("sha256", this.#names).update(topic).digest("base64url");
    return `belay:${name}`;
  }

  seal(channel: string, text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#texts, nonce).setAAD(Buffer.from(channel));
    return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  }

  /** Null for bytes that were not sealed with this secret for this channel. */
  open(channel: string, sealed: Uint8Array): string | null {
    const end = sealed.length - TAG_BYTES;
    if (end < NONCE_BYTES) return null;
    try {
      const decipher = createDecipheriv(CIPHER, this.#texts, sealed.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(channel)).setAuthTag(sealed.subarray(end));
      const text = decipher.update(sealed.subarray(NONCE_BYTES, end));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    } catch {
      return null;
    }
  }
}

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
