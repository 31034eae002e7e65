import { openBelay } from "../../../src/index.ts";

/** Restores the files of a checkpoint, and reports that. */
const [, , home = "", id = "", name = ""] = process.argv;
await using belay = await openBelay({ home });
const { difference } = await belay.checkpoints.restore({ id, name, files: true });
process.stdout.write(`${difference?.undo}\n`);
