import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first is the browser without a window, which needs a quarter of the time to open a page. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** The installed one; npm test makes sure that there is one. */
export function findChromium(): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isThere);
  if (found === undefined)
    throw new Error("these tests need chromium: apt-get install chromium-headless-shell");
  return found;
}

function isThere(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
