import { writeFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";
import { join } from "node:path";
import { drawFlames } from "./flame-graph.ts";

/**
 * Runs work under V8's profiler and stores the result, for a browser's tools and as a page. It covers this process
 * only.
 */
export async function profileTo(
  folder: string,
  name: string,
  work: () => Promise<void>,
): Promise<string> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 200 });
  await session.post("Profiler.start");
  await work();
  const { profile }: { profile: Profiler.Profile } = await session.post("Profiler.stop");
  session.disconnect();
  writeFileSync(join(folder, `${name}.cpuprofile`), JSON.stringify(profile));
  const page = join(folder, `${name}.html`);
  writeFileSync(page, drawFlames(name, profile));
  return page;
}
