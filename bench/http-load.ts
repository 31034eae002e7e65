import { Agent, request } from "node:http";
import { processorMs, type Served } from "./served.ts";

/** Clients that each ask again at once, for some time. */
interface Load {
  readonly clients: number;
  readonly ms: number;
}

/** The rate of a server, and the processor time that it uses for one request. */
export async function measureLoad(
  { url, pid }: Served,
  path: string,
  headers: Readonly<Record<string, string>>,
  load: Load,
  body: string | null = null,
): Promise<{ readonly rate: number; readonly processor_ms: number }> {
  const [before, began] = [processorMs(pid), performance.now()];
  const rate = await requestRate(`${url}${path}`, headers, load, body);
  const answered = (rate * (performance.now() - began)) / 1000;
  return { rate, processor_ms: (processorMs(pid) - before) / answered };
}

/** The number of requests per second that a server answers. */
export async function requestRate(
  url: string,
  headers: Readonly<Record<string, string>>,
  { clients, ms }: Load,
  /** Posted as JSON; without one it is a GET. */
  body: string | null = null,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const began = performance.now();
  let answered = 0;
  const ask = async (): Promise<void> => {
    while (performance.now() - began < ms) {
      await askOnce(url, headers, agent, body);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, ask));
  const seconds = (performance.now() - began) / 1000;
  agent.destroy();
  return answered / seconds;
}

function askOnce(
  url: string,
  headers: Readonly<Record<string, string>>,
  agent: Agent,
  body: string | null,
): Promise<void> {
  const sent =
    body === null
      ? { method: "GET", headers }
      : {
          method: "POST",
          headers: {
            ...headers,
            "content-type": "application/json",
            "content-length": `${Buffer.byteLength(body)}`,
          },
        };
  return new Promise((resolve, reject) => {
    const asked = request(url, { ...sent, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      response.resume().on("end", resolve);
    });
    asked.on("error", reject);
    asked.end(body ?? undefined);
  });
}
