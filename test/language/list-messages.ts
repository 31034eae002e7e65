import { ERRORS } from "../../src/contract/errors.ts";
import { readMessages } from "./read-messages.ts";

export const MESSAGES_FILE = new URL("../../docs/messages.md", import.meta.url);

const HEAD = `# Error messages

Every error has a code for programs and a message for people. Codes are stable; messages may change. Braces contain the name of a
filled-in value. Each interface may add a next step. To regenerate this list, run \`npm run generate\`.
`;

/** The page with all current messages. */
export function listMessages(): string {
  const found = readMessages(new URL("../../src", import.meta.url).pathname).filter(
    ({ file }) => !file.startsWith("store/conformance/"),
  );
  const sections = Object.entries(ERRORS).flatMap(([code, { exit, http }]) => {
    const texts = new Set(found.filter((each) => each.code === code).map(({ text }) => text));
    if (texts.size === 0) return [];
    const lines = [...texts].sort().map((text) => `- ${text.replaceAll(/[<>|*_]/g, "\\$&")}`);
    return [`## ${code}\n\nHTTP status ${http}, exit code ${exit}.\n\n${lines.join("\n")}\n`];
  });
  return `${[HEAD, ...sections].join("\n")}`;
}
