import { LIMITS } from "../../../src/contract/limits.ts";
import { ApiError, Unreachable } from "./api-error.ts";
import { refusalIn } from "./ask.ts";
import { credentials } from "./browser-token.ts";

export const MOST_MB = LIMITS.BLOB_BYTES / 1024 / 1024;

/** Downloads a file of a session. A plain link could not carry the token. */
export function downloadFile(id: string, digest: string, name: string): Promise<void> {
  return download(`${filesOf(id)}/${encodeURIComponent(digest)}`, name);
}

/** Saves the answer of the server as a file. */
export async function download(path: string, name: string): Promise<void> {
  const response = await fetch(path, { headers: credentials() }).catch((error: unknown) => {
    throw new Unreachable(error);
  });
  if (!response.ok) throw await refusalIn(response);
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), SAVED_MS);
}

/** By then the browser has read it. */
const SAVED_MS = 60_000;

/** Uploads a file to a session, and reports the progress from 0 to 1. */
export function addFile(
  id: string,
  file: File,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // `fetch` does not report the progress of an upload.
    const request = new XMLHttpRequest();
    request.open("POST", `${filesOf(id)}?name=${encodeURIComponent(file.name)}`);
    for (const [name, value] of Object.entries(credentials())) {
      request.setRequestHeader(name, value);
    }
    request.setRequestHeader("accept", "application/json");
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 1);
    request.onload = () =>
      request.status < 300 ? resolve() : reject(refusalOf(request.status, request.responseText));
    request.onerror = () => reject(new Unreachable(null));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function refusalOf(status: number, text: string): ApiError {
  try {
    return new ApiError(status, JSON.parse(text));
  } catch {
    const message = `The server answered ${status}.`;
    return new ApiError(status, { error: "internal", message, details: {} });
  }
}

function filesOf(id: string): string {
  return `/sessions/${encodeURIComponent(id)}/files`;
}
