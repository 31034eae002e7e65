import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../src/contract/events.ts";
import { LIMITS } from "../../src/contract/limits.ts";
import { evolveSession } from "../../src/core/session/evolve-session.ts";
import { jsonBytes } from "../../src/core/text-size.ts";
import { sessionIn } from "../core/session-in.ts";
import { append, perform } from "../core/session-log.ts";
import { onMemory } from "./on-memory.ts";

describe("the reason of a suspension", () => {
  it("is any text, shown until the session is resumed", async () => {
    const { service, caller } = onMemory();
    const id = "lunch-1";
    await service.call("create", { agent_name: "a", session_id: id, metadata: { k: 1 } }, caller);
    const suspended = await service.call("suspend", { id, reason: "lunch with Ann" }, caller);
    expect(suspended.metadata).toEqual({ k: 1, suspend_reason: "lunch with Ann" });
    expect((await service.call("resume", { id }, caller)).metadata).toEqual({ k: 1 });
    const again = await service.call("suspend", { id, reason: "shutdown" }, caller);
    expect(again.metadata).toMatchObject({ suspend_reason: "shutdown" });
    expect((await service.call("cancel", { id }, caller)).metadata).toEqual({ k: 1 });
  });

  it("has a limit in JSON bytes, and is not empty", async () => {
    const { service, caller } = onMemory();
    const id = "lunch-1";
    await service.call("create", { agent_name: "a", session_id: id }, caller);
    const suspend = (reason: string) => service.call("suspend", { id, reason }, caller);
    await expect(suspend("é".repeat(61))).rejects.toMatchObject({ code: "too_large" });
    await expect(suspend("\u0001".repeat(21))).rejects.toMatchObject({ code: "too_large" });
    await expect(suspend("x".repeat(121))).rejects.toMatchObject({ code: "invalid_input" });
    await expect(suspend("  ")).rejects.toMatchObject({ code: "invalid_input" });
    await suspend("é".repeat(60));
  });

  it("fits into a head that an older Belay filled with metadata", () => {
    // It wrote up to 940 bytes of metadata, without naming any key outside the head.
    const metadata = Object.fromEntries(
      Array.from({ length: 24 }, (_, nth) => [`key-${nth}`, "0123456789"]),
    );
    const filled = append(sessionIn("active"), [{ type: "session.updated", data: { metadata } }]);
    const size = jsonBytes(filled.head?.metadata);
    expect(size).toBeGreaterThan(LIMITS.METADATA_HEAD);
    const suspended = perform(filled, { type: "suspend", reason: "lunch", checkpoint_id: null });
    if ("error" in suspended) throw new Error(suspended.error);
    expect(jsonBytes(suspended.head?.metadata)).toBeLessThanOrEqual(LIMITS.METADATA_HEAD);
    const row = suspended.rows.findLast(({ kind }) => kind === "metadata");
    const kept = { ...suspended.head?.metadata, ...row?.data };
    expect(kept).toEqual(filled.head?.metadata);
    const folded = suspended.events.reduce<ReturnType<typeof evolveSession>>(
      (head, event: SessionEvent) => evolveSession(head, event),
      null,
    );
    expect(folded).toEqual(suspended.head);
  });
});
