import { isAbsolute, relative } from "node:path";

/** Whether a path lies below a folder, by their names alone: links are looked at when the file is opened. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
