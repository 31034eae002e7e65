import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLList,
  GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  visit,
} from "graphql";
import { BelayError, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";

/** The limits of one request. */
export const QUERY_LIMITS = {
  /** The size of the query text, in bytes. */
  text: 64 * 1024,
  tokens: 5000,
  depth: 12,
  /** The depth of introspection queries, which ask for types of types. */
  schema_depth: 16,
  fields: 500,
  /** GraphQL's own checks compare each fragment with each. */
  fragments: 50,
  spreads: 100,
  aliases: 50,
  directives: 20,
  root_fields: 20,
  /** The most fields of the answer; the size of each list is multiplied in. */
  cost: 100_000,
  /** The size of the answer, in characters. */
  answer: 2 * LIMITS.PAGE_BYTES,
} as const;

/** The assumed size of a list without a limit. */
const UNSAID_SIZE = 10;

/** Counts the parts of the query text, before any check that could take long. */
export function limitText(document: DocumentNode): void {
  const count = { fields: 0, fragments: 0, spreads: 0, aliases: 0, directives: 0 };
  visit(document, {
    Field: (node) => {
      count.fields += 1;
      if (node.alias) count.aliases += 1;
    },
    FragmentDefinition: () => {
      count.fragments += 1;
    },
    FragmentSpread: () => {
      count.spreads += 1;
    },
    Directive: () => {
      count.directives += 1;
    },
  });
  for (const what of COUNTED) {
    if (count[what] > QUERY_LIMITS[what]) throw tooMuch(what, QUERY_LIMITS[what]);
  }
}

const COUNTED = ["fields", "fragments", "spreads", "aliases", "directives"] as const;

/**
 * Estimates the size of the answer, including fragments and list sizes, without running the query. Returns true if it
 * is the same for all variables.
 */
export function limitOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): boolean {
  const root = schema.getRootType(operation.operation);
  if (!root) return false;
  const measure = new Measure(schema, document, { ...defaultsOf(operation), ...variables });
  const { depth, schema_depth, root_fields, cost } = measure.set(
    operation.selectionSet,
    root,
    null,
  );
  if (depth > QUERY_LIMITS.depth) throw tooMuch("levels", QUERY_LIMITS.depth);
  if (schema_depth > QUERY_LIMITS.schema_depth) throw tooMuch("levels", QUERY_LIMITS.schema_depth);
  if (root_fields > QUERY_LIMITS.root_fields) {
    throw tooMuch("fields at its root", QUERY_LIMITS.root_fields);
  }
  if (cost > QUERY_LIMITS.cost) throw tooMuch("values in its answer", QUERY_LIMITS.cost);
  return !measure.usesVariables;
}

interface Size {
  readonly depth: number;
  readonly schema_depth: number;
  readonly root_fields: number;
  readonly cost: number;
}

const NOTHING: Size = { depth: 0, schema_depth: 0, root_fields: 0, cost: 0 };

class Measure {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Readonly<Record<string, unknown>>;
  /** Each fragment is measured once, however often it is used. */
  readonly #known = new Map<string, Size | "open">();
  /** True if a variable decided the size of a list. */
  usesVariables = false;

  constructor(
    schema: GraphQLSchema,
    { definitions }: DocumentNode,
    variables: Readonly<Record<string, unknown>>,
  ) {
    this.#schema = schema;
    this.#variables = variables;
    this.#fragments = new Map(
      definitions.flatMap((each) =>
        each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [],
      ),
    );
  }

  /** `size` is the page size for the lists in this selection. */
  set({ selections }: SelectionSetNode, type: unknown, size: number | null): Size {
    return selections
      .map((selection) => {
        if (selection.kind === Kind.FIELD) return this.#field(selection, type, size);
        if (selection.kind === Kind.FRAGMENT_SPREAD) {
          return this.#fragment(selection.name.value, size);
        }
        const name = selection.typeCondition?.name.value;
        const inner = name === undefined ? type : this.#schema.getType(name);
        return this.set(selection.selectionSet, inner, size);
      })
      .reduce(both, NOTHING);
  }

  #field(node: FieldNode, type: unknown, size: number | null): Size {
    const field = this.#definition(node.name.value, type);
    const given = field && this.#sizeOf(node, field);
    const list = field && getNullableType(field.type) instanceof GraphQLList;
    const times = list ? (given ?? size ?? UNSAID_SIZE) : 1;
    const inner = node.selectionSet
      ? this.set(
          node.selectionSet,
          field && getNamedType(field.type),
          list ? null : (given ?? null),
        )
      : NOTHING;
    const ofSchema = node.name.value.startsWith("__") || isOfSchema(type);
    return {
      depth: ofSchema ? 0 : inner.depth + 1,
      schema_depth: ofSchema ? inner.schema_depth + 1 : inner.schema_depth,
      root_fields: 1,
      cost: 1 + times * inner.cost,
    };
  }

  #fragment(name: string, size: number | null): Size {
    const fragment = this.#fragments.get(name);
    if (!fragment) return NOTHING;
    const key = `${name} ${size}`;
    const known = this.#known.get(key);
    if (known === "open") {
      const message = `The fragment ${name} contains itself.`;
      throw new BelayError(refuse("invalid_input", message, { fragment: name }));
    }
    if (known) return known;
    this.#known.set(key, "open");
    const type = this.#schema.getType(fragment.typeCondition.name.value);
    const measured = this.set(fragment.selectionSet, type, size);
    this.#known.set(key, measured);
    return measured;
  }

  #definition(name: string, type: unknown): GraphQLField<unknown, unknown> | undefined {
    const meta = META_FIELDS.find((each) => each.name === name);
    if (meta) return meta;
    return type instanceof GraphQLObjectType ? type.getFields()[name] : undefined;
  }

  /** The requested size, or the default; null if there is none. */
  #sizeOf({ arguments: given = [] }: FieldNode, { args }: GraphQLField<unknown, unknown>) {
    const known = args.find(({ name }) => name === "limit" || name === "last");
    if (!known) return null;
    const value = given.find(({ name }) => name.value === known.name)?.value;
    if (value?.kind === Kind.VARIABLE) this.usesVariables = true;
    const said =
      value?.kind === Kind.INT
        ? Number(value.value)
        : value?.kind === Kind.VARIABLE
          ? this.#variables[value.name.value]
          : undefined;
    // An invalid size is refused later, when the operation checks it.
    const size = Number.isSafeInteger(said) ? said : known.defaultValue;
    return typeof size === "number" ? Math.max(0, size) : null;
  }
}

const META_FIELDS = [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef];

function both(a: Size, b: Size): Size {
  return {
    depth: Math.max(a.depth, b.depth),
    schema_depth: Math.max(a.schema_depth, b.schema_depth),
    root_fields: a.root_fields + b.root_fields,
    cost: a.cost + b.cost,
  };
}

function isOfSchema(type: unknown): boolean {
  return type instanceof GraphQLObjectType && type.name.startsWith("__");
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode) {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === Kind.INT
        ? [[variable.name.value, Number(defaultValue.value)] as const]
        : [],
    ),
  );
}

function tooMuch(what: string, max: number): BelayError {
  return new BelayError(
    refuse(
      "too_large",
      `This query has too many ${what}. ${max} are allowed. Ask for fewer fields or shorter lists.`,
      { what, max },
    ),
  );
}
