import { z } from "zod";
import type { HttpParts } from "./doors/http/http-parts.ts";
import { DeviceLogins } from "./server/access/device-logins.ts";
import { findIdentity } from "./server/access/find-identity.ts";
import { invitePerson } from "./server/access/invite-person.ts";
import { LoginCodes } from "./server/access/login-codes.ts";
import { MemoryValues } from "./server/access/memory-values.ts";
import { OpenIdLogins, readOpenIdSettings } from "./server/access/open-id.ts";
import { createToken } from "./server/operations/token-operations.ts";
import { proveServer, readServerToken } from "./server/server-files.ts";
import { findPerson } from "./service/read/find-person.ts";
import type { Caller, ServiceContext } from "./service/service-context.ts";
import type { StreamStore } from "./store/stream-store.ts";

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

/** The owner of a login, and the time at which this person was last disabled before the login started. */
const Begun = z.object({ owner: z.string(), locked_at: z.number().nullable() });

async function readLock(store: StreamStore, owner: string): Promise<number | null> {
  return (await findPerson(store, owner))?.locked_at ?? null;
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
  /** Disabling a person ends the logins that were started before, also if the person is enabled again. */
  const begin = async (owner: string): Promise<string> =>
    JSON.stringify({ owner, locked_at: await readLock(context.store, owner) });
  const finish = async (begun: string, name?: "device"): Promise<string | null> => {
    const { owner, locked_at } = Begun.parse(JSON.parse(begun));
    return (await readLock(context.store, owner)) === locked_at ? letIn(owner, name) : null;
  };
  const issue = async (owner: string): Promise<string> => codes.issue(await begin(owner));
  return {
    path: async (owner) => `/login#${await issue(owner)}`,
    parts: {
      async redeem(code) {
        const begun = await codes.redeem(code);
        return begun === null ? null : finish(begun);
      },
      issueCode: async (caller, person) => issue(await invitePerson(context, caller, person)),
      prove(nonce) {
        const [token, address] = [readServerToken(home), url()];
        return token !== null && address !== null ? proveServer(token, address, nonce) : null;
      },
      devices: {
        start: (asker) => devices.start(asker),
        find: (user_code) => devices.find(user_code),
        approve: async (user_code, owner) => devices.approve(user_code, await begin(owner)),
        async take(device_code) {
          const taken = await devices.take(device_code);
          return taken === null || taken === "pending" ? taken : finish(taken.owner, "device");
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
