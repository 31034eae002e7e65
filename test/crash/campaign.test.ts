import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bundles } from "../campaign/bundle-campaign.ts";
import { bundleCampaign } from "../campaign/bundle-campaign.ts";
import { CONTROLS } from "../campaign/controls.ts";
import { describeFigures, readFigures, readParagraph } from "../campaign/figures.ts";
import { runReal, runRealControls } from "../campaign/real/run-real.ts";
import { runSimulated, runSimulatedControls } from "../campaign/simulated/run-simulated.ts";
import { say } from "./say.ts";

const SEED = Number(process.env.BELAY_SEED ?? Date.now() % 1_000_000);
/** Soon done. The full campaign runs every control. */
const CONTROL_SEED = 4;
/** In each data folder of a real program. */
const SESSIONS = 2;
let bundles: Bundles;

beforeAll(async () => {
  bundles = await bundleCampaign();
});
afterAll(() => rmSync(bundles.folder, { recursive: true, force: true }));

describe("a slice of the crash campaign", () => {
  it("finds nothing lost, and nothing repeated without asking, after simulated deaths", async () => {
    // No time beyond the fixed part, so that each run has the same deaths.
    const share = { seed: SEED, lanes: 1, milliseconds: 0, stride: 39 };
    const { violations, ...found } = await runSimulated(bundles, share, () => {});
    say(`simulated: ${found.scenarios} scenarios, ${found.deaths} deaths`);
    expect(violations).toEqual([]);
    expect(found).toMatchObject({ lost: 0, duplicated: 0, other: 0 });
    expect(found.deaths).toBeGreaterThan(500);
    expect(found.listed).toBeGreaterThan(0);
  });

  it("catches every setup that is broken on purpose", async () => {
    const caught = await runSimulatedControls(bundles, 1);
    expect(Object.keys(caught)).toEqual(Object.keys(CONTROLS));
    expect(Object.entries(caught).filter(([, count]) => count === 0)).toEqual([]);
  });

  it("finds nothing lost, and nothing repeated without asking, after real kills", async () => {
    const share = { seed: SEED, lanes: 1, milliseconds: 0, deaths: 5, sessions: SESSIONS };
    const { violations, ...found } = await runReal(bundles, share, () => {});
    say(`real (seed ${SEED}): ${found.scenarios} sessions, ${found.deaths} kills`);
    expect(violations).toEqual([]);
    expect(found).toMatchObject({ lost: 0, duplicated: 0, other: 0 });
    expect(found.deaths).toBeGreaterThan(4);
  });

  it("catches a store that loses acknowledged results, also with real kills", async () => {
    const control = "results are acknowledged and not kept";
    const caught = await runRealControls(bundles, CONTROL_SEED, [control], SESSIONS);
    expect(caught[control]).toBeGreaterThan(0);
  });
});

describe("the guide", () => {
  it("has the figures of the last full campaign", () => {
    expect(readParagraph()).toBe(describeFigures(readFigures()));
  });
});
