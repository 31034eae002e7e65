import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from "node:crypto";

/**
 * Encrypts a text for the owner of the private key: X25519 with a new key for each text, HKDF-SHA256, AES-256-GCM. The
 * writer cannot decrypt it.
 */
export function sealFor(publicKey: string, text: string): string {
  const own = generateKeyPairSync("x25519");
  const from = rawOf(own.publicKey);
  const to = Buffer.from(publicKey, "base64");
  const shared = diffieHellman({ privateKey: own.privateKey, publicKey: toPublicKey(to) });
  const cipher = createCipheriv(CIPHER, derive(shared, from, to), NONCE);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${MARK}${Buffer.concat([from, sealed]).toString("base64")}\n`;
}

export function isSealed(text: string): boolean {
  return text.startsWith(MARK);
}

/** Encrypts texts for the owner of a secret seed, such as files beside an encrypted store. */
export class FileSeal {
  readonly #key: KeyObject;
  /** For processes that may write texts, but not read them. */
  readonly publicKey: string;

  /** The seed is 32 secret bytes. */
  constructor(seed: Uint8Array) {
    const der = Buffer.concat([PRIVATE_PREFIX, seed]);
    this.#key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    this.publicKey = rawOf(createPublicKey(this.#key)).toString("base64");
  }

  seal(text: string): string {
    return sealFor(this.publicKey, text);
  }

  /** Null for a text that was encrypted with another key, or altered. */
  open(sealed: string): string | null {
    const bytes = Buffer.from(sealed.slice(MARK.length), "base64");
    const from = bytes.subarray(0, KEY_BYTES);
    const end = bytes.length - TAG_BYTES;
    try {
      const shared = diffieHellman({ privateKey: this.#key, publicKey: toPublicKey(from) });
      const to = Buffer.from(this.publicKey, "base64");
      const decipher = createDecipheriv(CIPHER, derive(shared, from, to), NONCE);
      decipher.setAuthTag(bytes.subarray(end));
      const text = decipher.update(bytes.subarray(KEY_BYTES, end));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    } catch {
      return null;
    }
  }
}

const MARK = "belay-sealed-1 ";
const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const TAG_BYTES = 16;
/** A constant nonce is safe, because each text has a key of its own. */
const NONCE = Buffer.alloc(12);
/** The DER prefix of an X25519 key. */
const PRIVATE_PREFIX = Buffer.from("302e020100300506032b656e04220420", "hex");
const PUBLIC_PREFIX = Buffer.from("302a300506032b656e032100", "hex");

function toPublicKey(raw: Uint8Array): KeyObject {
  const der = Buffer.concat([PUBLIC_PREFIX, raw]);
  return createPublicKey({ key: der, format: "der", type: "spki" });
}

function rawOf(key: KeyObject): Buffer {
  return key.export({ format: "der", type: "spki" }).subarray(PUBLIC_PREFIX.length);
}

function derive(shared: Uint8Array, from: Uint8Array, to: Uint8Array): Buffer {
  const info = Buffer.concat([Buffer.from("belay file seal"), from, to]);
  return Buffer.from(hkdfSync("sha256", shared, "", info, 32));
}
