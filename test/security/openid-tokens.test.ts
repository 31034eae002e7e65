import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MemoryValues } from "../../src/server/access/memory-values.ts";
import { OpenIdLogins, readOpenIdSettings } from "../../src/server/access/open-id.ts";
import { afterEachFile } from "../clean-up.ts";
import { CLIENT } from "../http/open-provider.ts";
import {
  KEYS,
  METADATA,
  newKey,
  SigningProvider,
  sealed,
  signed,
  TOKEN,
  unsigned,
} from "../http/signing-provider.ts";
import {
  endAll,
  newPlace,
  type RealServer,
  recordOf,
  runBelay,
  serve,
  textOf,
} from "../serve/server-process.ts";

/** A provider that is wrong, slow or not the right one lets nobody in. */

const place = newPlace();
let provider: SigningProvider;
let server: RealServer;
beforeAll(async () => {
  provider = await SigningProvider.open();
  const identity = `${provider.url}#bob`;
  expect((await runBelay(place, ["people", "add", "bob", "--identity", identity])).code).toBe(0);
  server = await serve(place, { env: environment() });
});
afterEachFile(async () => {
  await endAll();
  place.remove();
});
beforeEach(() => {
  provider.instead.clear();
  const key = newKey("current");
  provider.keys = [key];
  provider.issue = (claims) => signed(key, claims);
});

function environment() {
  return {
    BELAY_OIDC_ISSUER: provider.url,
    BELAY_OIDC_CLIENT_ID: CLIENT.id,
    BELAY_OIDC_CLIENT_SECRET: CLIENT.secret,
    BELAY_OIDC_NAME: "the company",
  };
}

describe("a login with an OpenID provider", () => {
  it("succeeds with a token that the provider has signed, also with a key that is new", async () => {
    expect(await logIn()).toMatchObject({ status: 200, json: { owner: "bob", scope: "write" } });
    const next = newKey("next");
    provider.keys = [...provider.keys, next];
    provider.issue = (claims) => signed(next, claims);
    expect((await logIn()).status).toBe(200);
  });

  it("fails with a token that the provider has not signed", async () => {
    const [current] = provider.keys;
    if (!current) throw new Error("it has a key");
    const foreign = newKey("current");
    const jwk = { ...foreign.publicKey.export({ format: "jwk" }), kid: "theirs" };
    const jku = `${provider.url}/theirs`;
    provider.instead.set("/theirs", (_, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ keys: [jwk] }));
    });
    const pem = String(current.publicKey.export({ type: "spki", format: "pem" }));
    const tokens: Readonly<Record<string, (claims: Record<string, unknown>) => string>> = {
      "another signature": (claims) => `${signed(current, claims).slice(0, -8)}AAAAAAAA`,
      "no signature": (claims) => `${unsigned({ alg: "RS256", kid: "current" }, claims)}.`,
      "no algorithm": (claims) => `${unsigned({ alg: "none" }, claims)}.`,
      "a foreign key": (claims) => signed(foreign, claims),
      "a foreign key without a name": (claims) => signed(foreign, claims, { kid: undefined }),
      "a key at an address in the token": (claims) =>
        signed(foreign, claims, { kid: "theirs", jku }),
      "a key in the token": (claims) => signed(foreign, claims, { kid: "theirs", jwk }),
      "the secret of this program": (claims) => sealed(CLIENT.secret, claims),
      "the public key as a secret": (claims) => sealed(pem, claims),
      "other claims": (claims) => {
        const [header, , signature] = signed(current, { ...claims, sub: "eve" }).split(".");
        return [header, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(
          ".",
        );
      },
    };
    for (const [what, issue] of Object.entries(tokens)) {
      provider.issue = issue;
      const { status, json } = await logIn();
      expect([what, status, json]).toMatchObject([what, 502, { error: "login_failed" }]);
    }
  });

  it("fails with a key that the provider no longer has", async () => {
    expect((await logIn()).status).toBe(200);
    const known = provider.issue;
    const next = newKey("next");
    provider.keys = [next];
    expect((await logIn()).status).toBe(502);
    provider.issue = (claims) => signed(next, claims);
    expect((await logIn()).status).toBe(200);
    provider.issue = known;
    expect((await logIn()).status).toBe(502);
  });

  it("fails with an identity that is longer than the protocol allows", async () => {
    const { issue } = provider;
    provider.issue = (claims) => issue({ ...claims, sub: "x".repeat(100_000) });
    const { status, json } = await logIn();
    expect([status, json]).toMatchObject([502, { error: "login_failed" }]);
    expect(String(recordOf(json).message).length).toBeLessThan(300);
  });

  it.each([METADATA, KEYS, TOKEN])(
    "fails soon if the provider sends %s without an end",
    async (path) => {
      for (const fault of ["floods", "drips"] as const) {
        const logins = openLogins();
        const started = await logins.start();
        provider[fault](path);
        provider.sent = 0;
        const begun = performance.now();
        const failed = await finish(logins, started).catch((error: unknown) => error);
        expect(failed).toMatchObject({ code: "login_failed" });
        const why = fault === "floods" ? /larger than 262144 bytes/ : /timed out/;
        expect(String(failed)).toMatch(why);
        expect(performance.now() - begun).toBeLessThan(5000);
        // The rest is in the buffers of the two connections.
        expect(provider.sent).toBeLessThan(16 * 1024 * 1024);
        provider.instead.clear();
        expect(await finish(logins, await logins.start())).toMatchObject({
          identity: `${provider.url}#bob`,
        });
      }
    },
  );
});

describe("a logout", () => {
  it("ends the login of a browser, and refuses the token of a program", async () => {
    const token = textOf((await logIn()).json, "token");
    const left = await server.ask("POST", "/logout", { token });
    expect(left.status).toBe(204);
    expect((await server.ask("GET", "/counts", { token })).status).toBe(401);
    const program = (await server.ask("POST", "/tokens", { body: { scope: "write" } })).json;
    const refused = await server.ask("POST", "/logout", { token: textOf(program, "token") });
    expect([refused.status, refused.json]).toMatchObject([403, { error: "not_allowed" }]);
    expect(refused.text).toContain("This token belongs to a program and stays valid");
  });
});

/** Goes to the provider and back. */
async function logIn() {
  const { json } = await server.ask("POST", "/login/openid", { body: {} });
  const asked = new URL(textOf(json, "url")).searchParams;
  provider.nonce = asked.get("nonce") ?? "";
  const search = `?code=x&state=${asked.get("state")}`;
  return server.ask("POST", "/login/openid/finish", { body: { key: textOf(json, "key"), search } });
}

function openLogins(): OpenIdLogins {
  const settings = readOpenIdSettings(environment());
  if (!settings) throw new Error("it has settings");
  return new OpenIdLogins(settings, () => server.url, new MemoryValues(Date.now), 1);
}

function finish(
  logins: OpenIdLogins,
  { url, key }: { readonly url: string; readonly key: string },
) {
  const asked = new URL(url).searchParams;
  provider.nonce = asked.get("nonce") ?? "";
  return logins.finish(key, `?code=x&state=${asked.get("state")}`);
}
