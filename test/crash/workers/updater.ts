import { BelayError, openBelay } from "../../../src/index.ts";
import { reportBack, whenAllAreReady } from "./gate.ts";

/**
 * Updates one session this many times, as fast as it can, and reports the versions. The control "giving-up" insists on
 * the version it has read and drops refused updates.
 */
const [, , home = "", id = "", name = "", count = "", mode = "honest"] = process.argv;
const belay = await openBelay({ home });
await whenAllAreReady();
const versions: number[] = [];
for (let n = 1; n <= Number(count); n += 1) {
  const update = { id, metadata: { [name]: n } };
  const version =
    mode === "giving-up" ? await insist(update) : (await belay.sessions.update(update)).version;
  if (version !== null) versions.push(version);
}
await belay.close();
reportBack({ name, versions });

async function insist(update: Parameters<typeof belay.sessions.update>[0]): Promise<number | null> {
  const { version: expected_version } = await belay.sessions.get({ id });
  try {
    return (await belay.sessions.update({ ...update, expected_version })).version;
  } catch (error) {
    if (error instanceof BelayError && error.code === "version_conflict") return null;
    throw error;
  }
}
