import { openBelay } from "../../../src/index.ts";
import { reportBack, whenAllAreReady } from "./gate.ts";

/** Updates one session so many times, as fast as it can, and reports the versions it was given. */
const [, , home = "", id = "", name = "", count = ""] = process.argv;
const belay = await openBelay({ home });
await whenAllAreReady();
const versions: number[] = [];
for (let n = 1; n <= Number(count); n += 1) {
  const { version } = await belay.update({ id, metadata: { [name]: n } });
  versions.push(version);
}
await belay.close();
reportBack({ name, versions });
