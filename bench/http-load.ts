import { Agent, request } from "node:http";

/** The number of requests per second that a server answers to clients that each ask again at once. */
export async function requestRate(
  url: string,
  headers: Readonly<Record<string, string>>,
  { clients, ms }: { readonly clients: number; readonly ms: number },
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
