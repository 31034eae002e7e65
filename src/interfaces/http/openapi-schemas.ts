import { z } from "zod";
import { AgentInfo } from "../../contract/agent-info.ts";
import { ERRORS } from "../../contract/errors.ts";
import { Token } from "../../contract/operations/token-operations.ts";
import { AuditEvent, Stats, TimelineEvent } from "../../contract/past.ts";
import { Approval, Checkpoint, LogEvent, Session, Task, Turn } from "../../contract/session.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** JSON Schemas of what goes in and out. */
export interface Schemas {
  output(schema: z.ZodType): JsonSchema;
  fields(input: z.ZodObject): Field[];
  /** An object of these fields, as a body. */
  body(fields: readonly Field[], input: z.ZodObject): JsonSchema;
  /** Those that others refer to. */
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
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries({ ...NAMED, Error: ErrorAnswer })) {
    registry.add(schema, { id });
  }
  const options = {
    io: "output",
    unrepresentable: "any",
    uri: (id: string) => `#/components/schemas/${id}`,
    // Whoever reads an answer lets it grow.
    override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  } as const;
  let unnamed = 0;
  return {
    output(schema) {
      if (!registry.has(schema)) registry.add(schema, { id: `Answer${++unnamed}` });
      return { $ref: options.uri(registry.get(schema)?.id ?? "") };
    },
    fields(input) {
      const schema = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
      return Object.entries(schema.properties ?? {}).map(([name, field]) => ({
        name,
        required: schema.required?.includes(name) ?? false,
        schema: typeof field === "object" ? { ...field } : {},
      }));
    },
    body(fields, input) {
      const required = fields.filter((field) => field.required).map(({ name }) => name);
      const isLoose = Object.keys(input.shape).length === 0;
      const schema = {
        type: "object",
        properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
        ...(required.length > 0 && { required }),
        additionalProperties: isLoose,
      };
      return {
        required: required.length > 0,
        content: { "application/json": { schema } },
      };
    },
    all() {
      const { schemas } = z.toJSONSchema(registry, options);
      return Object.fromEntries(
        Object.entries(schemas)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([id, { $schema, $id, ...schema }]) => [id, schema]),
      );
    },
  };
}
