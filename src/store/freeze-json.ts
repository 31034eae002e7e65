/**
 * Copies a value as JSON would return it, and freezes it deeply, so that it can be shared. The copy
 * is needed because the caller may change its value later; parts that are identical in `known`,
 * which was frozen here before, are reused.
 */
export function freezeJson(value: unknown, known: unknown): unknown {
  if (!isObject(value) || value === known || isConverted(value)) return copy(value, known) ?? null;
  // Not in `copyObject`: the engine copies objects fast only where it sees few shapes, as of whole heads here.
  return freezeMembers({ ...value }, known);
}

/** Freezes a value in place that has no other owner, such as a result of `JSON.parse`. */
export function freezeParsed(value: unknown): unknown {
  if (!isObject(value)) return value;
  for (const key in value) {
    const member = value[key];
    if (isObject(member)) freezeParsed(member);
  }
  return Object.freeze(value);
}

/** Undefined for values that JSON omits. */
function copy(value: unknown, known: unknown): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      // JSON has no negative zero.
      return Number.isFinite(value) ? value + 0 : null;
    case "object":
      return value === null || value === known ? value : copyObject(value, known);
    case "bigint":
      throw new TypeError("A bigint cannot be written as JSON.");
    default:
      return undefined;
  }
}

function copyObject(value: object, known: unknown): unknown {
  if ("toJSON" in value && typeof value.toJSON === "function") return copy(value.toJSON(), null);
  if (Array.isArray(value)) {
    const before: readonly unknown[] = Array.isArray(known) ? known : NOTHING;
    return Object.freeze(value.map((member, n) => copy(member, before[n]) ?? null));
  }
  return freezeMembers({ ...value }, known);
}

/** True if the copy is not made member by member. */
function isConverted(value: object): boolean {
  return Array.isArray(value) || "toJSON" in value;
}

function freezeMembers(members: Record<string, unknown>, known: unknown): unknown {
  const before: Readonly<Record<string, unknown>> = isObject(known) ? known : {};
  for (const key in members) {
    const member = members[key];
    // Most members stay as they are, and looking up each in `before` would take most of the time.
    if (isPlain(member)) continue;
    const copied = copy(member, before[key]);
    if (copied === undefined) delete members[key];
    else if (!Object.is(copied, member)) members[key] = copied;
  }
  return Object.freeze(members);
}

/** True if the value is its own copy. */
function isPlain(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  return typeof value === "string" || typeof value === "boolean" || value === null;
}

const NOTHING: readonly unknown[] = [];

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
