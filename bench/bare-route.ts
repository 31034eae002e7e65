import { fastify } from "fastify";

/** A server of the same framework that only answers with the JSON that it was started with. */
const answer: unknown = JSON.parse(process.argv[2] ?? "{}");
const app = fastify();
app.get("/sessions/:id", async () => answer);
process.stdout.write(
  `${JSON.stringify({ url: await app.listen({ host: "127.0.0.1", port: 0 }) })}\n`,
);
