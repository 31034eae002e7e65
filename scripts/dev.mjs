#!/usr/bin/env node
// `npm run dev`: serves the page from its sources, with reload, in front of a running Belay server.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PORT = 5173;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

const server = process.env.BELAY_URL ?? findServer();
if (server === null) {
  process.stderr.write("No Belay server is running. Start one with: npm start\n");
  process.exit(1);
}
const login = spawnSync(process.execPath, [join(root, "bin/belay.mjs"), "login"], {
  encoding: "utf8",
});
const [link = ""] = /https?:\/\/\S+\/login#\S+/.exec(login.stdout) ?? [];
const page = `http://127.0.0.1:${PORT}`;
process.stdout.write(`The page is at ${page}, in front of ${server}.\n`);
if (link !== "")
  process.stdout.write(`Log in once at ${link.replace(new URL(link).origin, page)}\n`);

const vite = spawn(
  process.execPath,
  [
    join(root, "node_modules/vite/bin/vite.js"),
    "web",
    "--host",
    "127.0.0.1",
    "--port",
    `${PORT}`,
    "--strictPort",
  ],
  { cwd: root, stdio: "inherit", env: { ...process.env, BELAY_DEV_SERVER: server } },
);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => vite.kill(signal));
vite.on("close", (code) => process.exit(code ?? 0));

function findServer() {
  const home = process.env.BELAY_HOME ?? join(homedir(), ".belay");
  try {
    return JSON.parse(readFileSync(join(home, "server.json"), "utf8")).url;
  } catch {
    return null;
  }
}
