import { randomBytes } from "node:crypto";
import type { Configuration } from "openid-client";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import { digestOf, isDigestOf } from "../../service/access/secret-digest.ts";
import type { ExpiringValues } from "../../store/expiring-values.ts";
import { fetchLimited } from "./fetch-limited.ts";

/** The settings for login with accounts of an OpenID provider. */
interface OpenIdSettings {
  readonly issuer: URL;
  readonly client_id: string;
  /** Null for a client that has only PKCE. */
  readonly client_secret: string | null;
  /** The label of the button. */
  readonly name: string;
  /** The address of this server for browsers; null: its own address. */
  readonly public_url: string | null;
}

/** An error code of the protocol. Other text of an address is not repeated. */
const CODE = /^[a-z_]{1,64}$/;

type Environment = Readonly<Record<string, string | undefined>>;

/** Null without settings. Throws if the settings are incomplete or unsafe. */
export function readOpenIdSettings(env: Environment): OpenIdSettings | null {
  const { BELAY_OIDC_ISSUER: issuer, BELAY_OIDC_CLIENT_ID: client_id } = env;
  if (!issuer && !client_id) return null;
  if (!issuer || !client_id) {
    throw wrong("Set both BELAY_OIDC_ISSUER and BELAY_OIDC_CLIENT_ID, or neither.");
  }
  const public_url = env.BELAY_PUBLIC_URL || null;
  return {
    issuer: expectSafe("BELAY_OIDC_ISSUER", issuer),
    client_id,
    client_secret: env.BELAY_OIDC_CLIENT_SECRET || null,
    name: env.BELAY_OIDC_NAME || new URL(issuer).hostname,
    public_url: public_url && expectSafe("BELAY_PUBLIC_URL", public_url).origin,
  };
}

/** Codes and tokens cross the network, so plain HTTP is allowed on this machine only. */
function expectSafe(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url)))) {
    return url;
  }
  throw wrong(`${name} must be an address such as https://id.example.com, not ${text}.`);
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}

function wrong(message: string): BelayError {
  return new BelayError(refuse("usage", message));
}

const PendingLogin = z.object({
  /** The digest of the key that only the browser which started the login has. */
  digest: z.string(),
  nonce: z.string(),
  verifier: z.string(),
});

const KIND = "openid login";
const VALID_MS = 10 * 60_000;
const PROVIDER_SECONDS = 10;
/** As OpenID Connect defines it. */
const LONGEST_SUBJECT = 255;
/** It becomes a part of an address. */
export const MAX_ID_TOKEN = 3000;

/** Logs people in with accounts of an OpenID provider. A login under way lasts ten minutes, and works once, on every node. */
export class OpenIdLogins {
  readonly #settings: OpenIdSettings;
  readonly #ownUrl: () => string;
  readonly #values: ExpiringValues;
  readonly #seconds: number;
  #provider: Promise<Configuration> | null = null;

  /** Each answer of the provider may take this many seconds. */
  constructor(
    settings: OpenIdSettings,
    ownUrl: () => string,
    values: ExpiringValues,
    seconds = PROVIDER_SECONDS,
  ) {
    this.#seconds = seconds;
    this.#settings = settings;
    this.#ownUrl = ownUrl;
    this.#values = values;
  }

  get name(): string {
    return this.#settings.name;
  }

  /** Starts a login: the address for the browser, and a key that it must return, so that no other browser can finish the login. */
  async start(): Promise<{ readonly url: string; readonly key: string }> {
    const oidc = await import("openid-client");
    const provider = await this.#discover();
    const verifier = oidc.randomPKCECodeVerifier();
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
    const key = randomBytes(32).toString("base64url");
    const pending = JSON.stringify({ digest: digestOf(key), nonce, verifier });
    await this.#values.add(KIND, digestOf(state), pending, VALID_MS);
    const url = oidc.buildAuthorizationUrl(provider, {
      redirect_uri: this.#address("/login/callback"),
      scope: "openid",
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
      nonce,
    });
    return { url: url.href, key };
  }

