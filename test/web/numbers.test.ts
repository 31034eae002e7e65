import { describe, expect, it } from "vitest";
import type { AgentStats } from "../../src/contract/past.ts";
import { sortAgents, writeCsv } from "../../web/src/numbers/agent-rows.ts";
import { barsOf, spansBack } from "../../web/src/numbers/day-spans.ts";
import {
  formatChange,
  formatCost,
  formatRate,
  formatSeconds,
} from "../../web/src/numbers/format-numbers.ts";

const NOW = Date.parse("2026-03-10T15:00:00Z");

function stats(rest: Partial<AgentStats> = {}): AgentStats {
  return {
    sessions: 10,
    by_status: {},
    resume_rate: 0.5,
    success_rate: 0.8,
    mean_duration_s: 20,
    median_duration_s: 10,
    turns: 30,
    errors: 1,
    cost_usd: 1.5,
    ...rest,
  };
}

describe("spans of days", () => {
  it("end today, and are compared with the same number of days before", () => {
    expect(spansBack(7, NOW)).toEqual({
      span: { from: "2026-03-04" },
      before: { from: "2026-02-25", to: "2026-03-03" },
    });
  });

  it("of all time have nothing before them", () => {
    expect(spansBack("all", NOW)).toEqual({ span: {}, before: null });
  });
});

describe("the bars of a chart", () => {
  it("stand for every day, also for days without sessions", () => {
    const bars = barsOf({ "2026-03-05": 2, "2026-03-10": 1 }, { from: "2026-03-04" }, NOW);
    expect(bars.map(({ count }) => count)).toEqual([0, 2, 0, 0, 0, 0, 1]);
    expect(bars[0]?.to).toBe("2026-03-04");
  });

  it("stand for several days each if there are too many, and lose none", () => {
    const by_day = { "2024-01-01": 3, "2025-06-01": 4, "2026-03-10": 5 };
    const bars = barsOf(by_day, {}, NOW);
    expect(bars.length).toBeLessThanOrEqual(100);
    expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(12);
    expect(bars.at(-1)).toMatchObject({ to: "2026-03-10", count: 5 });
  });

  it("start with the first session if no start is chosen", () => {
    expect(barsOf({ "2026-03-08": 1 }, {}, NOW)).toHaveLength(3);
  });
});

describe("numbers in words", () => {
  it("do not show unknown values as zero", () => {
    expect(formatRate(null)).toBe("–");
    expect(formatRate(0)).toBe("0 %");
    expect(formatSeconds(null)).toBe("–");
  });

  it("show small costs", () => {
    expect(formatCost(0.0042)).toBe("$0.0042");
    expect(formatCost(12.3)).toBe("$12.30");
  });

  it("show the earlier value", () => {
    const before = stats({ sessions: 12, success_rate: 0.75, resume_rate: null });
    expect(formatChange("sessions", stats(), before)).toBe("−2");
    expect(formatChange("success", stats(), before)).toBe("+5 points");
    expect(formatChange("turns", stats(), before)).toBe("no change");
    expect(formatChange("resumes", stats(), before)).toBeNull();
    expect(formatChange("sessions", stats(), stats({ sessions: 0 }))).toBeNull();
  });
});

describe("agents", () => {
  const by_agent = {
    b: stats({ success_rate: 0.2 }),
    a: stats({ success_rate: null }),
    c: stats({ success_rate: 0.9 }),
  };

  it("are sorted either way, with unknown values last", () => {
    const names = (descends: boolean) =>
      sortAgents(by_agent, { by: "success_rate", descends }).map(({ agent }) => agent);
    expect(names(true)).toEqual(["c", "b", "a"]);
    expect(names(false)).toEqual(["b", "c", "a"]);
  });

  it("are exported so that a spreadsheet reads them and runs nothing", () => {
    const csv = writeCsv(sortAgents({ '=cmd("x"),y': stats() }, { by: "agent", descends: false }));
    expect(csv.split("\r\n")[0]).toBe(
      "agent,sessions,resume_rate,success_rate,median_duration_s,mean_duration_s,turns,errors,cost_usd",
    );
    expect(csv.split("\r\n")[1]).toBe(`"'=cmd(""x""),y",10,0.5,0.8,10,20,30,1,1.5`);
  });
});
