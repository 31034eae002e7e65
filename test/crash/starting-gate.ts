import { once } from "node:events";
import type { ZodType } from "zod";
import { startWorker } from "./run-worker.ts";

/**
 * Starts a worker for each list of arguments, releases all at the same moment once all are ready, and returns their
 * reports.
 */
export async function runTogether<T>(
  workers: readonly (readonly [name: string, ...args: string[]])[],
  report: ZodType<T>,
): Promise<T[]> {
  const started = await Promise.all(
    workers.map(async ([name, ...args]) => {
      const child = await startWorker(name, args);
      const ended = once(child, "exit").then(([code]) => {
        throw new Error(`${name} ended with ${code} before it reported`);
      });
      const hear = async (): Promise<unknown> => {
        const [message] = await Promise.race([once(child, "message"), ended]);
        return message;
      };
      await hear();
      return { child, hear, ended };
    }),
  );
  const reports = started.map(async ({ child, hear, ended }) => {
    const heard = hear();
    child.send("go");
    const result = report.parse(await heard);
    child.disconnect();
    await ended.catch(() => {});
    return result;
  });
  return Promise.all(reports);
}
