import type { HttpParts } from "../http-parts.ts";
import { type Endpoint, listEndpoints } from "../list-endpoints.ts";
import { openRoutes } from "../open-routes.ts";
import { ownRoutes } from "../streams/own-routes.ts";
import { systemRoutes } from "../system-routes.ts";
import { writeOpenApi } from "./write-open-api.ts";

/** The answer of a server of this version to GET /openapi.json, without running one. */
export function describeApi(version: string): Record<string, unknown> {
  const parts: HttpParts = { ...NOTHING, version };
  return writeOpenApi(describeEndpoints(parts), openRoutes(parts), version);
}

/** Every route that needs a token, for descriptions only. */
export function describeEndpoints(parts: HttpParts = { ...NOTHING, version: "" }): Endpoint[] {
  const system = systemRoutes(parts, { text: unused }, unused);
  return listEndpoints([...ownRoutes(parts), ...system]);
}

function unused(): never {
  throw new Error("a route that is only described was called");
}

const NOTHING: Omit<HttpParts, "version"> = {
  project: null,
  service: { call: unused },
  newId: unused,
  admit: unused,
  isAdmitted: unused,
  redeem: unused,
  issueCode: unused,
  prove: unused,
  devices: { start: unused, find: unused, approve: unused, take: unused },
  readLink: unused,
  exportAudit: unused,
  noteRefused: unused,
  noteStranger: unused,
  revoke: unused,
  watch: unused,
  followFeed: unused,
  feedEnd: unused,
  followTurn: unused,
  awaitTurn: unused,
  expectAgent: unused,
  files: { add: unused, read: unused, drop: unused },
  imports: { run: unused, receive: unused },
  graphql: { answer: unused, converse: unused },
  doors: { mcp: unused, hook: unused },
};
