import type { HttpAddress } from "./create-server.ts";

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** The names under which this server is reached. A page that points a foreign name here is not among them. */
export class OwnHosts {
  readonly #allowed: ReadonlySet<string>;
  readonly #tls: boolean;
  /** All valid values of the header for the port on which the last request arrived. */
  #valid: { readonly port: number; readonly hosts: ReadonlySet<string> } | null = null;

  constructor({ host, allowedHosts = [], tls }: HttpAddress) {
    const names = [...allowedHosts, ...ownName(host)];
    this.#allowed = new Set(names.map((name) => name.toLowerCase()));
    this.#tls = Boolean(tls);
  }

  includes(host: string, port: number): boolean {
    if (this.#valid?.port !== port) this.#valid = { port, hosts: this.#validAt(port) };
    return this.#valid.hosts.has(host.toLowerCase());
  }

  #validAt(port: number): Set<string> {
    const standard = port === (this.#tls ? 443 : 80);
    const names = [...LOOPBACK, ...this.#allowed];
    return new Set([
      ...this.#allowed,
      ...names.map((name) => `${name}:${port}`),
      ...(standard ? names : []),
    ]);
  }

  /** True if a page of this origin came from the requested host itself; another port is another origin. */
  isOrigin(origin: string, host: string): boolean {
    if (origin === `${this.#tls ? "https" : "http"}://${host}`) return true;
    // A proxy may add TLS in front of this server, but not for this machine's own names.
    const [name = ""] = host.split(/:(?=\d+$)/);
    return origin === `https://${host}` && !LOOPBACK.includes(name);
  }
}

/** The name by which other machines reach it; a wildcard address is not a name. */
function ownName(host: string): string[] {
  const isSaid = /^(localhost|127\..*|::1|0\.0\.0\.0|::)$/.test(host);
  return isSaid ? [] : [host.includes(":") ? `[${host}]` : host];
}
