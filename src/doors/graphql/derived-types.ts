import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  GraphQLString,
} from "graphql";
import { z } from "zod";
import { SeqOrCursor } from "../../contract/event-cursor.ts";
import { isRecord } from "../../contract/is-record.ts";
import { Time } from "../../contract/operations/operation.ts";
import type { Ask } from "./graphql-parts.ts";
import { NAMED_ENUMS, NAMED_SCHEMAS, OPEN_ENUMS } from "./named-schemas.ts";
import { DATE_TIME, JSON_VALUE } from "./scalars.ts";
import { camelCase, enumName, pascalCase } from "./words.ts";

/** Extra fields of a type; undefined removes a field of its schema. */
export type MoreFields = (
  types: DerivedTypes,
) => Readonly<Record<string, GraphQLFieldConfig<unknown, Ask> | undefined>>;

/** The GraphQL types for the schemas in the table of operations, each created once. */
export class DerivedTypes {
  readonly #more: ReadonlyMap<unknown, MoreFields>;
  readonly #objects = new Map<unknown, GraphQLObjectType<unknown, Ask>>();
  readonly #inputs = new Map<unknown, GraphQLInputObjectType>();
  readonly #enums = new Map<string, GraphQLEnumType>();

  constructor(more: ReadonlyMap<unknown, MoreFields>) {
    this.#more = more;
  }

  /** `name` is for a type without a name; `field` distinguishes ids and times from other texts. */
  output(schema: unknown, field: string, name: string): GraphQLOutputType {
    if (isWrapped(schema)) return nullable(this.output(schema.unwrap(), field, name));
    if (schema instanceof z.ZodArray) {
      const item = this.output(schema.element, singular(field), singular(name));
      return new GraphQLNonNull(new GraphQLList(item));
    }
    if (schema instanceof z.ZodObject) return new GraphQLNonNull(this.#object(schema, name));
    const leaf = this.#leaf(schema, field, name);
    // A JSON value may also be null.
    return leaf === JSON_VALUE ? leaf : new GraphQLNonNull(leaf);
  }

  input(schema: unknown, field: string, name: string): GraphQLInputType {
    if (isWrapped(schema)) return optional(this.input(schema.unwrap(), field, name));
    if (schema instanceof z.ZodArray) {
      const item = this.input(schema.element, singular(field), singular(name));
      return new GraphQLNonNull(new GraphQLList(item));
    }
    if (schema instanceof z.ZodObject) return new GraphQLNonNull(this.#inputObject(schema, name));
    return new GraphQLNonNull(this.#leaf(schema, field, name));
  }

  /** An argument with its default, as far as GraphQL can express it. */
  argument(schema: unknown, field: string, name: string): GraphQLInputFieldConfig {
    const description = describe(schema);
    const fallback = defaultOf(schema);
    return {
      type: this.input(schema, field, name),
      ...(description !== undefined && { description }),
      ...(fallback !== undefined && { defaultValue: fallback }),
    };
  }

  #object(schema: z.ZodObject, given: string): GraphQLObjectType<unknown, Ask> {
    const known = this.#objects.get(schema);
    if (known) return known;
    const name = NAMED_SCHEMAS.get(schema) ?? given;
    const made = new GraphQLObjectType<unknown, Ask>({
      name,
      fields: () => this.#fieldsOf(schema, name),
    });
    this.#objects.set(schema, made);
    return made;
  }

  #fieldsOf(schema: z.ZodObject, name: string): Record<string, GraphQLFieldConfig<unknown, Ask>> {
    const own = Object.entries(schema.shape).map(([field, each]) => {
      const description = describe(each);
      const config: GraphQLFieldConfig<unknown, Ask> = {
        type: this.output(each, field, `${baseOf(name)}${pascalCase(field)}`),
        resolve: (source) => (isRecord(source) ? source[field] : undefined),
        ...(description !== undefined && { description }),
      };
      return [camelCase(field), config] as const;
    });
    const more = Object.entries(this.#more.get(schema)?.(this) ?? {});
    const fields = new Map<string, GraphQLFieldConfig<unknown, Ask> | undefined>([...own, ...more]);
    return Object.fromEntries(
      [...fields].flatMap(([key, config]) => (config ? [[key, config] as const] : [])),
    );
  }

  #inputObject(schema: z.ZodObject, given: string): GraphQLInputObjectType {
    const known = this.#inputs.get(schema);
    if (known) return known;
    const name = `${NAMED_SCHEMAS.get(schema) ?? given}Input`;
    const fields = Object.entries(schema.shape).map(([field, each]) => [
      camelCase(field),
      this.argument(each, field, `${given}${pascalCase(field)}`),
    ]);
    const made = new GraphQLInputObjectType({ name, fields: Object.fromEntries(fields) });
    this.#inputs.set(schema, made);
    return made;
  }

  #leaf(schema: unknown, field: string, name: string): GraphQLScalarType | GraphQLEnumType {
    if (schema === Time) return DATE_TIME;
    // Queries take the seq. The subscription, which resumes, takes the cursor as an argument of its own.
    if (schema === SeqOrCursor) return GraphQLInt;
    if (schema instanceof z.ZodBoolean) return GraphQLBoolean;
    if (schema instanceof z.ZodNumber) return schema.format === null ? GraphQLFloat : GraphQLInt;
    if (schema instanceof z.ZodEnum) return this.#enum(schema.options.map(String), name);
    if (!(schema instanceof z.ZodString)) return JSON_VALUE;
    if (ID.test(field)) return GraphQLID;
    return TIME.test(field) ? DATE_TIME : GraphQLString;
  }

  #enum(words: readonly string[], given: string): GraphQLScalarType | GraphQLEnumType {
    const same = (other: readonly string[]): boolean => `${other}` === `${words}`;
    if (OPEN_ENUMS.some(same)) return GraphQLString;
    const name = NAMED_ENUMS.find(([, known]) => same(known))?.[0] ?? given;
    const known = this.#enums.get(`${words}`);
    if (known) return known;
    const values = words.map((word) => [enumName(word), { value: word }]);
    const made = new GraphQLEnumType({ name, values: Object.fromEntries(values) });
    this.#enums.set(`${words}`, made);
    return made;
  }
}

/** Texts that are only identifiers. Those of checkpoints and traces are not looked up here. */
const ID = /^(?!checkpoint_id$|trace_id$)(?:.*_)?id$/;
const TIME = /(?:^|_)(?:at|timestamp|last_updated|suspended_until|since)$/;

type Wrapped = z.ZodOptional | z.ZodNullable | z.ZodDefault;

function isWrapped(schema: unknown): schema is Wrapped {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  );
}

function nullable(type: GraphQLOutputType): GraphQLOutputType {
  return type instanceof GraphQLNonNull ? type.ofType : type;
}

function optional(type: GraphQLInputType): GraphQLInputType {
  return type instanceof GraphQLNonNull ? type.ofType : type;
}

function defaultOf(schema: unknown): unknown {
  if (!(schema instanceof z.ZodDefault)) return undefined;
  const value: unknown = schema.def.defaultValue;
  return typeof value === "object" ? undefined : value;
}

function describe(schema: unknown): string | undefined {
  return schema instanceof z.ZodType ? schema.description : undefined;
}

/** Types inside an answer are named after its operation. */
function baseOf(name: string): string {
  return name.replace(/Result$/, "");
}

function singular(name: string): string {
  return name.replace(/ies$/, "y").replace(/(?<!s)s$/, "");
}
