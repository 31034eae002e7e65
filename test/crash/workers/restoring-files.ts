import { openBelay } from "../../../src/index.ts";

/** Brings the files of a checkpoint back, and says so. */
const [, , home = "", id = "", name = ""] = process.argv;
await using belay = await openBelay({ home });
const { difference } = await belay.checkpoints.restore({ id, name, files: true });
process.stdout.write(`${difference?.undo}\n`);
