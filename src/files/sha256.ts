/** SHA-256 of FIPS 180-4, for processes that exit before node:crypto would be loaded. */
export function sha256(bytes: Uint8Array): Buffer {
  const blocks = ((bytes.length + 8) >> 6) + 1;
  const padded = Buffer.alloc(blocks * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  padded.writeBigUInt64BE(BigInt(bytes.length) * 8n, padded.length - 8);
  // A call for each word would take longer than the rest, because this code runs for the first time.
  const words = new Int32Array(inOrder(padded).buffer, padded.byteOffset, blocks * 16);
  const state = Int32Array.from(INITIAL);
  for (let at = 0; at < words.length; at += 16) addBlock(state, words, at);
  return inOrder(Buffer.from(state.buffer));
}

/** Between the order of bytes of SHA-256 and that of this machine. */
function inOrder(bytes: Buffer): Buffer {
  return isLittleEndian ? bytes.swap32() : bytes;
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** The first 32 bits of the fractional parts of the square roots of the first 8 primes, and of the cube roots of the first 64. */
const INITIAL = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
const ROUNDS = Int32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
);
const schedule = new Int32Array(64);

function addBlock(state: Int32Array, words: Int32Array, at: number): void {
  for (let word = 0; word < 16; word += 1) schedule[word] = words[at + word] ?? 0;
  for (let word = 16; word < 64; word += 1) {
    const near = schedule[word - 2] ?? 0;
    const far = schedule[word - 15] ?? 0;
    const ofNear = ((near >>> 17) | (near << 15)) ^ ((near >>> 19) | (near << 13)) ^ (near >>> 10);
    const ofFar = ((far >>> 7) | (far << 25)) ^ ((far >>> 18) | (far << 14)) ^ (far >>> 3);
    schedule[word] = ofNear + (schedule[word - 7] ?? 0) + ofFar + (schedule[word - 16] ?? 0);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  // Eight rounds at a time, after which each letter has its place again. V8 counts how often a loop repeats, and would
  // stop to compile a shorter one for longer than a hook takes to answer.
  for (let round = 0; round < 64; round += 8) {
    h +=
      (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))) +
      (g ^ (e & (f ^ g))) +
      (ROUNDS[round] ?? 0) +
      (schedule[round] ?? 0);
    d = (d + h) | 0;
    h =
      (h +
        (((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) +
        ((a & b) ^ (c & (a ^ b)))) |
      0;
    g +=
      (((d >>> 6) | (d << 26)) ^ ((d >>> 11) | (d << 21)) ^ ((d >>> 25) | (d << 7))) +
      (f ^ (d & (e ^ f))) +
      (ROUNDS[round + 1] ?? 0) +
      (schedule[round + 1] ?? 0);
    c = (c + g) | 0;
    g =
      (g +
        (((h >>> 2) | (h << 30)) ^ ((h >>> 13) | (h << 19)) ^ ((h >>> 22) | (h << 10))) +
        ((h & a) ^ (b & (h ^ a)))) |
      0;
    f +=
      (((c >>> 6) | (c << 26)) ^ ((c >>> 11) | (c << 21)) ^ ((c >>> 25) | (c << 7))) +
      (e ^ (c & (d ^ e))) +
      (ROUNDS[round + 2] ?? 0) +
      (schedule[round + 2] ?? 0);
    b = (b + f) | 0;
    f =
      (f +
        (((g >>> 2) | (g << 30)) ^ ((g >>> 13) | (g << 19)) ^ ((g >>> 22) | (g << 10))) +
        ((g & h) ^ (a & (g ^ h)))) |
      0;
    e +=
      (((b >>> 6) | (b << 26)) ^ ((b >>> 11) | (b << 21)) ^ ((b >>> 25) | (b << 7))) +
      (d ^ (b & (c ^ d))) +
      (ROUNDS[round + 3] ?? 0) +
      (schedule[round + 3] ?? 0);
    a = (a + e) | 0;
    e =
      (e +
        (((f >>> 2) | (f << 30)) ^ ((f >>> 13) | (f << 19)) ^ ((f >>> 22) | (f << 10))) +
        ((f & g) ^ (h & (f ^ g)))) |
      0;
    d +=
      (((a >>> 6) | (a << 26)) ^ ((a >>> 11) | (a << 21)) ^ ((a >>> 25) | (a << 7))) +
      (c ^ (a & (b ^ c))) +
      (ROUNDS[round + 4] ?? 0) +
      (schedule[round + 4] ?? 0);
    h = (h + d) | 0;
    d =
      (d +
        (((e >>> 2) | (e << 30)) ^ ((e >>> 13) | (e << 19)) ^ ((e >>> 22) | (e << 10))) +
        ((e & f) ^ (g & (e ^ f)))) |
      0;
    c +=
      (((h >>> 6) | (h << 26)) ^ ((h >>> 11) | (h << 21)) ^ ((h >>> 25) | (h << 7))) +
      (b ^ (h & (a ^ b))) +
      (ROUNDS[round + 5] ?? 0) +
      (schedule[round + 5] ?? 0);
    g = (g + c) | 0;
    c =
      (c +
        (((d >>> 2) | (d << 30)) ^ ((d >>> 13) | (d << 19)) ^ ((d >>> 22) | (d << 10))) +
        ((d & e) ^ (f & (d ^ e)))) |
      0;
    b +=
      (((g >>> 6) | (g << 26)) ^ ((g >>> 11) | (g << 21)) ^ ((g >>> 25) | (g << 7))) +
      (a ^ (g & (h ^ a))) +
      (ROUNDS[round + 6] ?? 0) +
      (schedule[round + 6] ?? 0);
    f = (f + b) | 0;
    b =
      (b +
        (((c >>> 2) | (c << 30)) ^ ((c >>> 13) | (c << 19)) ^ ((c >>> 22) | (c << 10))) +
        ((c & d) ^ (e & (c ^ d)))) |
      0;
    a +=
      (((f >>> 6) | (f << 26)) ^ ((f >>> 11) | (f << 21)) ^ ((f >>> 25) | (f << 7))) +
      (h ^ (f & (g ^ h))) +
      (ROUNDS[round + 7] ?? 0) +
      (schedule[round + 7] ?? 0);
    e = (e + a) | 0;
    a =
      (a +
        (((b >>> 2) | (b << 30)) ^ ((b >>> 13) | (b << 19)) ^ ((b >>> 22) | (b << 10))) +
        ((b & c) ^ (d & (b ^ c)))) |
      0;
  }
  const sums = [a, b, c, d, e, f, g, h];
  for (let word = 0; word < 8; word += 1) state[word] = (state[word] ?? 0) + (sums[word] ?? 0);
}
