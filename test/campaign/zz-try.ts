import { bundleCampaign } from "/work/main/test/campaign/bundle-campaign.ts";

console.log(JSON.stringify(await bundleCampaign()));
