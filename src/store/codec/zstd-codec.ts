import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { BelayError, refuse } from "../../contract/errors.ts";
import { isRecord } from "../../contract/is-record.ts";
import { LIMITS } from "../../contract/limits.ts";
import { freePassingBytes } from "../blobs/free-passing-bytes.ts";
import { decodeText } from "../decode-text.ts";
import type { ContentCodec, DecodedContent } from "./content-codec.ts";

/** Compression pays from this many characters on. Below, it costs more time than it saves space. */
const WORTH = 4096;
/** Compression must save this fraction of the content. */
const SAVING = 0.1;

/** The prefix of encoded bytes. Other bytes that start with it get the `AS_IS` mark. */
const MARK = Uint8Array.of(0xb1, 0xe7, 0x7a);
const AS_IS = 0;
const JSON_ZSTD = 1;

/**
 * Compresses large bodies and patches with zstd, from this many characters on. Heads stay
 * uncompressed: they are small and written with every event.
 */
export function zstdCodec(worth = WORTH): ContentCodec {
  return {
    encode(value, { part }) {
      if (value instanceof Uint8Array) {
        return isMarked(value) ? Buffer.concat([MARK, Uint8Array.of(AS_IS), value]) : value;
      }
      if (part === "head" || lengthOf(value, worth) < worth) return value;
      const text = Buffer.from(JSON.stringify(value) ?? "null");
      // The store must see the original size to refuse content that is too large.
      if (text.length > LIMITS.BODY_BYTES) return value;
      const packed = zstdCompressSync(text);
      if (packed.length > text.length * (1 - SAVING)) return value;
      return Buffer.concat([MARK, Uint8Array.of(JSON_ZSTD), packed]);
    },

    startPage() {
      if (passed <= MOST_PASSED) return;
      passed = 0;
      freePassingBytes();
    },

    decode(stored): DecodedContent | null {
      if (!(stored instanceof Uint8Array) || !isMarked(stored)) return null;
      const rest = stored.subarray(MARK.length + 1);
      switch (stored[MARK.length]) {
        case AS_IS:
          return { value: rest.slice(), bytes: rest.length };
        case JSON_ZSTD:
          return parse(rest);
        default:
          throw damaged("it was written by a newer version of Belay, or is damaged");
      }
    },
  };
}

/** The bytes that were decompressed since memory was freed last. */
let passed = 0;
const MOST_PASSED = 4 * 1024 * 1024;

function parse(packed: Uint8Array): DecodedContent {
  try {
    const text = zstdDecompressSync(packed, { maxOutputLength: LIMITS.BODY_BYTES });
    passed += text.length;
    return { value: JSON.parse(decodeText(text)), bytes: text.length };
  } catch (cause) {
    throw damaged("it cannot be decompressed", cause);
  }
}

function damaged(why: string, cause?: unknown): BelayError {
  const message = `Stored data cannot be read: ${why}. Run "belay verify".`;
  return new BelayError(refuse("storage_damaged", message), cause);
}

function isMarked(bytes: Uint8Array): boolean {
  return bytes.length > MARK.length && MARK.every((byte, n) => bytes[n] === byte);
}

/**
 * Counts the characters of the texts in a value up to a limit, which is faster than serializing it.
 */
function lengthOf(value: unknown, most: number): number {
  if (typeof value === "string") return value.length;
  let sum = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      sum += 2 + lengthOf(item, most - sum);
      if (sum >= most) break;
    }
  } else if (isRecord(value)) {
    for (const key in value) {
      sum += 4 + key.length + lengthOf(value[key], most - sum);
      if (sum >= most) break;
    }
  } else sum = 4;
  return sum;
}
