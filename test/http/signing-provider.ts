import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { afterAll } from "vitest";
import { CLIENT } from "./open-provider.ts";

/** A key of a provider. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function newKey(kid: string): SigningKey {
  return { kid, ...generateKeyPairSync("rsa", { modulusLength: 2048 }) };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A small OpenID provider that can be wrong in every way. It asks nobody for an account. */
export class SigningProvider {
  readonly url: string;
  /** The keys that it shows. */
  keys: readonly SigningKey[];
  /** The next id_token. */
  issue: (claims: Record<string, unknown>) => string;
  /** Answers instead of its own, by path. */
  readonly instead = new Map<string, Answer>();
  /** The bytes that it could send. */
  sent = 0;
  nonce = "";

  constructor(url: string, key: SigningKey) {
    this.url = url;
    this.keys = [key];
    this.issue = (claims) => signed(key, claims);
  }

  static async open(): Promise<SigningProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const provider = new SigningProvider(`http://127.0.0.1:${port}`, newKey("first"));
    server.on("request", (request, response) => provider.#answer(request, response));
    return provider;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "";
    const instead = this.instead.get(path);
    if (instead) {
      instead(request, response);
      return;
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(this.#own(path)));
  }

  #own(path: string): unknown {
    const { url } = this;
    if (path === METADATA) {
      return {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}${TOKEN}`,
        jwks_uri: `${url}${KEYS}`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
      };
    }
    if (path === KEYS) {
      const keys = this.keys.map(({ kid, publicKey }) => {
        return { ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" };
      });
      return { keys };
    }
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: url, sub: "bob", aud: CLIENT.id, nonce: this.nonce };
    const id_token = this.issue({ ...claims, iat: now, exp: now + 300 });
    return { access_token: "a", token_type: "bearer", id_token };
  }

  /** Sends JSON without an end at this path, as fast as it is read. */
  floods(path: string): void {
    this.instead.set(path, (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = Buffer.alloc(64 * 1024, " ");
      const more = (): void => {
        while (!response.destroyed) {
          this.sent += chunk.length;
          if (!response.write(chunk)) break;
        }
      };
      response.on("drain", more);
      more();
    });
  }

  /** Sends one byte from time to time at this path. */
  drips(path: string): void {
    this.instead.set(path, (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
    });
  }
}

export const METADATA = "/.well-known/openid-configuration";
export const KEYS = "/keys";
export const TOKEN = "/token";

/** A token with this key's signature. */
export function signed(
  { kid, privateKey }: SigningKey,
  claims: object,
  header: Readonly<Record<string, unknown>> = {},
): string {
  const text = unsigned({ alg: "RS256", kid, ...header }, claims);
  return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
}

/** A token that is signed with a shared secret. */
export function sealed(secret: string, claims: object): string {
  const text = unsigned({ alg: "HS256" }, claims);
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

export function unsigned(header: object, claims: object): string {
  return [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
}
