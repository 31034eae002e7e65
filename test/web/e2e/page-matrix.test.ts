import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { SESSION_ROLES } from "../../../src/contract/vocabulary.ts";
import { WEB_PAGES } from "../../../src/doors/http/web/web-pages.ts";
import { openBrowser, type Visitor } from "../../browser/open-browser.ts";
import { sampleSize } from "../../crash/sample-size.ts";
import { type Doors, openDoors } from "../../http/open-doors.ts";
import { settle } from "./web-lab.ts";

const ROOT = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;
const MARK = "mark-of-anns-work";
const TASK = "task-of-ann";

/** These callers have no valid token. */
const OUT = ["nobody", "expired", "revoked", "disabled"] as const;
const CALLERS = [...OUT, ...SESSION_ROLES, "stranger", "admin", "owner"] as const;
type CallerName = (typeof CALLERS)[number];

/** The callers to whom a page shows text of ann's session; `at` is its address. */
interface PageRow {
  readonly at: string;
  readonly shownTo: readonly CallerName[];
  /** The callers whose page loads the text, but does not show it. */
  readonly loadedBy?: readonly CallerName[];
}

const SHARED: readonly CallerName[] = [...SESSION_ROLES, "owner"];
const OWN: readonly CallerName[] = ["owner"];

/** A sample opens each page as some callers, and as each caller some pages. */
const EVERY = sampleSize({ full: 1, sample: 5 });

let entity = "";
let fork = "";

/** Every page of the server. The test fails if one is missing. */
function pageTable(): Record<(typeof WEB_PAGES)[number], PageRow> {
  return {
    "/": { at: "/", shownTo: SHARED },
    // A browser that is logged in is sent on to its sessions.
    "/login": { at: "/login", shownTo: SHARED },
    "/login/callback": { at: "/login/callback", shownTo: SHARED },
    "/link": { at: "/link", shownTo: [] },
    "/device": { at: "/device?code=BBBB-CCCC", shownTo: [] },
    // A viewer sees the question only in its session, because a viewer cannot answer it.
    "/inbox": { at: "/inbox", shownTo: ["approver", "editor", "owner"], loadedBy: ["viewer"] },
    "/recovery": { at: "/recovery", shownTo: [] },
    "/past": { at: `/past?of=${TASK}`, shownTo: SHARED },
    "/numbers": { at: "/numbers?days=all", shownTo: OWN },
    "/import": { at: "/import", shownTo: [] },
    "/trash": { at: "/trash", shownTo: OWN },
    "/audit-log": { at: "/audit-log?days=all", shownTo: OWN },
    "/s/:id": { at: `/s/${entity}`, shownTo: SHARED },
    "/s/:id/timeline": { at: `/s/${entity}/timeline`, shownTo: SHARED },
    "/s/:id/files": { at: `/s/${entity}/files`, shownTo: SHARED },
    "/s/:id/branches": { at: `/s/${entity}/branches`, shownTo: SHARED },
    "/s/:id/compare": { at: `/s/${fork}/compare?with=${entity}`, shownTo: OWN },
  };
}

let doors: Doors;
const tokens = new Map<CallerName, string | null>([["nobody", null]]);
beforeAll(async () => {
  doors = await openDoors();
  const { service } = doors;
  const session = { agent_name: `${MARK}-agent`, session_id: "anns-1", title: MARK, task_id: TASK };
  entity = (await service.call("create", session, ROOT)).entity_id;
  const id = "anns-1";
  await service.call("record_turn", { id, input: MARK, output: MARK }, ROOT);
  await service.call("record_artifact", { id, name: MARK, uri: "file:///x" }, ROOT);
  fork = (await service.call("fork", { id }, ROOT)).entity_id;
  await service.call("request_approval", { id, title: MARK }, ROOT);
  const deleted = { id: "anns-2" };
  await service.call("create", { ...session, session_id: deleted.id }, ROOT);
  await service.call("share", { ...deleted, everyone: true, role: "editor" }, ROOT);
  await service.call("delete", deleted, ROOT);
  for (const name of CALLERS) {
    if (name === "nobody") continue;
    const person = name === "owner" ? "ann" : name;
    const role = name === "admin" || name === "owner" ? "admin" : "member";
    await service.call("add_person", { name: person, role }, ROOT);
    const ends = name === "expired" ? { until: new Date(Date.now() + 500).toISOString() } : {};
    const scope = name === "admin" ? "admin" : "write";
    const input = { owner: person, scope, ...ends };
    const made = await service.call("create_token", input, ROOT);
    tokens.set(name, made.token);
    if (name === "revoked") await service.call("revoke_token", { token_id: made.id }, ROOT);
    if (name === "disabled") await service.call("disable_person", { name }, ROOT);
    const shared = SESSION_ROLES.find((known) => known === name);
    if (shared) await service.call("share", { id, with: name, role: shared }, ROOT);
  }
});

