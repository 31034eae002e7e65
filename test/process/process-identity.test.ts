import { describe, expect, it } from "vitest";
import { checkProcess, identifyHolder } from "../../src/process/process-identity.ts";

describe("the holder of a lease", () => {
  const here = identifyHolder("here");

  it("is known to be alive or gone on its own machine", () => {
    expect(checkProcess(here)).toBe(true);
    expect(checkProcess({ ...here, start_time: 1 })).toBe(false);
    expect(checkProcess({ ...here, boot_id: "another boot" })).toBe(false);
  });

  it("is never considered gone from another machine", () => {
    const there = { ...here, machine: "another machine" };
    expect(checkProcess(there)).toBeNull();
    expect(checkProcess({ ...there, start_time: 1, boot_id: "another boot" })).toBeNull();
  });

  it("is judged by its boot id if its machine is unknown, as in data of an older Belay", () => {
    const { machine, ...older } = here;
    expect(checkProcess(older)).toBe(true);
    expect(checkProcess({ ...older, machine: null, boot_id: "another boot" })).toBe(false);
  });
});
