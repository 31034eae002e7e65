import { expect, it } from "vitest";
import { createContext } from "../../src/compose-context.ts";
import { composeLogin } from "../../src/compose-login.ts";
import { createService } from "../../src/compose-service.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";

const ANN = { owner: "ann", actor: "ann", interface: "cli", trace_id: null } as const;

it("a login that was begun before a person was disabled stays invalid after the person is enabled again", async () => {
  const context = createContext(openMemoryStore());
  const service = createService(context);
  const { parts } = composeLogin({ context, self: ANN, home: "/nowhere", url: () => null });
  const enable = () => service.call("add_person", { name: "bob" }, ANN);
  const begin = async () => {
    const asker = { name: null, address: "127.0.0.1", started_at: new Date().toISOString() };
    const { device_code, user_code } = await parts.devices.start(asker);
    expect(await parts.devices.approve(user_code, "bob")).toBe(true);
    return { code: await parts.issueCode(ANN, "bob"), device_code };
  };
  await enable();
  const before = await begin();
  await service.call("disable_person", { name: "bob" }, ANN);
  await enable();
  expect(await parts.redeem(before.code)).toBeNull();
  expect(await parts.devices.take(before.device_code)).toBeNull();
  // Negative control: logins that were begun since then work.
  const since = await begin();
  expect(await parts.redeem(since.code)).toContain("belay_");
  expect(await parts.devices.take(since.device_code)).toContain("belay_");
});
