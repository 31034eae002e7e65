/** The largest answer, in bytes after decompression. Keys and tokens take a few thousand. */
const LARGEST = 256 * 1024;

/** Fetches a whole answer that is not larger than this. The signal limits the time until its last byte. */
export async function fetchLimited(
  url: string | URL,
  options: RequestInit & { readonly signal: AbortSignal },
): Promise<Response> {
  const response = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > LARGEST) throw new TypeError(`its answer is larger than ${LARGEST} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status, headers });
}
