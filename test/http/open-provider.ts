import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { afterAll } from "vitest";

/** A real OpenID provider on this machine. It logs everyone in as `account`. */
export interface TestProvider {
  readonly issuer: string;
  account: string;
  /** How often it has asked for an account. It does not ask a browser that it remembers. */
  asked: number;
  /** Whether it refuses who comes. */
  refuses: boolean;
  /** Registers the program that people log in to, and starts to answer. */
  serve(url: string): void;
}

export const CLIENT = { id: "belay", secret: "secret-of-belay-at-the-provider" } as const;

export async function openProvider(): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${portOf(server.address())}`;
  const opened: TestProvider = {
    issuer,
    account: "bob-at-work",
    asked: 0,
    refuses: false,
    serve(url) {
      const provider = createProvider(issuer, url);
      const answer = provider.callback();
      server.on("request", (request, response) => {
        if (!request.url?.startsWith("/interaction/")) {
          answer(request, response);
          return;
        }
        opened.asked += 1;
        const result = opened.refuses
          ? { error: "access_denied", error_description: "not today" }
          : { login: { accountId: opened.account } };
        void provider.interactionFinished(request, response, result);
      });
    },
  };
  return opened;
}

function createProvider(issuer: string, url: string): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${url}/login/callback`],
        post_logout_redirect_uris: [`${url}/login`],
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
    ],
    cookies: { keys: ["only for tests"] },
    features: {
      devInteractions: { enabled: false },
      // Its own page would load fonts from elsewhere.
      rpInitiatedLogout: {
        logoutSource: (context, form) => {
          context.body = `<!doctype html><title>Log out</title><h1>Log out</h1>${form}
            <button type="submit" form="op.logoutForm" name="logout" value="yes">Yes, log out</button>`;
        },
      },
    },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    pkce: { required: () => true },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? "",
        accountId: oidc.session?.accountId ?? "",
      });
      grant.addOIDCScope("openid");
      await grant.save();
      return grant;
    },
  });
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("it has no port");
  return address.port;
}
