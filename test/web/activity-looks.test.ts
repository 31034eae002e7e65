import { expect, it } from "vitest";
import { ACTIVITY_LOOKS } from "../../web/src/ui/activity-looks.ts";

it("gives every activity of a session a look of its own", () => {
  const looks = Object.values(ACTIVITY_LOOKS);
  expect(new Set(looks).size).toBe(looks.length);
});
