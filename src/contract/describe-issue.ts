import { z } from "zod";

type RawIssue = z.core.$ZodRawIssue;

/**
 * Describes a schema issue in our words instead of the schema library's. Schemas with messages of
 * their own keep them.
 */
function describeRawIssue(issue: RawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? REQUIRED
        : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "too_small":
      return describeSize(issue.origin, "at least", issue.minimum, issue.inclusive !== false);
    case "too_big":
      return describeSize(issue.origin, "at most", issue.maximum, issue.inclusive !== false);
    case "invalid_value":
      if (issue.input === undefined) return REQUIRED;
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return FORMATS[issue.format] ?? "has an invalid form";
    case "invalid_union":
      return describeUnion(issue.input, issue.errors ?? []);
    case "unrecognized_keys":
      return "has unknown fields";
    default:
      return "is invalid";
  }
}

const REQUIRED = "is required";

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

const TIME = "must be a time such as 2026-01-31 or 2026-01-31T12:00:00Z";
const FORMATS: Readonly<Record<string, string>> = {
  datetime: TIME,
  date: TIME,
  url: "must be an address such as https://example.com/hook",
};

function describeSize(
  origin: string,
  bound: "at least" | "at most",
  size: number | bigint,
  isInclusive: boolean,
): string {
  if (origin === "string" && bound === "at least" && size === 1) return "must not be empty";
  if (origin === "string") return `must have ${bound} ${size} characters`;
  if (origin === "array" || origin === "set") return `must have ${bound} ${size} items`;
  if (isInclusive) return `must be ${bound} ${size}`;
  return bound === "at least" ? `must be greater than ${size}` : `must be less than ${size}`;
}

/** Uses the message of the union's members if they all agree. */
function describeUnion(input: unknown, errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  if (input === undefined) return REQUIRED;
  const messages = new Set(errors.flatMap((issues) => issues.map(({ message }) => message)));
  const [only] = messages;
  return messages.size === 1 && only !== undefined ? only : "has an invalid form";
}

z.config({ customError: describeRawIssue });

/** One issue with the field that it is about: `title: must not be empty`, `agent_name is required`. */
export function describeIssue({
  path,
  message,
}: Pick<z.core.$ZodIssue, "path" | "message">): string {
  const field = path.join(".");
  if (message === REQUIRED) return `${field || "A value"} ${REQUIRED}`;
  return field === "" ? message : `${field}: ${message}`;
}
