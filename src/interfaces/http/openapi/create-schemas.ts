import { z } from "zod";
import { AgentInfo } from "../../../contract/agent-info.ts";
import { ERRORS } from "../../../contract/errors.ts";
import { Token } from "../../../contract/operations/token-operations.ts";
import { AuditEvent, Stats, TimelineEvent } from "../../../contract/past.ts";
import { Approval, Checkpoint, LogEvent, Session, Task, Turn } from "../../../contract/session.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** JSON Schemas of what goes in and out. */
export interface Schemas {
  fields(shape: Readonly<Record<string, z.ZodType>>): Field[];
  /** A body of these fields, under a name. */
  body(fields: readonly Field[], name: string): JsonSchema;
  /** An answer, under this name if it has none yet. */
  output(schema: z.ZodType, name: string): JsonSchema;
  /** All that have names. */
  all(): Record<string, unknown>;
}

/** What is known by name wherever it stands. */
const NAMED = {
  Session,
  LogEvent,
  Turn,
  Checkpoint,
  Approval,
  Task,
  Token,
  AgentInfo,
  AuditEvent,
  TimelineEvent,
  Stats,
} as const;

const ErrorAnswer = z.object({
  error: z.enum(Object.keys(ERRORS)),
  message: z.string().optional().describe("always, except with schema_validation_failed"),
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
        // Where no field is known by name, the service takes what comes and says itself what is wrong.
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
  // Answers may get more fields later.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  // Nobody reads the calendar as a regular expression.
  if (jsonSchema.pattern?.includes("-02-29")) {
    delete jsonSchema.pattern;
    jsonSchema.format ??= "date-time";
  }
}

function byName([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}
