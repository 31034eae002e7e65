import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { afterAll, afterEach, expect } from "vitest";
import { PATIENCE_MS } from "../patience.ts";
import { findChromium } from "./find-chromium.ts";

/** A person with a fresh browser. It is closed with its test. */
export interface Visitor {
  readonly context: BrowserContext;
  /** Errors and warnings on the console: from scripts, the browser, and every violation of a page's policy. */
  readonly told: readonly string[];
  /** The URLs of all requests. */
  readonly requested: readonly string[];
  /** Declares an expected console message. Any other fails the test. */
  expects(pattern: RegExp): void;
}

const ARGS = [
  // It runs as root in containers, where its sandbox does not work.
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--disable-background-networking",
  "--disable-component-update",
  "--no-first-run",
];

/** One for all tests of a file, because it takes a second to start. */
let browser: Promise<Browser> | null = null;
const visitors: { readonly visitor: Visitor; readonly expected: readonly RegExp[] }[] = [];

afterEach(async ({ task }) => {
  const here = visitors.splice(0);
  if (task.result?.state === "fail") {
    const pages = here.flatMap(({ visitor }) => visitor.context.pages());
    for (const page of pages) console.error(await describePage(page));
  }
  await Promise.all(here.map(({ visitor }) => visitor.context.close()));
  for (const { visitor, expected } of here) {
    const surprises = visitor.told.filter((said) => !expected.some((each) => each.test(said)));
    expect(surprises).toEqual([]);
  }
});
afterAll(async () => {
  await (await browser)?.close();
});

export async function openBrowser(options: BrowserContextOptions = {}): Promise<Visitor> {
  browser ??= chromium.launch({ executablePath: findChromium(), args: ARGS });
  const context = await (await browser).newContext({
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const told: string[] = [];
  const requested: string[] = [];
  const expected: RegExp[] = [];
  await context.addInitScript(REPORT_BREACHES);
  context.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    told.push(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  context.on("weberror", (error) => told.push(`thrown: ${error.error().stack}`));
  context.on("request", (request) => requested.push(request.url()));
  context.on("page", (page) => {
    page.on("websocket", (socket) => requested.push(socket.url()));
    page.on("dialog", (dialog) => {
      told.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  const visitor: Visitor = {
    context,
    told,
    requested,
    expects: (pattern) => void expected.push(pattern),
  };
  visitors.push({ visitor, expected });
  return visitor;
}

/** Shows why a test has failed. */
async function describePage(page: Page): Promise<string> {
  const text = await page.evaluate("document.body.innerText").catch(String);
  return `${page.url()} shows:\n${text}`.slice(0, 5000);
}

const REPORT_BREACHES = `addEventListener("securitypolicyviolation", (event) =>
  console.error("policy: " + event.violatedDirective + " " + event.blockedURI + " " + event.sample))`;
