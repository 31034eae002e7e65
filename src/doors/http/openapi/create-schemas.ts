import { z } from "zod";
import { AgentInfo } from "../../../contract/agent-info.ts";
import { ERRORS } from "../../../contract/errors.ts";
import { Token } from "../../../contract/operations/token-operations.ts";
import { AuditLine, Stats, TimelineEvent } from "../../../contract/past.ts";
import { Approval, Checkpoint, LogEvent, Session, Task, Turn } from "../../../contract/session.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** JSON Schemas of inputs and outputs. */
export interface Schemas {
  fields(shape: Readonly<Record<string, z.ZodType>>): Field[];
  /** A body with these fields, under a name. */
  body(fields: readonly Field[], name: string): JsonSchema;
  /** An output, under this name if it has none yet. */
  output(schema: z.ZodType, name: string): JsonSchema;
  /** All schemas with a name. */
  all(): Record<string, unknown>;
}

/** Schemas with a fixed name everywhere. */
const NAMED = {
  Session,
  LogEvent,
  Turn,
  Checkpoint,
  Approval,
  Task,
  Token,
  AgentInfo,
  AuditEvent: AuditLine,
  TimelineEvent,
  Stats,
} as const;

const ErrorAnswer = z.object({
  error: z.enum(Object.keys(ERRORS)),
  message: z.string().optional().describe("always set, except with schema_validation_failed"),
  details: z.record(z.string(), z.unknown()),
});

export function createSchemas(): Schemas {
  const outputs = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries({ ...NAMED, Error: ErrorAnswer })) {
    outputs.add(schema, { id });
  }
  const bodies = new Map<string, JsonSchema>();
  return {
    fields: readFields,
    body(fields, name) {
      const required = fields.filter((field) => field.required).map((field) => field.name);
      bodies.set(`${name}Body`, {
        type: "object",
        properties: Object.fromEntries(fields.map((field) => [field.name, field.schema])),
        ...(required.length > 0 && { required }),
        // If no field is known, the service accepts any and validates them itself.
        additionalProperties: fields.length === 0,
      });
      return {
        required: required.length > 0,
        content: { "application/json": { schema: { $ref: uri(`${name}Body`) } } },
      };
    },
    output(schema, name) {
      if (!outputs.has(schema)) outputs.add(schema, { id: `${name}Answer` });
      return { $ref: uri(outputs.get(schema)?.id ?? "") };
    },
    all() {
      const { schemas } = z.toJSONSchema(outputs, {
        io: "output",
        unrepresentable: "any",
        uri,
        override,
      });
      const described = Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [
        id,
        schema,
      ]);
      return Object.fromEntries([...described, ...bodies].toSorted(byName));
    },
  };
}

function readFields(shape: Readonly<Record<string, z.ZodType>>): Field[] {
  const schema = z.toJSONSchema(z.object(shape), { io: "input", unrepresentable: "any", override });
  return Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    required: schema.required?.includes(name) ?? false,
    schema: typeof field === "object" ? { ...field } : {},
  }));
}

function uri(id: string): string {
  return `#/components/schemas/${id}`;
}

function override({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  // Outputs may get more fields later.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  // The calendar pattern is unreadable as a regular expression, so it is removed.
  if (jsonSchema.pattern?.includes("-02-29")) {
    delete jsonSchema.pattern;
    jsonSchema.format ??= "date-time";
  }
}

function byName([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}
