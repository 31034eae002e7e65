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
let bundles: Bundles;

beforeAll(async () => {
  bundles = await bundleCampaign();
});
afterAll(() => rmSync(bundles.folder, { recursive: true, force: true }));

describe("a slice of the crash campaign", () => {
  it("finds nothing lost, repeated or unasked after simulated deaths", async () => {
    const share = { seed: SEED, lanes: 1, milliseconds: 8000, stride: 13 };
    const { violations, ...found } = await runSimulated(bundles, share, () => {});
    say(`simulated (seed ${SEED}): ${found.scenarios} scenarios, ${found.deaths} deaths`);
    expect(violations).toEqual([]);
    expect(found).toMatchObject({ lost: 0, duplicated: 0, other: 0 });
    expect(found.deaths).toBeGreaterThan(500);
    expect(found.listed).toBeGreaterThan(0);
  });

  it("catches every setup that is broken on purpose", async () => {
    const caught = await runSimulatedControls(bundles, 2);
    expect(Object.keys(caught)).toEqual(Object.keys(CONTROLS));
    expect(Object.entries(caught).filter(([, count]) => count === 0)).toEqual([]);
  });

  it("finds nothing lost, repeated or unasked after real kills", async () => {
    const share = { seed: SEED, lanes: 1, milliseconds: 8000 };
    const { violations, ...found } = await runReal(bundles, share, () => {});
    say(`real (seed ${SEED}): ${found.scenarios} sessions, ${found.deaths} kills`);
    expect(violations).toEqual([]);
    expect(found).toMatchObject({ lost: 0, duplicated: 0, other: 0 });
    expect(found.deaths).toBeGreaterThan(3);
  });

  it("catches a program that acts before it says so, with real kills too", async () => {
    const caught = await runRealControls(bundles, SEED, ["the effect comes before its intent"]);
    expect(caught["the effect comes before its intent"]).toBeGreaterThan(0);
  });
});

describe("the guide", () => {
  it("says what the last full campaign has found", () => {
    expect(readParagraph()).toBe(describeFigures(readFigures()));
  });
});
