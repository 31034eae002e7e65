import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { MAX_ID_TOKEN } from "../../../server/access/open-id.ts";
import type { HttpParts } from "../http-parts.ts";
import type { OpenRoute } from "../open-routes.ts";
import { readBody } from "../read-input.ts";
import { RequestPace } from "./request-pace.ts";

/** A code is the longest that anyone has to say there. */
export const SMALL_BODY_BYTES = 4 * 1024;

const Challenge = z.strictObject({ nonce: z.string().min(16).max(100) });
const Login = z.strictObject({ code: z.string().min(1).max(200) });
const Answer = z.strictObject({
  key: z.string().min(1).max(100).describe("as POST /login/openid answered"),
  search: z.string().startsWith("?").max(3000).describe("what the provider added to the address"),
});

const Device = z.strictObject({
  name: z.string().max(200).optional().describe("the name of the program or its machine"),
});
const DeviceCode = z.strictObject({ device_code: z.string().min(1).max(100) });

const Entered = z.object({ owner: z.string(), scope: z.string(), token: z.string() });
const EnteredByProvider = Entered.extend({
  id_token: z.string().describe("for POST /login/openid/logout; empty if it is too long for that"),
});
const Leaving = z.strictObject({
  id_token: z.string().max(MAX_ID_TOKEN).describe("as POST /login/openid/finish answered"),
});

/**
 * Anyone can start a login, and the oldest of 10,000 that have not finished is dropped. A login lasts ten minutes, so no
 * flood of requests to one server ends the logins of others.
 */
const STARTS = { each: 60, all: 900, span_ms: 60_000 } as const;

/** The routes by which browsers log in. */
export function loginRoutes(parts: HttpParts): OpenRoute[] {
  const pace = { openId: new RequestPace(STARTS), devices: new RequestPace(STARTS) };
  const enter = async (token: string | null): Promise<z.infer<typeof Entered>> => {
    const admission = token === null ? null : await parts.admit(token);
    if (token !== null && admission) {
      return { owner: admission.owner, scope: admission.scope, token };
    }
    const message =
      "This link has expired or was already used. Run `belay login` for a new one, or ask an admin.";
    throw new BelayError(refuse("not_authenticated", message));
  };
  return [
    {
      method: "POST",
      path: "/login",
      doc: "Log a browser in with a one-time code. Never put the code in a URL",
      input: Login,
      bodyLimit: SMALL_BODY_BYTES,
      output: Entered,
      async handle(request) {
        const login = Login.safeParse(readBody(request));
        if (!login.success) throw new BelayError(refuse("invalid_input", 'Send {"code": "..."}.'));
        return enter(await parts.redeem(login.data.code));
      },
    },
    {
      method: "POST",
      path: "/login/proof",
      doc: "Prove that this is the server of the data folder, before a program sends it a token",
      input: Challenge,
      output: z.object({ proof: z.string().nullable() }),
      async handle(request) {
        const asked = Challenge.safeParse(readBody(request));
        if (!asked.success) throw new BelayError(refuse("invalid_input", 'Send {"nonce": "..."}.'));
        return { proof: parts.prove(asked.data.nonce) };
      },
    },
    {
      method: "GET",
      path: "/login/options",
      doc: "Show how people can log in, besides with a login link",
      output: z.object({ openid: z.object({ name: z.string() }).nullable() }),
      handle: async () => ({ openid: parts.openId ? { name: parts.openId.name } : null }),
    },
    {
      method: "POST",
      path: "/login/openid",
      doc: "Start a login with the OpenID provider; the browser opens the url and stores the key",
      bodyLimit: SMALL_BODY_BYTES,
      output: z.object({ url: z.string(), key: z.string() }),
      async handle(request) {
        const openId = expectOpenId(parts);
        pace.openId.take(addressOf(request));
        return openId.start();
      },
    },
    {
      method: "POST",
      path: "/login/openid/finish",
      doc: "Finish a login with the OpenID provider, after it has sent the browser back to /login/callback",
      input: Answer,
      bodyLimit: SMALL_BODY_BYTES,
      output: EnteredByProvider,
      async handle(request) {
        const answer = Answer.safeParse(readBody(request));
        if (!answer.success) {
          throw new BelayError(refuse("invalid_input", 'Send {"key": "...", "search": "?..."}.'));
        }
        const { key, search } = answer.data;
        const { token, id_token } = await expectOpenId(parts).finish(key, search);
        return { ...(await enter(token)), id_token };
      },
    },
    {
      method: "POST",
      path: "/login/device",
      doc: "Start the login of a program without a browser: a person opens the path and approves the code",
      input: Device,
      bodyLimit: SMALL_BODY_BYTES,
      output: z.object({ device_code: z.string(), user_code: z.string(), path: z.string() }),
      async handle(request) {
        const device = Device.safeParse(readBody(request) ?? {});
        if (!device.success) throw new BelayError(refuse("invalid_input", 'Send {"name": "..."}.'));
        const address = addressOf(request);
        pace.devices.take(address);
        const name = device.data.name?.trim() || null;
        const started_at = new Date().toISOString();
        const started = await parts.devices.start({ name, address, started_at });
        return { ...started, path: `/device?code=${started.user_code}` };
      },
    },
    {
      method: "POST",
      path: "/login/device/token",
      doc: "Fetch the token of a program whose code was approved; ask again every two seconds while it is pending",
      input: DeviceCode,
      bodyLimit: SMALL_BODY_BYTES,
      output: z.union([z.object({ pending: z.literal(true) }), Entered]),
      async handle(request) {
        const asked = DeviceCode.safeParse(readBody(request));
        if (!asked.success) {
          throw new BelayError(refuse("invalid_input", 'Send {"device_code": "..."}.'));
        }
        const token = await parts.devices.take(asked.data.device_code);
        return token === "pending" ? { pending: true } : enter(token);
      },
    },
    {
      method: "POST",
      path: "/login/openid/logout",
      doc: "Show the address at which a browser also logs out of the OpenID provider",
      input: Leaving,
      bodyLimit: SMALL_BODY_BYTES,
      output: z.object({ url: z.string().nullable() }),
      async handle(request) {
        const leaving = Leaving.safeParse(readBody(request));
        if (!leaving.success) {
          throw new BelayError(refuse("invalid_input", 'Send {"id_token": "..."}.'));
        }
        return { url: await expectOpenId(parts).logoutUrl(leaving.data.id_token) };
      },
    },
  ];
}

function addressOf({ socket }: FastifyRequest): string {
  return socket.remoteAddress ?? "unknown";
}

function expectOpenId({ openId }: HttpParts): NonNullable<HttpParts["openId"]> {
  if (openId) return openId;
  const message = "This server has no OpenID provider. Log in with a login link.";
  throw new BelayError(refuse("route_not_found", message));
}
