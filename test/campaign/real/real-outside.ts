import { existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { z } from "zod";
import type { Acknowledged, Effect, Outside } from "../outside.ts";

const Promised = z.object({
  session: z.string(),
  type: z.string(),
  id: z.string(),
  version: z.number(),
});

/** Two files next to the data folder. Each line is one write, so a killed process leaves it complete or not at all. */
export function openOutside(place: string): Outside {
  const world = openSync(`${place}/world`, "a");
  const promises = openSync(`${place}/acknowledged`, "a");
  return {
    effect: (name, key) => void writeSync(world, `${name} ${key ?? "-"}\n`),
    acknowledge: (one) => void writeSync(promises, `${JSON.stringify(one)}\n`),
    undoCommand: (name) => `printf '%s\\n' '${name} -' >> '${place}/world'`,
  };
}

export function readEffects(place: string): Effect[] {
  return linesOf(`${place}/world`).map((line) => {
    const [name = "", key = "-"] = line.split(" ");
    return { name, key: key === "-" ? null : key };
  });
}

export function readAcknowledged(place: string): Acknowledged[] {
  return linesOf(`${place}/acknowledged`).map((line) => Promised.parse(JSON.parse(line)));
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
}
