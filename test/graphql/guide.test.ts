import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { QUERY_LIMITS } from "../../src/doors/graphql/limit-query.ts";
import { runExample } from "../guide/guide-lab.ts";
import { findBroken, listExamples, readGuide } from "../guide/read-guide.ts";
import { endAll, newPlace, type RealServer, serve } from "../serve/server-process.ts";
import { readAnswer } from "./ask-graphql.ts";

const guide = readGuide("docs/guide/graphql.md");
const place = newPlace();
let server: RealServer;
beforeAll(async () => {
  server = await serve(place);
});
afterAll(async () => {
  await server.end();
  await endAll();
  place.remove();
});

describe("docs/guide/graphql.md", () => {
  const examples = listExamples(guide);

  it("has examples", () => {
    expect(examples.length).toBeGreaterThan(2);
  });

  it.each(examples)("line $line does what it says", async ({ script, promises }) => {
    const { code, stdout, stderr } = await runExample(server, script);
    expect([code, stderr.replace(/^curl: \(28\).*\n/, "")]).toEqual([0, ""]);
    expect(stdout).not.toContain('"errors"');
    expect(findBroken(stdout, promises)).toEqual([]);
  });

  it("shows valid queries", async () => {
    const queries = [...guide.matchAll(/```graphql\n([\s\S]*?)```/g)].map(([, text]) => text);
    expect(queries).toHaveLength(2);
    for (const query of queries) {
      const { json } = await server.ask("POST", "/graphql", { body: { query } });
      // A subscription is valid, but needs a stream.
      const messages = readAnswer(json).errors.map(({ message }) => message);
      expect(messages.filter((message) => !message.startsWith("A subscription"))).toEqual([]);
    }
  });

  it("states the current limits", () => {
    const { tokens, fields, fragments, spreads, depth, schema_depth } = QUERY_LIMITS;
    const { aliases, directives, root_fields, cost } = QUERY_LIMITS;
    const number = (value: number): string => value.toLocaleString("en");
    expect(guide).toContain(
      `${QUERY_LIMITS.text / 1024} KiB, ${number(tokens)} tokens, ${fields} fields, ${fragments} fragments, ${spreads} spreads |`,
    );
    expect(guide).toContain(`| ${depth}; for introspection ${schema_depth} |`);
    expect(guide).toContain(`| ${aliases}, ${directives}, ${root_fields} |`);
    expect(guide).toContain(`| ${number(cost)} |`);
    expect(guide).toContain(`| ${number(QUERY_LIMITS.answer)} |`);
  });
});
