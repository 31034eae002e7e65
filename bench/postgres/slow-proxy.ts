import { connect, createServer, type Socket } from "node:net";

/** Passes everything on to a port, answers with a delay: `node slow-proxy.ts PORT MS`. Prints its address. */
const [target, ms] = process.argv.slice(2).map(Number);

const server = createServer((client) => {
  const upstream = connect(target ?? 0, "127.0.0.1");
  const end = (): void => {
    client.destroy();
    upstream.destroy();
  };
  for (const socket of [client, upstream]) socket.setNoDelay().on("error", end).on("close", end);
  client.pipe(upstream);
  upstream.on("data", (answer) => delay(client, answer));
}).listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = address && typeof address === "object" ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ url: `${port}` })}\n`);
});

/** Timers of equal length keep the order of the data. */
function delay(to: Socket, data: Buffer): void {
  setTimeout(() => to.destroyed || to.write(data), ms);
}
