import { afterAll, describe, expect, it } from "vitest";
import { processesMarked } from "../run/run-parts.ts";
import { awaitEvent, NodeLab } from "./node-lab.ts";

const lab = await NodeLab.open(6);
afterAll(() => lab.close());

describe("a node whose database is gone", () => {
  it("shuts down with an error, and ends its agents", async () => {
    const server = await lab.start(0);
    const { id, entity_id } = await lab.begin(server, "/say begun\n/slow 60000");
    await awaitEvent(server, id, "turn.part");
    expect(processesMarked(entity_id)).not.toHaveLength(0);
    await lab.postgres.stop("immediate");
    expect(await server.end()).toBeGreaterThan(0);
    expect(processesMarked(entity_id)).toHaveLength(0);
  });
});
