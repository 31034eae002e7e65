import { afterEach, describe, expect, it } from "vitest";
import { describeFiles } from "../../src/server/describe-files.ts";
import { filesLimit } from "../../src/service/access/files-limit.ts";
import { openServer, type TestServer } from "../http/open-server.ts";

const ANN = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;
const KB = 1024;

afterEach(() => {
  delete process.env.BELAY_FILES_LIMIT;
});

describe("the files of an owner", () => {
  it("have a limit that uploads at the same time cannot exceed, and that deletion and purge give back", async () => {
    process.env.BELAY_FILES_LIMIT = "100KB";
    const server = await openServer();
    for (const session_id of ["anns-1", "anns-2"]) {
      await server.service.call("create", { agent_name: "a", session_id }, ANN);
    }
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, nth) => upload(server, `anns-${(nth % 2) + 1}`, nth)),
    );
    const stored = answers.filter(({ status }) => status === 201);
    expect(stored.length).toBe(3);
    const refused = answers.find(({ status }) => status !== 201);
    expect([refused?.status, refused?.json]).toMatchObject([
      507,
      { error: "quota_exceeded", message: expect.stringContaining("BELAY_FILES_LIMIT") },
    ]);
    expect(await used(server)).toBe(90 * KB);
    // Nothing of a refused file is recorded.
    const { artifacts } = await server.service.call("list_artifacts", { id: "anns-1" }, ANN);
    const { artifacts: more } = await server.service.call("list_artifacts", { id: "anns-2" }, ANN);
    expect(artifacts.length + more.length).toBe(3);
    // Another owner has room of their own.
    await server.service.call(
      "create",
      { agent_name: "a", session_id: "bobs-1" },
      { ...ANN, owner: "bob" },
    );
    expect((await upload(server, "bobs-1", 1, server.tokens.bob.write)).status).toBe(201);

    const digest = /"digest":"(\w{64})"/.exec(stored[0]?.text ?? "")?.[1] ?? "";
    for (const id of ["anns-1", "anns-2"]) {
      await server.ask("DELETE", `/sessions/${id}/files/${digest}`);
    }
    expect(await used(server)).toBe(60 * KB);
    expect((await upload(server, "anns-1", 20)).status).toBe(201);
    const { store } = server.runner.context;
    const { entity_id } = await server.service.call("get", { id: "anns-1" }, ANN);
    await store.purge(entity_id, Date.now());
    expect(await used(server)).toBeLessThan(60 * KB);
  });

  it("count once with a fork that shares them, also after the first session was purged", async () => {
    process.env.BELAY_FILES_LIMIT = "100KB";
    const server = await openServer();
    const { entity_id } = await server.service.call(
      "create",
      { agent_name: "a", session_id: "anns-1" },
      ANN,
    );
    for (const nth of [1, 2, 3]) await upload(server, "anns-1", nth);
    await server.service.call("fork", { id: "anns-1", session_id: "fork-1" }, ANN);
    expect(await used(server)).toBe(90 * KB);
    await server.runner.context.store.purge(entity_id, Date.now());
    // Otherwise a fork and a purge would make room that the disk does not have.
    expect(await used(server)).toBe(90 * KB);
    expect((await upload(server, "fork-1", 4)).status).toBe(507);
  });

  it("are shown by doctor, which says when they are nearly full", async () => {
    process.env.BELAY_FILES_LIMIT = "100KB";
    const server = await openServer();
    const { store } = server.runner.context;
    expect(await describeFiles(store, "ann")).toMatchObject([{ name: "files", ok: true }]);
    await server.service.call("create", { agent_name: "a", session_id: "anns-1" }, ANN);
    await upload(server, "anns-1", 1, undefined, 99 * KB);
    const [fact] = await describeFiles(store, "ann");
    expect(fact).toMatchObject({ ok: false, fix: expect.stringContaining("BELAY_FILES_LIMIT") });
  });
});

it("the limit is a size with a unit, and nonsense is refused", () => {
  expect(filesLimit({})).toBe(20 * 2 ** 30);
  expect(filesLimit({ BELAY_FILES_LIMIT: "1.5 gb" })).toBe(1.5 * 2 ** 30);
  expect(filesLimit({ BELAY_FILES_LIMIT: "4096" })).toBe(4096);
  for (const text of ["much", "0", "-1GB", "1XB", "1e9"]) {
    expect(() => filesLimit({ BELAY_FILES_LIMIT: text })).toThrow("Give a size such as");
  }
});

function upload(server: TestServer, id: string, nth: number, token?: string, bytes = 30 * KB) {
  return server.ask("POST", `/sessions/${id}/files?name=f${nth}`, {
    body: String.fromCharCode(97 + nth).repeat(bytes),
    headers: { "content-type": "application/octet-stream" },
    ...(token !== undefined && { token }),
  });
}

async function used({ runner }: TestServer): Promise<number> {
  return (await runner.context.store.blobs?.used("ann")) ?? -1;
}
