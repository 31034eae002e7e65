import { Agent, get } from "node:http";

/** How many requests per second a server answers to clients that each ask again at once. */
export async function requestRate(
  url: string,
  headers: Readonly<Record<string, string>>,
  { clients, ms }: { readonly clients: number; readonly ms: number },
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const began = performance.now();
  let answered = 0;
  const ask = async (): Promise<void> => {
    while (performance.now() - began < ms) {
      await askOnce(url, headers, agent);
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
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      response.resume().on("end", resolve);
    });
    request.on("error", reject);
  });
}
