import { BelayError } from "../../contract/errors.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import type { Drivers } from "./drivers.ts";

/** How often it is made sure that someone works on what was sent. */
const DRIVEN_CHECK_MS = 1000;

/**
 * The driver of a session may die. What was sent is then processed here. Answers how to stop looking; where it cannot be
 * taken on, that is told once.
 */
export function keepDriven(
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
