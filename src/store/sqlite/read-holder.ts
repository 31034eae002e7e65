import type { KeptHolder } from "../lease-rules.ts";
import { parseJson } from "./columns.ts";
import { damaged } from "./storage-error.ts";

export function readHolder(text: string | null, stream: string): KeptHolder | null {
  if (text === null) return null;
  const value = parseJson(text, stream, "holder");
  if (isHolder(value)) return value;
  throw damaged(stream, "its holder cannot be read");
}

function isHolder(value: unknown): value is KeptHolder {
  if (typeof value !== "object" || value === null) return false;
  if (!("name" in value && "pid" in value && "start_time" in value && "boot_id" in value)) {
    return false;
  }
  return (
    typeof value.name === "string" &&
    typeof value.pid === "number" &&
    (value.start_time === null || typeof value.start_time === "number") &&
    (value.boot_id === null || typeof value.boot_id === "string") &&
    (!("node" in value) || value.node === null || typeof value.node === "string") &&
    (!("renewed" in value) || typeof value.renewed === "number")
  );
}
