import { isAbsolute, relative } from "node:path";

/** True if a path is below a folder, by name only. Links are checked when the file is opened. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
