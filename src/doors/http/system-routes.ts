import type { ServerResponse } from "node:http";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import { PersonName } from "../../contract/operations/people-operations.ts";
import type { Caller } from "../../service/service-context.ts";
import { auditRoutes } from "./audit-routes.ts";
import { graphqlRoute } from "./graphql-route.ts";
import { hijackReply } from "./hijack-reply.ts";
import type { HttpMetrics } from "./http-metrics.ts";
import type { HttpParts, OwnRoute, RouteCall } from "./http-parts.ts";
import { SMALL_BODY_BYTES } from "./login/login-routes.ts";
import { RequestPace } from "./login/request-pace.ts";

const Link = z.strictObject({
  person: PersonName.optional().describe(
    "the person to log in; default: you. Only admins may name another person",
  ),
});

const UserCode = z.strictObject({
  user_code: z.string().regex(/^[A-Za-z]{4}-[A-Za-z]{4}$/),
});

const WaitingProgram = z.object({
  owner: z.string().describe("the person that the program would act as"),
  program: z
    .object({
      name: z.string().nullable().describe("as the program calls itself; it is not checked"),
      address: z.string().describe("the network address from which it asks"),
      started_at: z.string(),
    })
    .nullable()
    .describe("null if no program waits with this code"),
});

/** Routes of a server besides operations. */
export function systemRoutes(
  parts: HttpParts,
  metrics: Pick<HttpMetrics, "text">,
  describe: () => unknown,
): OwnRoute[] {
  const guesses = new RequestPace(WRONG_CODES);
  const mcp = async ({ request, reply, body, caller, signal }: RouteCall): Promise<void> => {
    const response = hijackReply(reply);
    signal.addEventListener("abort", () => endSoon(response));
    await parts.doors.mcp(request.raw, response, body, elsewhere(caller, "mcp"));
  };
  return [
    {
      method: "GET",
      path: "/metrics",
      doc: "Show metrics in the Prometheus format",
      scope: "admin",
      async handle({ reply }) {
        reply.type("text/plain; version=0.0.4; charset=utf-8");
        return metrics.text();
      },
    },
    {
      method: "GET",
      path: "/openapi.json",
      doc: "Describe this API",
      scope: "read",
      output: z.looseObject({}),
      handle: async () => describe(),
    },
    {
      method: "POST",
      path: "/hooks/claude-code",
      doc: "Receive a Claude Code hook call and return its response",
      scope: "record",
      takes: "text",
      input: z.looseObject({}),
      output: z.looseObject({}),
      async handle({ reply, body, caller }) {
        const printed = await parts.doors.hook(String(body), elsewhere(caller, "hook"));
        if (printed === "") return undefined;
        reply.type("application/json; charset=utf-8");
        return printed;
      },
    },
    ...(["POST", "GET", "DELETE"] as const).map((method) => ({
      method,
      path: "/mcp",
      doc: "The Model Context Protocol over streamable HTTP",
      scope: "read" as const,
      handle: mcp,
    })),
    graphqlRoute(parts),
    ...auditRoutes(parts),
    {
      method: "POST",
      path: "/login/links",
      bodyLimit: SMALL_BODY_BYTES,
      doc: "Create a link that logs in one browser, once, within ten minutes",
      // A browser's token outlives the token that requested it, like a created token does.
      scope: "admin",
      input: Link,
      output: z.object({ path: z.string() }),
      async handle({ reply, body, caller }) {
        const link = Link.safeParse(body ?? {});
        if (!link.success) throw new BelayError(refuse("invalid_input", 'Send {"person": "..."}.'));
        const path = `/login#${await parts.issueCode(caller, link.data.person)}`;
        reply.code(201);
        return { path };
      },
    },
    {
      method: "POST",
      path: "/login/device/find",
      bodyLimit: SMALL_BODY_BYTES,
      doc: "Show which program waits with this code, before a person approves its login",
      scope: "write",
      input: UserCode,
      output: WaitingProgram,
      async handle(call) {
        const user_code = expectCode(call);
        const { owner } = call.caller;
        guesses.take(owner);
        const program = await parts.devices.find(user_code);
        if (program) guesses.giveBack(owner);
        return { owner, program };
      },
    },
    {
      method: "POST",
      path: "/login/device/approve",
      bodyLimit: SMALL_BODY_BYTES,
      doc: "Approve the login of the program that shows this code, as the person who is logged in to this browser",
      scope: "write",
      input: UserCode,
      output: z.object({ approved: z.boolean() }),
      async handle(call) {
        const user_code = expectCode(call);
        const { owner } = call.caller;
        guesses.take(owner);
        const approved = await parts.devices.approve(user_code, owner);
        if (approved) guesses.giveBack(owner);
        return { approved };
      },
    },
    {
      method: "POST",
      path: "/logout",
      bodyLimit: SMALL_BODY_BYTES,
      doc: "Log this browser out by revoking its token. The token of a program is refused",
      scope: "read",
      async handle({ request, admission }) {
        const { token_id, browser } = admission;
        if (!browser && request.admitted?.by !== "page") throw notOfBrowser(token_id);
        await parts.revoke(token_id);
        return undefined;
      },
    },
  ];
}

/** A program that logs out may share its token with others. */
function notOfBrowser(token_id: string): BelayError {
  const message = `Only a browser logs out here. This token belongs to a program and stays valid. To revoke it, an admin sends DELETE /tokens/${token_id}.`;
  return new BelayError(refuse("not_allowed", message, { token_id }));
}

/** The code of a request from a logged-in browser. */
function expectCode({ body, admission }: Pick<RouteCall, "body" | "admission">): string {
  const code = UserCode.safeParse(body ?? {});
  if (!code.success) {
    throw new BelayError(
      refuse("invalid_input", "Invalid code. A code has 8 letters, such as BCDF-GHJK."),
    );
  }
  // A token that was given to a program cannot make another one that outlives it.
  if (!admission.browser) {
    const message =
      "Only a logged-in browser can approve the login of a program. Open this address in a browser and log in.";
    throw new BelayError(refuse("not_allowed", message));
  }
  return code.data.user_code.toUpperCase();
}

/** A person who guesses the code of somebody else's program would log it in under their own name. */
const WRONG_CODES = { each: 20, all: 10_000, span_ms: 10 * 60_000 } as const;

const LINGER_MS = 1000;

/** An answer may finish; a stream has no end of its own, so it is closed after a moment. */
function endSoon(response: ServerResponse): void {
  if (!response.closed) setTimeout(() => response.destroy(), LINGER_MS).unref();
}

/** An agent that uses another interface works in its own folder, not in the server's. */
function elsewhere(caller: Caller, door: "mcp" | "hook"): Caller {
  return { ...caller, interface: door, project: null };
}
