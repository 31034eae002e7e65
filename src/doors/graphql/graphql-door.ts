import { type ExecutionResult, execute, type GraphQLSchema, subscribe } from "graphql";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { Caller } from "../../service/service-context.ts";
import { AnswerRoom } from "./answer-room.ts";
import { converse, type Peer } from "./converse.ts";
import { createSchema } from "./create-schema.ts";
import { formatError, formatRefused, type OperationResult, statusOf } from "./format-errors.ts";
import type { Ask, GraphqlParts, Life } from "./graphql-parts.ts";
import { createLoaders, type Loaders } from "./loaders.ts";
import { type Query, QueryReader } from "./query-reader.ts";

/** One answer, or a stream. A client that asks for a stream always gets one, unless the request is refused. */
type GraphqlAnswer =
  | { readonly status: number; readonly told: OperationResult }
  | { readonly status: 200; readonly stream: AsyncIterable<OperationResult> };

export interface GraphqlDoor {
  /** Answers one authenticated request. */
  answer(body: unknown, caller: Caller, life: Life, streams: boolean): Promise<GraphqlAnswer>;
  /** Answers all requests of one connection, until it ends. */
  converse(peer: Peer): Promise<void>;
}

export function createGraphqlDoor(parts: GraphqlParts): GraphqlDoor {
  let made: { readonly schema: GraphQLSchema; readonly reader: QueryReader } | undefined;
  const answer: GraphqlDoor["answer"] = async (body, caller, life, streams) => {
    try {
      // Created at the first query, so that a server starts fast.
      made ??= readerOf(createSchema());
      const { schema, reader } = made;
      const query = reader.read(body);
      return await perform({ schema, parts, caller, life }, query, streams);
    } catch (error) {
      return refused(formatRefused(error, parts.report));
    }
  };
  return { answer, converse: (peer) => converse(peer, answer) };
}

function readerOf(schema: GraphQLSchema) {
  return { schema, reader: new QueryReader(schema) };
}

interface Asked {
  readonly schema: GraphQLSchema;
  readonly parts: GraphqlParts;
  readonly caller: Caller;
  readonly life: Life;
}

async function perform(
  { schema, parts, caller, life }: Asked,
  { document, operation, variables }: Query,
  streams: boolean,
): Promise<GraphqlAnswer> {
  const toResult = (result: ExecutionResult): OperationResult => present(result, parts);
  const asked = {
    schema,
    document,
    operationName: operation.name?.value,
    variableValues: variables,
    contextValue: new OwnAsk(parts, caller, life),
  };
  if (operation.operation !== "subscription") {
    const told = toResult(await execute(asked));
    // Nothing was started: a variable does not match the query.
    if (told.data === undefined) return refused(told);
    return streams ? { status: 200, stream: once(told) } : { status: 200, told };
  }
  if (!streams) {
    const message =
      'A subscription needs a stream. Send "Accept: text/event-stream", or use a WebSocket.';
    throw new BelayError(refuse("invalid_input", message));
  }
  const result = await subscribe(asked);
  if (!(Symbol.asyncIterator in result)) return refused(toResult(result));
  return { status: 200, stream: map(result, toResult, parts) };
}

/** Loaders and the signal are created on demand, because most queries need neither. */
class OwnAsk implements Ask {
  readonly parts: GraphqlParts;
  readonly caller: Caller;
  readonly room = new AnswerRoom();
  readonly #life: Life;
  #loaders: Loaders | undefined;

  constructor(parts: GraphqlParts, caller: Caller, life: Life) {
    this.parts = parts;
    this.caller = { ...caller, interface: "graphql" };
    this.#life = life;
  }

  get load(): Loaders {
    this.#loaders ??= createLoaders(this.parts.details(this.caller), this.caller.owner);
    return this.#loaders;
  }

  get signal(): AbortSignal {
    return this.#life.signal;
  }
}

function present({ data, errors }: ExecutionResult, { report }: GraphqlParts): OperationResult {
  const told = errors?.map((error) => formatError(error, report));
  return { ...(data !== undefined && { data }), ...(told && { errors: told }) };
}

function refused(told: OperationResult): GraphqlAnswer {
  return { status: statusOf(told), told };
}

async function* once(told: OperationResult): AsyncGenerator<OperationResult> {
  yield told;
}

/** A stream that fails sends an error before it ends. */
async function* map(
  results: AsyncGenerator<ExecutionResult>,
  toResult: (result: ExecutionResult) => OperationResult,
  { report }: GraphqlParts,
): AsyncGenerator<OperationResult> {
  try {
    for await (const result of results) yield toResult(result);
  } catch (error) {
    yield formatRefused(error, report);
  }
}
