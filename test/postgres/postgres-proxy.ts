import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Between a store and its server; it can lose data. */
export interface PostgresProxy {
  readonly port: number;
  /** Cuts each connection whose answer matches, before the answer passes. */
  cutAnswers(isCut: (answer: Buffer) => boolean): void;
  /** While it swallows, nothing passes and nothing is refused: a half-open connection. */
  swallow(isSwallowing: boolean): void;
  /** Leads new connections to another server. */
  aim(target: number): void;
  close(): Promise<void>;
}

export async function openProxy(first: number): Promise<PostgresProxy> {
  let target = first;
  let isCut: (answer: Buffer) => boolean = () => false;
  let isSwallowing = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", end).on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on("data", (asked) => isSwallowing || upstream.write(asked));
    upstream.on("data", (answer) => {
      if (isCut(answer)) end();
      else if (!isSwallowing) client.write(answer);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (!address || typeof address !== "object") throw new Error("the proxy has no port");
  return {
    port: address.port,
    cutAnswers: (check) => {
      isCut = check;
    },
    aim: (next) => {
      target = next;
    },
    swallow: (swallows) => {
      isSwallowing = swallows;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
