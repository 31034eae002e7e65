import { BelayError, refuse } from "../../../contract/errors.ts";
import { readServerAddress } from "../../../server/server-files.ts";
import type { Commands } from "../operation-command.ts";
import type { Program } from "../program.ts";
import { runOperation } from "../run-operation.ts";
import * as show from "../show/show-links.ts";

/** Pages without login that show a session. */
export const linkCommands = {
  "links add": {
    operation: "add_link",
    positional: ["id"],
    example: "belay links add agent-20260108 --until 7d",
    show: show.added,
    async afterwards({ path }, _belay, { home, terminal }) {
      if (terminal.json) return 0;
      const address = readServerAddress(home);
      terminal.write(`\n  ${address?.url ?? "http://SERVER"}${path}\n\n`);
      if (!address) terminal.note('It works while a server runs. Start one with "belay serve".');
      return 0;
    },
  },
  "links preview": {
    operation: "preview_link",
    positional: ["id"],
    example: "belay links preview agent-20260108",
    show: show.preview,
  },
  "links list": {
    operation: "list_links",
    positional: ["id"],
    example: "belay links list agent-20260108",
    show: show.links,
  },
  "links revoke": {
    operation: "revoke_link",
    positional: ["id", "link_id"],
    example: "belay links revoke agent-20260108 01a1de6a-3cff-74a1-8f0e-2b6a9d1c4e5f",
    show: show.revoked,
  },
} as const satisfies Commands;

type LinkCommand = Exclude<keyof typeof linkCommands, "links list">;

/** A public link is for everyone who has it, so it has no person and no role. */
const FOR_PEOPLE = ["--with", "--everyone", "--role"];

/** `--link` of `belay share` and `belay unshare` runs one of these commands. */
export const linkVariant = (doc: string, name: LinkCommand) => ({
  doc,
  async run(args: readonly string[], program: Program): Promise<number> {
    const wrong = FOR_PEOPLE.find((flag) =>
      args.some((arg) => arg === flag || arg.startsWith(`${flag}=`)),
    );
    if (wrong) {
      throw new BelayError(refuse("usage", `--link cannot be combined with ${wrong}.`));
    }
    const others = args.flatMap((arg) => {
      if (arg.startsWith("--link=")) return arg.slice("--link=".length);
      return arg === "--link" || arg === "--preview" ? [] : arg;
    });
    switch (name) {
      case "links add":
        return runOperation(name, linkCommands[name], others, program);
      case "links preview":
        return runOperation(name, linkCommands[name], others, program);
      case "links revoke":
        return runOperation(name, linkCommands[name], others, program);
    }
  },
});
