import { expect, it } from "vitest";
import { OPERATIONS, type OperationName } from "../../src/contract/operations.ts";
import { onMemory } from "./on-memory.ts";

it.each<[OperationName, unknown, string]>([
  ["create", {}, "agent_name is required"],
  ["create", { agent_name: "" }, "agent_name: must not be empty"],
  ["create", { agent_name: 3 }, "agent_name: must be a text"],
  ["create", { agent_name: "a", metadata: [] }, "metadata: must be an object"],
  ["create", null, "The input must be an object"],
  ["rename", { id: "abcde", title: "" }, "title: must not be empty"],
  ["cleanup", { hours: -1 }, "hours: must be greater than 0"],
  ["list", { from: "bad" }, "from: must be a time such as 2026-01-31 or 2026-01-31T12:00:00Z"],
  ["list", { limit: 1.5 }, "limit: must be a whole number"],
  ["list", { limit: 5000 }, "limit: must be at most 1000"],
  ["list", { archived: "yes" }, "archived: must be true or false"],
  ["list", { colour: "red" }, 'Unknown parameter "colour".'],
  ["finalize", { id: "abcde" }, "outcome is required"],
  [
    "finalize",
    { id: "abcde", outcome: "x" },
    "outcome: must be one of completed, failed, abandoned",
  ],
])("a fault of %s %j is described in our words", async (name, input, message) => {
  const { service, caller } = onMemory();
  await expect(service.call(name, input, caller)).rejects.toMatchObject({ message });
});

it("no operation answers with the schema library's own text", async () => {
  const { service, caller } = onMemory();
  for (const name of Object.keys(OPERATIONS).filter(isOperation)) {
    for (const field of Object.keys(OPERATIONS[name].input.shape)) {
      for (const wrong of [undefined, null, "", [], {}, -1, 1.5, Number.NaN, "\u0000"]) {
        const said = await service.call(name, { [field]: wrong }, caller).then(
          () => "",
          ({ message }: Error) => message,
        );
        expect(said).not.toMatch(/invalid input|expected|too (small|big)|received|unrecognized/i);
      }
    }
  }
});

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}
