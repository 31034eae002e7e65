import { mkdtempSync } from "node:fs";
import { bundleCampaign } from "./bundle-campaign.ts";
import { runLane } from "./real/lane.ts";

const bundles = await bundleCampaign();
const folder = mkdtempSync("/tmp/cc-real-");
const end = performance.now() + Number(process.argv[2]);
const t = await runLane(
  {
    bundles,
    seed: 5,
    folder,
    name: "a",
    isTimeUp: () => performance.now() > end,
    control: process.argv[3] as never,
  },
  (t) =>
    console.log(
      Math.round((end - performance.now()) / 1000),
      JSON.stringify({ ...t, violations: t.violations.length }),
    ),
);
console.log(t.violations.join("\n"));
