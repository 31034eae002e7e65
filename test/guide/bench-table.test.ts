import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { LATEST, readReport, renderResults, SPEED_GUIDE } from "../../bench/results-table.ts";

describe("the table of speeds in the guide", () => {
  it("is the one of the stored results", () => {
    expect(readFileSync(SPEED_GUIDE, "utf8")).toContain(renderResults(readReport(LATEST)));
  });

  it("differs from a table of other results", () => {
    const report = readReport(LATEST);
    const samples = { ...report.samples, Belay: { ...report.samples.Belay, append_rate: [1] } };
    const other = renderResults({ ...report, samples });
    expect(readFileSync(SPEED_GUIDE, "utf8")).not.toContain(other);
  });
});
