import { describe, expect, it } from "vitest";
import { z } from "zod";
import committed from "../../openapi.json" with { type: "json" };
import about from "../../package.json" with { type: "json" };
import { OPERATIONS } from "../../src/contract/operations.ts";
import { describeApi } from "../../src/doors/http/openapi/describe-api.ts";
import { openServer } from "./open-server.ts";
import { API_ROUTES, OPEN_ROUTES, PAGE_ROUTES } from "./route-table.ts";

const Parameter = z.object({
  name: z.string(),
  in: z.enum(["path", "query", "header"]),
  required: z.boolean(),
});
const Described = z.object({
  operationId: z.string(),
  summary: z.string().min(1),
  description: z.string().min(1),
  parameters: z.array(Parameter).default([]),
  responses: z.record(z.string(), z.looseObject({})),
  security: z.array(z.unknown()).optional(),
});
const Document = z.looseObject({
  openapi: z.literal("3.1.0"),
  paths: z.record(z.string(), z.record(z.string(), Described)),
});
const { paths } = Document.parse(committed);
const described = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, each]) => ({
    ...each,
    route: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
  })),
);

describe("openapi.json", () => {
  it("is up to date (if not: npm run generate)", () => {
    expect(JSON.parse(JSON.stringify(describeApi(about.version)))).toEqual(committed);
  });

  it("is what a server answers", async () => {
    const { json } = await (await openServer()).ask("GET", "/openapi.json");
    expect(json).toEqual(committed);
  });

  it("has every route, and says which need no token", () => {
    const routes = described.map(({ route }) => route).toSorted();
    const openApi = OPEN_ROUTES.filter((route) => !PAGE_ROUTES.includes(route));
    expect(routes).toEqual([...API_ROUTES, ...openApi].toSorted());
    const open = described.filter(({ security }) => security?.length === 0);
    expect(open.map(({ route }) => route).toSorted()).toEqual(openApi.toSorted());
  });

  it("gives each operation a unique name, and those of the service their own", () => {
    const ids = described.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(Object.keys(OPERATIONS)));
  });

  it("declares every parameter of a path, and no other", () => {
    for (const { route, parameters } of described) {
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      const names = [...route.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect([route, inPath.map(({ name }) => name)]).toEqual([route, names]);
      expect(inPath.every(({ required }) => required)).toBe(true);
      const all = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(new Set(all).size).toBe(all.length);
    }
  });

  it("has no missing reference and no unused definition", () => {
    const text = JSON.stringify(committed);
    const refs = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = ""]) => ref));
    for (const ref of refs) expect([ref, find(committed, ref)]).not.toEqual([ref, undefined]);
    const named = Object.keys(committed.components.schemas).map(
      (id) => `#/components/schemas/${id}`,
    );
    expect(named.filter((ref) => !refs.has(ref))).toEqual([]);
    expect(text).not.toContain('"$defs"');
  });

  it("describes a success and the form of errors for every route", () => {
    for (const { route, responses } of described) {
      expect([route, Object.keys(responses).filter((status) => status.startsWith("2"))]).toEqual([
        route,
        [expect.any(String)],
      ]);
      expect(responses.default).toEqual({ $ref: "#/components/responses/Refused" });
    }
  });
});

function find(value: unknown, ref: string): unknown {
  return ref
    .slice(2)
    .split("/")
    .reduce<unknown>((at, key) => new Map(Object.entries(at ?? {})).get(key), value);
}
