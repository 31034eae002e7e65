import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { findRoot } from "./find-root.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

interface WebFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly zipped: Buffer;
}

const FOLDER = join(findRoot(), "dist", "web");
const compress = promisify(gzip);
const kept = new Map<string, WebFile>();

/** The document of every page. Read each time, so that a new build needs no new server. */
export async function readDocument(): Promise<string> {
  return readFile(join(FOLDER, "index.html"), "utf8").catch((error: unknown) => {
    const message = "The page is not built. Run: npm run build";
    throw new BelayError(refuse("route_not_found", message), error);
  });
}

/** A file that the document loads. Its name contains a digest of its content, so it is cached. */
export async function readAsset(name: string): Promise<WebFile> {
  const known = kept.get(name);
  if (known) return known;
  const folder = join(FOLDER, "assets");
  // The name is compared with the existing files, so that outside input never becomes a path.
  const type = TYPES[extname(name)];
  if (!type || !listNames(folder).includes(name)) {
    throw new BelayError(refuse("route_not_found", "File not found. Reload the page."));
  }
  const bytes = await readFile(join(folder, name));
  const file = { type, bytes, zipped: await compress(bytes) };
  kept.set(name, file);
  return file;
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
