import { z } from "zod";
import { acceptsType } from "./accepts-type.ts";
import type { HttpParts, OwnRoute } from "./http-parts.ts";
import type { SseMessage } from "./streams/answer-sse.ts";
import { answerSse } from "./streams/answer-sse.ts";
import { STREAM_TIMES } from "./streams/stream-times.ts";

const DOC = `Run a GraphQL query, mutation or subscription. schema.graphql describes the types.

With \`Accept: text/event-stream\` the answer is a stream of \`event: next\`, ended by \`event: complete\`, as graphql-sse \
describes it for distinct connections. Use this for subscriptions. Subscriptions also work over a WebSocket at this \
path, as graphql-transport-ws. Errors have \`extensions: {code, details}\`, with the codes of the rest of this API.`;

/** POST /graphql */
export function graphqlRoute({ graphql, streamTimes = STREAM_TIMES }: HttpParts): OwnRoute {
  return {
    method: "POST",
    path: "/graphql",
    doc: DOC,
    // The service checks the scope of each field.
    scope: "read",
    input: z.looseObject({
      query: z.string(),
      variables: z.record(z.string(), z.unknown()).optional(),
      operationName: z.string().optional(),
    }),
    output: z.looseObject({}),
    async handle(call) {
      const { request, reply, body, caller } = call;
      const streams = acceptsType(request.headers, "text/event-stream");
      const answer = await graphql.answer(body, caller, call, streams);
      reply.header("vary", "accept");
      if ("stream" in answer) {
        await answerSse(call, completed(answer.stream), (message) => message, streamTimes);
        return undefined;
      }
      reply.code(answer.status);
      return answer.told;
    },
  };
}

/** Sends `complete` only if the stream ended by itself. */
async function* completed(stream: AsyncIterable<object>): AsyncGenerator<SseMessage> {
  for await (const data of stream) yield { event: "next", data };
  yield { event: "complete", data: null };
}
