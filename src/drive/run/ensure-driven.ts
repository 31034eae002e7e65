import { BelayError } from "../../contract/errors.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import type { Drivers } from "./drivers.ts";

/** How often a follower checks that a driver works on the message. */
const DRIVEN_CHECK_MS = 1000;

/** Takes over if the driver of a session dies. Returns a function that stops the checks; an error is reported once. */
export function ensureDriven(
  drivers: Drivers,
  find: () => Promise<FoundSession>,
  onFailure: (error: unknown) => void,
): () => void {
  const look = async (): Promise<void> => {
    try {
      const found = await find();
      const { head, stream } = found;
      if (stream.lease?.live || head.status !== "active") return;
      if (head.queue.length > 0 || head.turn) await drivers.drive(found);
    } catch (error) {
      if (error instanceof BelayError && error.code === "session_held") return;
      clearInterval(timer);
      onFailure(error);
    }
  };
  const timer = setInterval(() => void look(), DRIVEN_CHECK_MS);
  return () => clearInterval(timer);
}