describe("every page", () => {
  it("is in the table, and shows a session to those whom the table names and to nobody else", async () => {
    expect(Object.keys(pageTable()).toSorted()).toEqual(WEB_PAGES.toSorted());
    const found: string[] = [];
    for (const [nth, name] of CALLERS.entries()) found.push(...(await findWrongs(name, nth)));
    expect(found).toEqual([]);
  }, 180_000);

  it("is found out where the service forgets whose a session is", async () => {
    doors.change = (caller) => ({ ...caller, owner: "ann" });
    const found = (await findWrongs("stranger")).join("\n");
    doors.change = (caller) => caller;
    for (const [page, { shownTo }] of Object.entries(pageTable())) {
      if (shownTo.length > 0) expect(found).toContain(`${page} by stranger: shown`);
    }
  }, 90_000);
});

/** Opens all pages as one caller, and compares what they show and load with the table. */
async function findWrongs(name: CallerName, nth?: number): Promise<string[]> {
  const { visitor, page } = await arrive(tokens.get(name) ?? null);
  const loaded: Promise<string>[] = [];
  page.on("response", (response) => {
    const isJson = response.headers()["content-type"]?.includes("json");
    if (isJson) loaded.push(response.text().catch(() => ""));
  });
  const isOut = OUT.some((out) => out === name);
  const wrongs: string[] = [];
  for (const [place, [path, { at, shownTo, loadedBy = [] }]] of Object.entries(
    pageTable(),
  ).entries()) {
    if (nth !== undefined && (nth + place) % EVERY !== 0) continue;
    loaded.length = 0;
    await page.goto(`${doors.url}${at}`);
    await settle(page);
    const isShown = shownTo.includes(name);
    if (isShown) await page.getByText(MARK).first().waitFor({ state: "attached" });
    const text = `${await page.locator("body").innerText()}${await textsOf(page)}`;
    const isLoaded = (await Promise.all(loaded)).join("").includes(MARK);
    const seen = text.includes(MARK) || (isLoaded && !loadedBy.includes(name));
    if (seen !== isShown) wrongs.push(`${path} by ${name}: ${seen ? "shown" : "not shown"}`);
    const isOpen = path.startsWith("/login") || path === "/link";
    if (isOut && !isOpen && new URL(page.url()).pathname !== "/login") {
      wrongs.push(`${path} by ${name}: not sent to the login`);
    }
  }
  await visitor.context.close();
  return wrongs;
}

/** The titles and labels of a page, which are no visible text. */
async function textsOf(page: Page): Promise<string> {
  return String(
    await page.evaluate(
      `document.title + [...document.querySelectorAll("[aria-label],[title]")].map((one) => one.ariaLabel + one.title).join()`,
    ),
  );
}

async function arrive(token: string | null): Promise<{ visitor: Visitor; page: Page }> {
  const localStorage = token === null ? [] : [{ name: "belay.token", value: token }];
  const storageState = { cookies: [], origins: [{ origin: doors.url, localStorage }] };
  const visitor = await openBrowser({ storageState });
  visitor.expects(/status of (400|401|403|404)/);
  return { visitor, page: await visitor.context.newPage() };
}
