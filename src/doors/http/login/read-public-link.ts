import { z } from "zod";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { LogEvent } from "../../../contract/session.ts";
import type { HttpParts } from "../http-parts.ts";
import type { OpenRoute } from "../open-routes.ts";
import { readBody } from "../read-input.ts";
import { SMALL_BODY_BYTES } from "./login-routes.ts";

const Asked = z.strictObject({
  link: z.string().min(1).max(100).describe("the part after the # of its address"),
  before: z.number().int().min(1).optional().describe("the next_cursor of the page before"),
});

const PAGE = 200;

/** POST /link, for the page of a public link. Its secret must not be in a URL. */
export function readPublicLink(parts: HttpParts): OpenRoute {
  return {
    method: "POST",
    path: "/link",
    doc: "Read the session that a public link shows, newest events first, with its secrets hidden",
    input: Asked,
    bodyLimit: SMALL_BODY_BYTES,
    output: z.object({
      title: z.string().nullable(),
      agent_name: z.string(),
      status: z.string(),
      created_at: z.string(),
      until: z.string(),
      events: z.array(LogEvent.omit({ hash: true })),
      next_cursor: z.number().int().nullable().describe("the value of before for the next page"),
    }),
    async handle(request) {
      const asked = Asked.safeParse(readBody(request));
      if (!asked.success) throw new BelayError(refuse("invalid_input", 'Send {"link": "..."}.'));
      const page = await parts.readLink(asked.data.link, asked.data.before, PAGE);
      const { title, agent_name, status, created_at, until, events, next_cursor } = page;
      return { title, agent_name, status, created_at, until, events, next_cursor };
    },
  };
}
