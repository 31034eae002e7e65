import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import type { Idempotency } from "../stream-store.ts";
import { Recent } from "./recent.ts";
import { cannotOpen } from "./seal-bytes.ts";

/**
 * Keyed hashes that replace texts in indexes; equal texts have equal hashes. The key of a stream can be decrypted,
 * because lists and feeds show it.
 */
export class IndexHashes {
  readonly #hashKey: KeyObject;
  readonly #sivKey: KeyObject;
  readonly #cipherKey: KeyObject;
  /** The hashes of texts that occur often. */
  readonly #hashes = new Recent<string>(5_000);
  readonly #sealed = new Recent<string>(5_000);
  readonly #opened = new Recent<string>(5_000);

  constructor(root: Uint8Array) {
    this.#hashKey = derive(root, "belay index hashes");
    this.#sivKey = derive(root, "belay stream key hashes");
    this.#cipherKey = derive(root, "belay stream keys");
  }

  name(owner: string, name: string): string {
    return this.#hash("name", owner, name);
  }

  rowKey(kind: string, key: string): string {
    return this.#hashOnce("row", kind, key);
  }

  /** An empty text stays empty. */
  field(field: string, value: string): string {
    return value === "" ? "" : this.#hashOnce("field", field, value);
  }

  idempotency({ scope, key, digest }: Idempotency): Idempotency {
    return {
      scope: "",
      key: this.#hash("idempotency", scope, key),
      digest: this.#hash("digest", scope, digest),
    };
  }

  /** 64 hexadecimal digits. */
  blob(writer: string, digest: string): string {
    return this.#hmac("blob", writer, digest).toString("hex");
  }

  /** Encrypted with the text's own hash as the nonce, so that equal keys give equal bytes. */
  sealKey(key: string): string {
    const known = this.#sealed.get(key);
    if (known !== undefined) return known;
    const hash = this.#hashOfKey(key);
    const cipher = createCipheriv("aes-256-ctr", this.#cipherKey, hash);
    const sealed = Buffer.concat([hash, cipher.update(key, "utf8")]).toString("base64url");
    this.#sealed.set(key, sealed);
    this.#opened.set(sealed, key);
    return sealed;
  }

  openKey(sealed: string): string {
    const known = this.#opened.get(sealed);
    if (known !== undefined) return known;
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes.length < SIV_BYTES) throw cannotOpen();
    const hash = bytes.subarray(0, SIV_BYTES);
    const decipher = createDecipheriv("aes-256-ctr", this.#cipherKey, hash);
    const key = decipher.update(bytes.subarray(SIV_BYTES)).toString("utf8");
    if (!this.#hashOfKey(key).equals(hash)) throw cannotOpen();
    this.#opened.set(sealed, key);
    return key;
  }

  #hashOfKey(key: string): Buffer {
    return createHmac("sha256", this.#sivKey).update(key).digest().subarray(0, SIV_BYTES);
  }

  #hashOnce(...parts: readonly string[]): string {
    const text = parts.join("\0");
    const known = this.#hashes.get(text);
    if (known !== undefined) return known;
    const hash = this.#hash(text);
    this.#hashes.set(text, hash);
    return hash;
  }

  #hash(...parts: readonly string[]): string {
    return this.#hmac(...parts).toString("base64url", 0, 16);
  }

  #hmac(...parts: readonly string[]): Buffer {
    return createHmac("sha256", this.#hashKey).update(parts.join("\0")).digest();
  }
}

const SIV_BYTES = 16;

/** As a key object: with bytes, each use would take three times as long. */
function derive(root: Uint8Array, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", root, "", purpose, 32)));
}
