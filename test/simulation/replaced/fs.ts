import { constants } from "node:fs";
import { join } from "node:path";
import type { DiskStat } from "../disk.ts";
import { thisProcess } from "../this-process.ts";

/* `node:fs` for simulated processes: every call is one message to the world. */

export { constants };

type Target = number | string;
type Bytes = Uint8Array | string;

export function openSync(path: string, flags: number, mode = 0o666): number {
  return thisProcess.call("open", path, flags, mode);
}

export function closeSync(file: number): void {
  thisProcess.call("close", file);
}

export function readSync(
  file: number,
  into: Uint8Array,
  at = 0,
  count = into.length - at,
  position: number | null = null,
): number {
  const bytes = thisProcess.call<Uint8Array>("read", file, count, position);
  into.set(bytes, at);
  return bytes.length;
}

export function writeSync(
  file: number,
  bytes: Bytes,
  at = 0,
  count?: number,
  position: number | null = null,
): number {
  const whole = Buffer.from(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
  const part = whole.subarray(at, count === undefined ? undefined : at + count);
  return thisProcess.call("write", file, part, position);
}

export function writeFileSync(file: number, text: string): void {
  writeSync(file, text);
}

export function readFileSync(file: number): Buffer {
  const { size } = fstatSync(file);
  const bytes = Buffer.alloc(size);
  return bytes.subarray(0, readSync(file, bytes, 0, size, 0));
}

export function ftruncateSync(file: number, size: number): void {
  thisProcess.call("resize", file, size);
}

export function truncateSync(path: string, size: number): void {
  thisProcess.call("resize", path, size);
}

export function fsyncSync(file: number): void {
  thisProcess.call("sync", file);
}

export function fchmodSync(file: number, mode: number): void {
  thisProcess.call("chmod", file, mode);
}

export function chmodSync(path: string, mode: number): void {
  thisProcess.call("chmod", path, mode);
}

export function fchownSync(): void {}

export function fstatSync(file: number) {
  return toStats(thisProcess.call<DiskStat>("stat", file));
}

export function statSync(path: string, options: { readonly throwIfNoEntry?: boolean } = {}) {
  const found = thisProcess.call<DiskStat | null>("stat", path);
  if (found) return toStats(found);
  if (options.throwIfNoEntry === false) return undefined;
  throw missing(path);
}

export const lstatSync = statSync;

export function existsSync(path: string): boolean {
  return thisProcess.call("stat", path) !== null;
}

export function accessSync(path: string): void {
  if (!existsSync(path)) throw missing(path);
}

export function statfsSync() {
  return { bavail: 1_000_000, bsize: 4096 };
}

export function mkdirSync(path: string, { mode = 0o777 } = {}): void {
  thisProcess.call("mkdir", path, mode);
}

export function readdirSync(path: string, options: { readonly withFileTypes?: boolean } = {}) {
  const names = thisProcess.call<string[]>("names", path);
  if (!options.withFileTypes) return names;
  return names.map((name) => ({
    name,
    parentPath: path,
    isDirectory: () => statSync(join(path, name))?.isDirectory(),
    isFile: () => statSync(join(path, name))?.isFile(),
  }));
}

export function linkSync(from: string, to: string): void {
  thisProcess.call("link", from, to);
}

export function renameSync(from: string, to: string): void {
  thisProcess.call("rename", from, to);
}

export function unlinkSync(path: string): void {
  thisProcess.call("unlink", path);
}

export function rmSync(
  path: string,
  { recursive = false, force = false }: { recursive?: boolean; force?: boolean } = {},
): void {
  const found = thisProcess.call<DiskStat | null>("stat", path);
  if (!found) {
    if (force) return;
    throw missing(path);
  }
  if (found.isFolder && recursive) {
    for (const name of readdirSync(path)) rmSync(join(path, String(name)), { recursive, force });
  }
  unlinkSync(path);
}

export function copyFileSync(from: string, to: string): void {
  const { O_RDONLY, O_WRONLY, O_CREAT, O_TRUNC } = constants;
  const source = openSync(from, O_RDONLY);
  const target = openSync(to, O_WRONLY | O_CREAT | O_TRUNC);
  writeSync(target, readFileSync(source));
  closeSync(source);
  closeSync(target);
}

export function lutimes(path: string, _a: Date, _m: Date, done: () => void): void {
  if (existsSync(path)) thisProcess.call("touch", path);
  done();
}

export function realpathSync(path: string): string {
  return path;
}
realpathSync.native = realpathSync;

export function mkdtempSync(prefix: string): string {
  const path = `${prefix}${thisProcess.random(1e9).toString(36)}`;
  mkdirSync(path);
  return path;
}

function toStats({ isFolder, ...stat }: DiskStat) {
  return { dev: 1, ...stat, isFile: () => !isFolder, isDirectory: () => isFolder };
}

function missing(path: Target): Error {
  return Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
}

/** There are no links. */
export function readlinkSync(path: string): string {
  throw Object.assign(new Error(`EINVAL: ${path}`), { code: "EINVAL" });
}
