import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../../bin/belay.mjs", import.meta.url));

/** Runs a command at a terminal, and types the keys each time it asks a question. */
export async function typeAnswer(
  { root, home }: { readonly root: string; readonly home: string },
  args: readonly string[],
  keys: string,
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const command = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", `exec ${command}`, "/dev/null"], {
    cwd: root,
    env: { PATH: process.env.PATH ?? "", HOME: root, BELAY_HOME: home, TERM: "xterm" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  let screen = "";
  for await (const chunk of child.stdout) {
    const before = prompts(screen);
    screen += chunk;
    if (prompts(screen) > before) child.stdin.write(keys);
  }
  const [code] = await ended;
  return { code, screen };
}

function prompts(screen: string): number {
  return screen.split("[y/N]").length;
}
