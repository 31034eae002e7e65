import { MemoryValues } from "../../src/server/access/memory-values.ts";
import { describeExpiringValues } from "../nodes/describe-expiring-values.ts";

describeExpiringValues(() => {
  let now = 0;
  const values = new MemoryValues(() => now);
  return {
    values,
    pass: async (ms) => {
      now += ms;
    },
    async fill(kind, count) {
      for (let n = 0; n < count; n++) await values.add(kind, `${n}`, "text", 60_000);
    },
  };
});
