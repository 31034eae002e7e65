import { expect, it } from "vitest";
import { as, onMemory } from "../service/on-memory.ts";
import { openServer } from "./open-server.ts";

it("whoami tells the user of a data folder that no token limits them", async () => {
  const { service, caller } = onMemory();
  const alone = { owner: "ann", display_name: null, role: null, token: null };
  expect(await service.call("whoami", {}, caller)).toEqual(alone);
  await service.call("add_person", { name: "bob", display_name: "Bob Berg" }, caller);
  const onRecord = { owner: "ann", display_name: "ann", role: "admin", token: null };
  expect(await service.call("whoami", {}, caller)).toEqual(onRecord);
  expect(await service.call("whoami", {}, as("bob", "cli"))).toMatchObject({ role: "member" });
});

it("whoami tells the holder of a token who they are and what the token allows", async () => {
  const server = await openServer();
  const ask = async (token: string) => (await server.ask("GET", "/whoami", { token })).json;
  const token = (name: string, scope: string) => ({ name, scope });
  expect(await ask(server.tokens.bob.read)).toEqual({
    ...{ owner: "bob", display_name: null, role: null },
    token: token("bob-read", "read"),
  });
  for (const person of [
    { name: "ann", display_name: "Ann Aas", role: "admin" },
    { name: "bob", display_name: "Bob Berg", role: "member" },
  ]) {
    await server.service.call("add_person", person, as("ann", "cli"));
  }
  expect(await ask(server.tokens.ann.write)).toEqual({
    ...{ owner: "ann", display_name: "Ann Aas", role: "admin" },
    token: token("ann-write", "write"),
  });
  // A member's token never allows more than scope write.
  expect(await ask(server.tokens.bob.admin)).toEqual({
    ...{ owner: "bob", display_name: "Bob Berg", role: "member" },
    token: token("bob-admin", "write"),
  });
  // An agent records for a person, and learns nothing about them.
  expect(await ask(server.tokens.ann.record)).toEqual({
    ...{ owner: "ann", display_name: null, role: null },
    token: token("ann-record", "record"),
  });
  expect((await server.ask("GET", "/whoami", { token: null })).status).toBe(401);
});
