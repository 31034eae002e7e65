// `npm run screenshots [-- FOLDER]`: pictures of real pages of a real server. Without a folder it replaces those in the
// documents; with one it puts every page there in light, dark, narrow and small.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { findChromium } from "../test/browser/find-chromium.ts";
import {
  type Ask,
  beginCutTurn,
  CUT_SESSION,
  playPresent,
  until,
  WAITING_SESSION,
  writeAgents,
} from "./screenshots/play-present.ts";
import { TIMELINE_SESSION, writePast } from "./screenshots/write-past.ts";

const IMAGES = fileURLToPath(new URL("../docs/images/", import.meta.url));
const BIN = fileURLToPath(new URL("../bin/belay.mjs", import.meta.url));

const PAGES = {
  sessions: "/",
  session: `/s/${WAITING_SESSION}`,
  inbox: "/inbox",
  recovery: "/recovery",
  recovered: `/s/${CUT_SESSION}`,
  timeline: `/s/${TIMELINE_SESSION}/timeline`,
  past: "/past?of=OPS-118",
  numbers: "/numbers",
  share: `/s/${WAITING_SESSION}`,
  audit: `/audit-log?session=${WAITING_SESSION}`,
} as const;

/** Opens the share dialog with the preview of a public link. */
async function openShareDialog(page: Page): Promise<void> {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Share …" }).click();
  const dialog = page.getByRole("dialog", { name: "Share session" });
  await dialog.getByRole("button", { name: "New public link …" }).click();
  await dialog.getByRole("button", { name: "Create link" }).waitFor();
}

/** The pictures in README.md and docs/guide. */
const SHOWN = ["sessions", "session", "timeline", "share", "link", "audit"].flatMap((name) => [
  `${name}-light`,
  `${name}-dark`,
]);

const LOOKS = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  narrow: {
    viewport: { width: 390, height: 844 },
    colorScheme: "light",
    isMobile: true,
    hasTouch: true,
  },
  small: {
    viewport: { width: 320, height: 640 },
    colorScheme: "dark",
    isMobile: true,
    hasTouch: true,
  },
} as const;

// Its name is visible in the pictures. If it exists, another run takes pictures now.
const root = join(tmpdir(), "ann");
mkdirSync(root);
const home = join(root, ".belay");
try {
  writeAgents(home, BIN);
  await writePast(home);
  const first = await serve();
  await beginCutTurn(asking(first.url), root);
  first.process.kill("SIGKILL");
  const server = await serve();
  const ask = asking(server.url);
  await playPresent(ask, root);
  await until(async () => JSON.stringify(await ask("GET", "/approvals")).includes(CUT_SESSION));
  await ask("POST", "/people", { name: "bob", display_name: "Bob Berg" });
  await ask("POST", `/sessions/${WAITING_SESSION}/shares`, { with: "bob", role: "approver" });
  await visitAsBob(server.url, ask);
  const { path } = await ask("POST", `/sessions/${WAITING_SESSION}/links`, {});
  await photograph(server.url, { ...PAGES, link: String(path) }, process.argv[2] ?? null);
  server.process.kill("SIGTERM");
  await server.ended;
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

/** Bob reads the shared session and is refused something, so that the audit shows both. */
async function visitAsBob(url: string, ask: Ask): Promise<void> {
  const { path } = await ask("POST", "/login/links", { person: "bob" });
  const { token } = await ask("POST", "/login", { code: String(path).split("#")[1] });
  const session = `${url}/sessions/${encodeURIComponent(`local/${WAITING_SESSION}`)}`;
  const headers = { authorization: `Bearer ${token}` };
  await fetch(session, { headers });
  await fetch(`${session}/cancel`, { method: "POST", headers });
}

async function serve() {
  const env = { ...process.env, HOME: root, BELAY_HOME: home, BELAY_OWNER: "local" };
  const args = [BIN, "serve", "--port", "0", "--json", "--log", "silent"];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const { url }: { url: string } = JSON.parse(line);
    return { process: child, url, ended };
  }
  throw new Error("the server does not serve");
}

function asking(url: string): Ask {
  const authorization = `Bearer ${readFileSync(join(home, "server-token"), "utf8").trim()}`;
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return text === "" ? {} : JSON.parse(text);
  };
}

async function photograph(
  url: string,
  pages: Readonly<Record<string, string>>,
  folder: string | null,
): Promise<void> {
  mkdirSync(folder ?? IMAGES, { recursive: true });
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
  });
  for (const [look, options] of Object.entries(LOOKS)) {
    const context = await browser.newContext(options);
    const { path } = await asking(url)("POST", "/login/links");
    const page = await context.newPage();
    page.on("console", (message) => message.type() === "error" && console.error(message.text()));
    await page.goto(`${url}${path}`);
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    for (const [name, at] of Object.entries(pages)) {
      if (folder === null && !SHOWN.includes(`${name}-${look}`)) continue;
      await page.goto(`${url}${at}`);
      await page.getByRole("heading").first().waitFor();
      if (name === "share") await openShareDialog(page);
      // Animations have ended by then.
      await page.waitForTimeout(1000);
      await page.screenshot({ path: join(folder ?? IMAGES, `${name}-${look}.png`) });
    }
    await context.close();
  }
  await browser.close();
}
