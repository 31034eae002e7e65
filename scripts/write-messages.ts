import { writeFileSync } from "node:fs";
import { listMessages, MESSAGES_FILE } from "../test/language/list-messages.ts";

writeFileSync(MESSAGES_FILE, listMessages());
