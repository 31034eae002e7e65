import { expect, it } from "vitest";
import { openSocket } from "../graphql/raw-socket.ts";
import { openServer } from "../http/open-server.ts";
import { until } from "../http/until.ts";

const ROOT = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;

it("a WebSocket of an admin does nothing more once the admin is a member", async () => {
  // Open connections are not checked by themselves meanwhile.
  const server = await openServer({ times: { admission_ms: 600_000 } });
  const { service } = server;
  await service.call("add_person", { name: "eve", role: "admin" }, ROOT);
  const { token } = await server.makeToken("eve", "admin");
  const socket = await openSocket(server, { authorization: `Bearer ${token}` });
  socket.say({ type: "connection_init" });
  await until(() => socket.said.length === 1);
  await service.call("add_person", { name: "eve", role: "member" }, ROOT);
  const query = 'mutation { addPerson(name: "mallory", role: ADMIN) { name } }';
  socket.say({ type: "subscribe", id: "late", payload: { query } });
  await Promise.race([socket.closed, until(() => socket.said.length > 1)]);
  const { people } = await service.call("list_people", {}, ROOT);
  expect(people.map(({ name }) => name)).not.toContain("mallory");
  expect(await socket.closed).toBe(4403);
});

it("streams of a demoted admin end within two seconds, those of others stay open", async () => {
  const server = await openServer();
  const { service } = server;
  await service.call("add_person", { name: "eve", role: "admin" }, ROOT);
  await service.call("add_person", { name: "carl" }, ROOT);
  const open = async (owner: string, scope: "read" | "write") => {
    const { token } = await server.makeToken(owner, scope);
    const socket = await openSocket(server, { authorization: `Bearer ${token}` });
    socket.say({ type: "connection_init" });
    await until(() => socket.said.length === 1);
    return socket;
  };
  const [eve, carl, ann] = [
    await open("eve", "write"),
    await open("carl", "write"),
    await open("ann", "read"),
  ];
  const ended = new Set<string>();
  for (const [name, socket] of Object.entries({ eve, carl, ann })) {
    void socket.closed.then(() => ended.add(name));
  }
  await service.call("add_person", { name: "eve", role: "member" }, ROOT);
  await service.call("add_person", { name: "carl", role: "admin" }, ROOT);
  const start = Date.now();
  expect(await eve.closed).toBe(4403);
  expect(Date.now() - start).toBeLessThan(2000);
  // More rights are no reason to end a stream.
  expect([...ended]).toEqual(["eve"]);
});

it("a new stream with the same token does not keep the streams of a demoted admin open", async () => {
  const server = await openServer({ times: { admission_ms: 300 } });
  const { service } = server;
  await service.call("add_person", { name: "eve", role: "admin" }, ROOT);
  const { token } = await server.makeToken("eve", "write");
  const open = async () => {
    const socket = await openSocket(server, { authorization: `Bearer ${token}` });
    socket.say({ type: "connection_init" });
    await until(() => socket.said.length === 1);
    return socket;
  };
  const before = await open();
  await service.call("add_person", { name: "eve", role: "member" }, ROOT);
  const after = await open();
  let isOpen = true;
  void after.closed.then(() => {
    isOpen = false;
  });
  expect(await before.closed).toBe(4403);
  expect(isOpen).toBe(true);
});
