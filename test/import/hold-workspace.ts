import { lockWorkspace } from "../../src/integrations/copilot/copilot-place.ts";

/** Holds the lock of a workspace until it is stopped. */
lockWorkspace(process.argv[2] ?? "");
process.stdout.write("held\n");
setInterval(() => {}, 1000);
