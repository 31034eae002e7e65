import { composeMigration } from "../../../src/compose-copy.ts";

const [, , from = "", to = ""] = process.argv;
await composeMigration().run({ from, to }, () => {});
