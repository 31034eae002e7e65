import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach } from "vitest";
import { z } from "zod";
import { connectDevtools, type Devtools } from "./devtools.ts";

export interface Browser {
  /** All that the page's console was told: by scripts, by errors, and by the browser itself. */
  readonly told: readonly string[];
  /** The URL of everything that the page has asked for. */
  readonly requested: readonly string[];
  /** Opens a page, and waits until it is loaded. */
  open(url: string): Promise<void>;
  /** The value of an expression in the page, of a promise what it holds. */
  evaluate(expression: string): Promise<unknown>;
  /** Waits until an expression is true in the page, and fails where it does not become so. */
  until(expression: string): Promise<void>;
  /** Writes what can be seen to a PNG file. */
  screenshot(file: string): Promise<void>;
}

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const browser of opened.splice(0)) await browser.close();
});

const ARGS = [
  "--headless",
  // It runs as root in containers, where its sandbox cannot.
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--disable-background-networking",
  "--disable-component-update",
  "--no-first-run",
  "--remote-debugging-port=0",
  "--window-size=1280,800",
  "about:blank",
];

const STARTS_WITHIN_MS = 20_000;
const BECOMES_SO_WITHIN_MS = 15_000;

/** A real Chromium that knows nothing and nobody yet. It ends with its test. */
export async function openBrowser(): Promise<Browser> {
  const folder = mkdtempSync(join(tmpdir(), "belay-browser-"));
  const chromium = spawn("chromium", [`--user-data-dir=${folder}`, ...ARGS], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(chromium, "close");
  const close = async (): Promise<void> => {
    chromium.kill("SIGKILL");
    await ended;
    // Its own children may still be writing for a moment.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  opened.push({ close });

  const address = await Promise.race([
    readAddress(chromium.stderr),
    ended.then(() => Promise.reject(new Error("chromium ended before it listened"))),
    sleep(STARTS_WITHIN_MS, undefined, { ref: false }).then(() =>
      Promise.reject(new Error("chromium does not listen")),
    ),
  ]);
  return showPage(await connectDevtools(address));
}

/** Reads on when it has found it: a browser that nobody listens to would stand still. */
function readAddress(stderr: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    createInterface({ input: stderr }).on("line", (line) => {
      const address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
}

const Evaluated = z.object({
  result: z.object({ value: z.unknown().optional() }),
  exceptionDetails: z.unknown().optional(),
});

async function showPage(devtools: Devtools): Promise<Browser> {
  const told: string[] = [];
  const requested: string[] = [];
  devtools.on("Runtime.consoleAPICalled", (said) => told.push(JSON.stringify(said)));
  devtools.on("Runtime.exceptionThrown", (said) => told.push(JSON.stringify(said)));
  devtools.on("Log.entryAdded", (said) => told.push(JSON.stringify(said)));
  devtools.on("Network.requestWillBeSent", (said) => {
    requested.push(z.object({ request: z.object({ url: z.string() }) }).parse(said).request.url);
  });
  devtools.on("Network.webSocketCreated", (said) => {
    requested.push(z.object({ url: z.string() }).parse(said).url);
  });
  for (const domain of ["Page", "Runtime", "Log", "Network"])
    await devtools.call(`${domain}.enable`);

  const evaluate = async (expression: string): Promise<unknown> => {
    const options = { expression, awaitPromise: true, returnByValue: true };
    const answer = Evaluated.parse(await devtools.call("Runtime.evaluate", options));
    if (answer.exceptionDetails === undefined) return answer.result.value;
    throw new Error(`${expression}: ${JSON.stringify(answer.exceptionDetails)}`);
  };
  return {
    told,
    requested,
    evaluate,
    async open(url) {
      const loaded = devtools.next("Page.loadEventFired");
      await devtools.call("Page.navigate", { url });
      await loaded;
    },
    async until(expression) {
      const deadline = Date.now() + BECOMES_SO_WITHIN_MS;
      while ((await evaluate(expression)) !== true) {
        if (Date.now() > deadline) {
          const text = await evaluate("document.body.innerText");
          throw new Error(`not so: ${expression}\nthe page: ${text}\nthe console: ${told}`);
        }
        await sleep(50);
      }
    },
    async screenshot(file) {
      const shot = await devtools.call("Page.captureScreenshot", { format: "png" });
      writeFileSync(file, Buffer.from(z.object({ data: z.string() }).parse(shot).data, "base64"));
    },
  };
}
