import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  validate,
} from "graphql";
import { BelayError, refuse } from "../../contract/errors.ts";
import { isRecord } from "../../contract/is-record.ts";
import { limitOperation, limitText, QUERY_LIMITS } from "./limit-query.ts";

/** A valid request. */
export interface Query {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** This many query texts are cached, unless they are long, because parsing them takes much more memory. */
const KNOWN = { texts: 100, length: 8 * 1024 };

/** Parses requests, and refuses invalid or too large ones before running them. */
export class QueryReader {
  readonly #schema: GraphQLSchema;
  readonly #known = new Map<string, DocumentNode>();
  /** Operations whose size was checked and does not depend on variables. */
  readonly #sized = new WeakSet<OperationDefinitionNode>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** Throws a refusal, or GraphQL's own errors together. */
  read(body: unknown): Query {
    const { query, variables, operationName } = readBody(body);
    const document = this.#document(query);
    const operation = getOperationAST(document, operationName);
    if (!operation) {
      const message =
        operationName === null
          ? "The query has several operations. Name one as operationName."
          : `The query has no operation ${operationName}.`;
      throw new BelayError(refuse("invalid_input", message, { field: "operationName" }));
    }
    if (!this.#sized.has(operation)) {
      const isFixed = limitOperation(this.#schema, document, operation, variables);
      if (isFixed) this.#sized.add(operation);
    }
    this.#validate(query, document);
    return { document, operation, variables };
  }

  #document(query: string): DocumentNode {
    const known = this.#known.get(query);
    if (known) return known;
    if (Buffer.byteLength(query) > QUERY_LIMITS.text) {
      const message = `The query is too long; ${QUERY_LIMITS.text} bytes are allowed. Put values into variables.`;
      throw new BelayError(refuse("too_large", message, { max: QUERY_LIMITS.text }));
    }
    const document = parseQuery(query);
    limitText(document);
    return document;
  }

  #validate(query: string, document: DocumentNode): void {
    if (this.#known.has(query)) return;
    const errors = validate(this.#schema, document, undefined, { maxErrors: 5 });
    if (errors.length > 0) throw new InvalidQuery(errors);
    if (query.length > KNOWN.length) return;
    this.#known.set(query, document);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KNOWN.texts) break;
      this.#known.delete(oldest);
    }
  }
}

/** The errors that GraphQL itself finds in a request. */
export class InvalidQuery extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super("invalid query");
    this.errors = errors;
  }
}

function parseQuery(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: QUERY_LIMITS.tokens });
  } catch (error) {
    if (error instanceof GraphQLError) throw new InvalidQuery([error]);
    throw new BelayError(
      refuse("invalid_input", "The query is not valid GraphQL. Correct its syntax."),
      error,
    );
  }
}

function readBody(body: unknown) {
  if (Array.isArray(body)) throw invalid("", "Send one query at a time, not a list.");
  if (!isRecord(body)) throw invalid("", 'Send {"query": "...", "variables": {...}}.');
  const { query, variables = null, operationName = null } = body;
  if (typeof query !== "string") throw invalid("query", "query: must be a text.");
  if (variables !== null && !isRecord(variables)) {
    throw invalid("variables", "variables: must be an object.");
  }
  if (operationName !== null && typeof operationName !== "string") {
    throw invalid("operationName", "operationName: must be a text.");
  }
  return { query, variables: variables ?? {}, operationName };
}

function invalid(field: string, message: string): BelayError {
  return new BelayError(refuse("invalid_input", message, { field }));
}