  /** Checks the answer of the provider, which works once, and returns the account as ISSUER#SUBJECT, with its proof. */
  async finish(
    key: string,
    search: string,
  ): Promise<{ readonly identity: string; readonly id_token: string }> {
    const oidc = await import("openid-client");
    const state = new URLSearchParams(search).get("state") ?? "";
    const found = await this.#values.read(KIND, digestOf(state));
    const pending = found === null ? null : PendingLogin.parse(JSON.parse(found));
    const isOurs = pending !== null && isDigestOf(pending.digest, key);
    if (!isOurs || (await this.#values.take(KIND, digestOf(state))) === null) {
      const message = "This login has expired or was started in another browser. Log in again.";
      throw new BelayError(refuse("not_authenticated", message));
    }
    // With the keys that the provider has now, because it may have replaced one that became known.
    this.#provider = null;
    const provider = await this.#discover();
    const answered = new URL(`${this.#address("/login/callback")}${search}`);
    const tokens = await oidc
      .authorizationCodeGrant(provider, answered, {
        pkceCodeVerifier: pending.verifier,
        expectedState: state,
        expectedNonce: pending.nonce,
        idTokenExpected: true,
      })
      .catch((error: unknown) => {
        throw this.#failed("refused the login", error);
      });
    const claims = tokens.claims();
    if (!claims || claims.sub.length > LONGEST_SUBJECT) {
      throw this.#failed("sent no valid identity", null);
    }
    const { id_token = "" } = tokens;
    return {
      identity: `${claims.iss}#${claims.sub}`,
      id_token: id_token.length > MAX_ID_TOKEN ? "" : id_token,
    };
  }

  /** The address at which a browser also logs out of the provider, which knows the login by its `id_token`; null if the provider has none. */
  async logoutUrl(id_token: string): Promise<string | null> {
    const oidc = await import("openid-client");
    const provider = await this.#discover();
    if (provider.serverMetadata().end_session_endpoint === undefined) return null;
    return oidc.buildEndSessionUrl(provider, {
      post_logout_redirect_uri: this.#address("/login"),
      ...(id_token !== "" && { id_token_hint: id_token }),
    }).href;
  }

  #address(path: string): string {
    return `${this.#settings.public_url ?? this.#ownUrl()}${path}`;
  }

  /** Reads the metadata of the provider once, and again after a failure and at the end of a login. */
  #discover(): Promise<Configuration> {
    this.#provider ??= this.#ask().catch((error: unknown) => {
      this.#provider = null;
      throw this.#failed("does not answer", error);
    });
    return this.#provider;
  }

  async #ask(): Promise<Configuration> {
    const oidc = await import("openid-client");
    const { issuer, client_id, client_secret } = this.#settings;
    const proof = client_secret === null ? oidc.None() : oidc.ClientSecretBasic(client_secret);
    const insecure = issuer.protocol === "http:" ? [oidc.allowInsecureRequests] : [];
    return oidc.discovery(issuer, client_id, undefined, proof, {
      // Otherwise the signature of a token that comes from the provider itself would not be checked.
      execute: [oidc.enableNonRepudiationChecks, ...insecure],
      timeout: this.#seconds,
      [oidc.customFetch]: (url, { body = null, ...options }) => {
        const signal = AbortSignal.timeout(this.#seconds * 1000);
        return fetchLimited(url, { ...options, body, signal });
      },
    });
  }

  #failed(what: string, error: unknown): BelayError {
    const why = error instanceof Error ? ` (${describeFailure(error)})` : "";
    const { name, issuer } = this.#settings;
    const message = `The provider "${name}" (${issuer.href}) ${what}${why}. Log in again, or ask an admin for a login link.`;
    return new BelayError(refuse("login_failed", message), error);
  }
}

/** The provider's own code, such as access_denied, if it has sent one. */
function describeFailure(error: Error): string {
  const isCode = "error" in error && typeof error.error === "string" && CODE.test(error.error);
  return isCode ? String(error.error) : error.message;
}
