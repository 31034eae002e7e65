/** Changes the master key of a data folder, by the environment. */
import { composeEncryption } from "../../src/compose-encryption.ts";

const [, , home = ""] = process.argv;
await composeEncryption(home, () => {}).rotate();
