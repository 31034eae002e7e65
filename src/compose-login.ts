import type { HttpParts } from "./interfaces/http/http-parts.ts";
import { DeviceLogins } from "./server/access/device-logins.ts";
import { findIdentity } from "./server/access/find-identity.ts";
import { invitePerson } from "./server/access/invite-person.ts";
import { LoginCodes } from "./server/access/login-codes.ts";
import { MemoryValues } from "./server/access/memory-values.ts";
import { OpenIdLogins, readOpenIdSettings } from "./server/access/open-id.ts";
import { createToken } from "./server/operations/token-operations.ts";
import { proveServer, readServerToken } from "./server/server-files.ts";
import type { Caller, ServiceContext } from "./service/service-context.ts";

interface LoginDeps {
  readonly context: ServiceContext;
  readonly self: Caller;
  readonly home: string;
  /** Null before the server has an address. */
  url(): string | null;
}

interface Login {
  readonly parts: Pick<HttpParts, "redeem" | "issueCode" | "prove" | "openId" | "devices">;
  /** A new link that lets one browser in as this owner, once. */
  path(owner: string): Promise<string>;
}

/** Composes the ways to log in: one-time links, and accounts of an OpenID provider. */
export function composeLogin({ context, self, home, url }: LoginDeps): Login {
  const values = context.store.nodes?.values ?? new MemoryValues(Date.now);
  const codes = new LoginCodes(values);
  const settings = readOpenIdSettings(process.env);
  const logins = settings && new OpenIdLogins(settings, () => url() ?? "", values);
  const devices = new DeviceLogins(values);
  const letIn = async (owner: string, name: "browser" | "device" = "browser"): Promise<string> => {
    const wanted = { name, scope: "write", owner, idle_days: 30 } as const;
    return (await createToken(context, wanted, self, name === "browser")).token;
  };
  return {
    path: async (owner) => `/login#${await codes.issue(owner)}`,
    parts: {
      async redeem(code) {
        const owner = await codes.redeem(code);
        return owner === null ? null : letIn(owner);
      },
      issueCode: async (caller, person) => codes.issue(await invitePerson(context, caller, person)),
      prove(nonce) {
        const [token, address] = [readServerToken(home), url()];
        return token !== null && address !== null ? proveServer(token, address, nonce) : null;
      },
      devices: {
        start: (asker) => devices.start(asker),
        find: (user_code) => devices.find(user_code),
        approve: (user_code, owner) => devices.approve(user_code, owner),
        async take(device_code) {
          const taken = await devices.take(device_code);
          return taken === null || taken === "pending" ? taken : letIn(taken.owner, "device");
        },
      },
      ...(logins && {
        openId: {
          name: logins.name,
          start: () => logins.start(),
          async finish(key, search) {
            const { identity, id_token } = await logins.finish(key, search);
            return { token: await letIn(await findIdentity(context.store, identity)), id_token };
          },
          logoutUrl: (id_token) => logins.logoutUrl(id_token),
        },
      }),
    },
  };
}
