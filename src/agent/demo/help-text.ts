import { columns } from "./columns.ts";
import { directiveLines } from "./directives.ts";
import { FLAGS } from "./flags.ts";

export function helpText(): string {
  const flags = Object.entries<{ takes?: string; doc: string }>(FLAGS);
  return [
    "The demo agent speaks the Agent Client Protocol on stdin and stdout. It needs no network and no key.",
    "Write to it as you would to any agent. A line that begins with / is a directive and is performed:",
    "",
    ...directiveLines(),
    "",
    "It can misbehave in the ways that agents do:",
    "",
    ...columns(
      flags.map(([name, { takes, doc }]) => [`--${name}${takes ? ` ${takes}` : ""}`, doc]),
    ),
    "",
    "What it remembers is in $BELAY_DEMO_FOLDER, or else in demo-agent in $BELAY_HOME or ~/.belay.",
    "",
  ].join("\n");
}
