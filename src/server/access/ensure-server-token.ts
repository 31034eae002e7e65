import type { BelayService } from "../../service/belay-service.ts";
import type { Caller } from "../../service/service-context.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { readServerToken, writeServerToken } from "../server-files.ts";
import { admit } from "./tokens.ts";

/** One token for this person's own programs; it can only be read from this file. */
export async function ensureServerToken(
  home: string,
  store: StreamStore,
  service: BelayService,
  caller: Caller,
): Promise<void> {
  const kept = readServerToken(home);
  const admission = kept === null ? null : await admit(store, kept);
  if (admission?.owner === caller.owner && admission.scope === "admin") return;
  const wanted = { name: "server-token", scope: "admin" };
  writeServerToken(home, (await service.call("create_token", wanted, caller)).token);
}
