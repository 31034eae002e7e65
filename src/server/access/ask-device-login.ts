import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { fetchLimited } from "./fetch-limited.ts";

const Started = z.object({ device_code: z.string(), user_code: z.string(), path: z.string() });
const Answer = z.union([
  z.object({ pending: z.literal(true) }),
  z.object({ owner: z.string(), token: z.string() }),
]);
const Refused = z.object({ message: z.string() });

const ASK_EVERY_MS = 2000;
const ANSWERS_WITHIN_MS = 10_000;

interface DeviceLogin {
  readonly owner: string;
  /** The file with the token. */
  readonly file: string;
}

/**
 * Logs this program in to a server elsewhere after a person has approved its code in a browser. Stores the token in a
 * file.
 */
export async function askDeviceLogin(
  home: string,
  given: string,
  show: (url: string, code: string) => void,
  askEvery = ASK_EVERY_MS,
): Promise<DeviceLogin> {
  const server = expectServer(given);
  const started = Started.safeParse(await post(server, "/login/device", { name: hostname() }));
  if (!started.success) throw strange(server);
  const { device_code, user_code, path } = started.data;
  show(`${server.origin}${path}`, user_code);
  for (;;) {
    await sleep(askEvery);
    const answer = Answer.safeParse(await post(server, "/login/device/token", { device_code }));
    if (!answer.success) throw strange(server);
    if ("pending" in answer.data) continue;
    const { owner, token } = answer.data;
    const folder = join(home, "logins");
    makeFolder(folder);
    const file = join(folder, server.host.replaceAll(/[^\w.-]/g, "_"));
    replaceFile(file, `${token}\n`);
    return { owner, file };
  }
}

/** A token would cross the network, so plain HTTP is allowed on this machine only. */
function expectServer(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : null;
  const isLocal = url !== null && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLocal)) return url;
  const message = `Invalid --url: ${given}. Use an address such as https://belay.example.com. Plain http works only for a server on this machine.`;
  throw new BelayError(refuse("usage", message));
}

async function post(server: URL, path: string, body: object): Promise<unknown> {
  const response = await fetchLimited(new URL(path, server), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    redirect: "error",
    signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
  }).catch((error: unknown) => {
    const message = `The server at ${server.origin} does not answer. Check the address.`;
    throw new BelayError(refuse("server_not_running", message), error);
  });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer;
  const refused = Refused.safeParse(answer);
  throw refused.success
    ? new BelayError(refuse("not_authenticated", refused.data.message))
    : strange(server);
}

function strange(server: URL): BelayError {
  const message = `The program at ${server.origin} does not answer like a Belay server of this version. Check the address and both versions.`;
  return new BelayError(refuse("server_not_running", message));
}
