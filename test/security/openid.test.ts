import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../src/compose-store.ts";
import { findIdentity } from "../../src/server/access/find-identity.ts";
import { readOpenIdSettings } from "../../src/server/access/open-id.ts";
import { runInProcess } from "../cli/run-in-process.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { CLIENT, openProvider, type TestProvider } from "../http/open-provider.ts";
import { openServer, type TestServer } from "../http/open-server.ts";
import { fieldOf, recordOf } from "../http/streams/live-server.ts";

const ANN = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;

let provider: TestProvider;
let server: TestServer;
beforeAll(async () => {
  provider = await openProvider();
  const settings = {
    BELAY_OIDC_ISSUER: provider.issuer,
    BELAY_OIDC_CLIENT_ID: CLIENT.id,
    BELAY_OIDC_CLIENT_SECRET: CLIENT.secret,
    BELAY_OIDC_NAME: "the company",
  };
  Object.assign(process.env, settings);
  server = await openServer({ shared: true });
  for (const name of Object.keys(settings)) delete process.env[name];
  provider.serve(server.url);
  const identities = [`${provider.issuer}#bob-at-work`];
  await server.service.call("add_person", { name: "bob", identities }, ANN);
});

describe("logging in with an account of an OpenID provider", () => {
  it("logs in the person with that account, and returns the logout address", async () => {
    expect((await open("GET", "/login/options")).json).toEqual({ openid: { name: "the company" } });
    const { key, search, asked } = await logIn("bob-at-work");
    const [wanted, challenge] = ["scope", "code_challenge"].map((name) => asked.get(name));
    expect([wanted, asked.get("code_challenge_method")]).toEqual(["openid", "S256"]);
    expect([challenge, asked.get("state"), asked.get("nonce")].every(Boolean)).toBe(true);
    const done = await finish(key, search);
    expect([done.status, done.json]).toMatchObject([200, { owner: "bob", scope: "write" }]);
    const token = fieldOf(done, "token");
    expect((await server.ask("GET", "/counts", { token })).status).toBe(200);
    const id_token = fieldOf(done, "id_token");
    for (const hint of [id_token, ""]) {
      const left = await open("POST", "/login/openid/logout", { id_token: hint });
      const logout = new URL(fieldOf(left, "url"));
      expect(logout.origin).toBe(provider.issuer);
      expect(logout.searchParams.get("post_logout_redirect_uri")).toBe(`${server.url}/login`);
      expect(logout.searchParams.get("id_token_hint") ?? "").toBe(hint);
    }
    // Neither codes nor keys are in the log.
    const code = String(new URLSearchParams(search).get("code"));
    for (const secret of [key, code, token, id_token]) {
      expect(server.log()).not.toContain(secret);
    }
  });

  it("accepts an answer once, and only from the browser that started the login", async () => {
    const [first, second] = [await logIn("bob-at-work"), await logIn("bob-at-work")];
    const stolen = await finish(second.key, first.search);
    expect([stolen.status, stolen.json]).toMatchObject([401, { error: "not_authenticated" }]);
    expect((await finish(first.key, first.search)).status).toBe(200);
    expect((await finish(first.key, first.search)).status).toBe(401);
    // The code of one login is of no use in another.
    const mixed = new URLSearchParams(second.search);
    mixed.set("code", String(new URLSearchParams(first.search).get("code")));
    const wrong = await finish(second.key, `?${mixed}`);
    expect([wrong.status, wrong.json]).toMatchObject([502, { error: "login_failed" }]);
    for (const search of ["?state=nobody&code=x", "?", "?code=x"]) {
      expect((await finish(first.key, search)).status).toBe(401);
    }
  });

  it("refuses an answer with another issuer, or without one", async () => {
    const { key, search } = await logIn("bob-at-work");
    const other = new URLSearchParams(search);
    other.set("iss", "https://evil.example");
    expect((await finish(key, `?${other}`)).status).toBe(502);
  });

  it("refuses an account without a person, and names the account", async () => {
    const { key, search } = await logIn("eve-at-work");
    const refused = await finish(key, search);
    expect([refused.status, refused.json]).toMatchObject([403, { error: "not_allowed" }]);
    expect(refused.text).toContain(`--identity '${provider.issuer}#eve-at-work'`);
    // An admin copies the command, so the account must stay one argument of it.
    const hostile = await logIn("x'; touch /tmp/eve #");
    expect(recordOf((await finish(hostile.key, hostile.search)).json).message).toContain(
      `--identity '${provider.issuer}#x'\\''; touch /tmp/eve #'`,
    );
  });

  it.each(["uid=eve,ou=people,dc=example", "Eve Example", "a\\,b|c#d", "it's", "a,https://x#y"])(
    "names a command that works for the subject %j",
    async (subject) => {
      const home = temporaryFolder();
      const identity = `https://id.example.com#${subject}`;
      const store = await openStore({ home, onNotice: () => {} });
      const refused = await findIdentity(store, identity).catch((error: unknown) => error);
      const command = /belay (people .*)$/.exec(String(refused))?.[1] ?? "";
      const words = spawnSync("sh", ["-c", `printf '%s\\0' ${command}`], { encoding: "utf8" });
      const args = words.stdout.split("\0").slice(0, -1);
      const added = await runInProcess(home, args.with(2, "eve"), true);
      expect([added.code, added.stderr]).toEqual([0, ""]);
      expect(await findIdentity(store, identity)).toBe("eve");
      await store.close();
    },
  );

  it("names the flag of an invalid account", async () => {
    const args = ["people", "add", "eve", "--identity", "https://id.example.com"];
    const { stderr } = await runInProcess(temporaryFolder(), args, false);
    expect(stderr).toContain("--identity: must have the form ISSUER#SUBJECT");
  });

  it("refuses a disabled person, and an account that the provider refuses", async () => {
    await server.service.call("disable_person", { name: "bob" }, ANN);
    const { key, search } = await logIn("bob-at-work");
    expect((await finish(key, search)).status).toBe(403);
    await server.service.call("add_person", { name: "bob" }, ANN);
    provider.refuses = true;
    const denied = await logIn("bob-at-work");
    provider.refuses = false;
    const told = await finish(denied.key, denied.search);
    expect([told.status, told.json]).toMatchObject([502, { error: "login_failed" }]);
    expect(recordOf(told.json).message).toMatch(
      /^The provider "the company" .* refused the login \(access_denied\)\. /,
    );
  });

  it("needs a complete configuration, and TLS except on this machine", () => {
    const read = (BELAY_OIDC_ISSUER: string, more = {}) =>
      readOpenIdSettings({ BELAY_OIDC_ISSUER, BELAY_OIDC_CLIENT_ID: "belay", ...more });
    expect(readOpenIdSettings({})).toBeNull();
    expect(() => readOpenIdSettings({ BELAY_OIDC_ISSUER: "https://id.example" })).toThrow(/both/);
    for (const issuer of ["http://id.example", "id.example", "http://127.0.0.1.evil.example"]) {
      expect(() => read(issuer)).toThrow(/BELAY_OIDC_ISSUER must be/);
    }
    expect(() => read("https://id.example", { BELAY_PUBLIC_URL: "http://b.example" })).toThrow();
    expect(read("https://id.example/realm")?.name).toBe("id.example");
  });
});

/** Goes to the provider and back as a browser does, but for its last step. */
async function logIn(account: string) {
  provider.account = account;
  const started = await open("POST", "/login/openid", {});
  let url = fieldOf(started, "url");
  const asked = new URL(url).searchParams;
  const cookies = new Map<string, string>();
  while (!url.startsWith(`${server.url}/login/callback`)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const next = response.headers.get("location");
    if (next === null) throw new Error(`no way back: ${response.status} ${await response.text()}`);
    url = new URL(next, url).href;
  }
  return { key: fieldOf(started, "key"), search: new URL(url).search, asked };
}

function finish(key: string, search: string) {
  return open("POST", "/login/openid/finish", { key, search });
}

function open(method: string, path: string, body?: unknown) {
  return server.ask(method, path, { token: null, ...(body !== undefined && { body }) });
}
