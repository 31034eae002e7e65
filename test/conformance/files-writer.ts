import { writeUntilKilled } from "../../src/store/conformance/write-until-killed.ts";
import { openFiles } from "./open-files.ts";

const [, , folder = "", ...ids] = process.argv;
await writeUntilKilled(await openFiles({ folder, isAlive: () => true }), ids);
