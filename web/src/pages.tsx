import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { readAuditFilters } from "./audit/audit-filters.ts";
import { LoginPage } from "./login/login-page.tsx";
import { readFilters } from "./sessions/filters.ts";
import { SessionsPage } from "./sessions/sessions-page.tsx";
import { Frame } from "./shell/frame.tsx";
import { BrokenPage, NoSuchPage } from "./shell/no-such-page.tsx";

/** All addresses of the page; the server answers each with the same document (src/doors/http/web/web-pages.ts). */
const root = createRootRoute({ notFoundComponent: NoSuchPage, errorComponent: BrokenPage });
const login = createRoute({ getParentRoute: () => root, path: "/login", component: LoginPage });
const callback = createRoute({
  getParentRoute: () => root,
  path: "/login/callback",
  component: LoginPage,
});
const link = createRoute({
  getParentRoute: () => root,
  path: "/link",
  component: lazyRouteComponent(() => import("./link/link-page.tsx"), "LinkPage"),
});
const frame = createRoute({ getParentRoute: () => root, id: "frame", component: Frame });

const sessions = createRoute({
  getParentRoute: () => frame,
  path: "/",
  component: SessionsPage,
  validateSearch: readFilters,
});
const session = createRoute({
  getParentRoute: () => frame,
  path: "/s/$id",
  component: lazyRouteComponent(() => import("./session/session-page.tsx"), "SessionPage"),
  validateSearch: readPlace,
});
const sessionTimeline = createRoute({
  getParentRoute: () => frame,
  path: "/s/$id/timeline",
  component: lazyRouteComponent(
    () => import("./timeline/session-timeline-page.tsx"),
    "SessionTimelinePage",
  ),
});
const sessionFiles = createRoute({
  getParentRoute: () => frame,
  path: "/s/$id/files",
  component: lazyRouteComponent(
    () => import("./session/files/session-files-page.tsx"),
    "SessionFilesPage",
  ),
});
const sessionBranches = createRoute({
  getParentRoute: () => frame,
  path: "/s/$id/branches",
  component: lazyRouteComponent(() => import("./branches/branches-page.tsx"), "BranchesPage"),
});
const sessionCompare = createRoute({
  getParentRoute: () => frame,
  path: "/s/$id/compare",
  component: lazyRouteComponent(() => import("./branches/compare-page.tsx"), "ComparePage"),
  validateSearch: readOther,
});
const timeline = createRoute({
  getParentRoute: () => frame,
  path: "/past",
  component: lazyRouteComponent(() => import("./timeline/timeline-page.tsx"), "TimelinePage"),
  validateSearch: readEntity,
});
const inbox = createRoute({
  getParentRoute: () => frame,
  path: "/inbox",
  component: lazyRouteComponent(() => import("./inbox/inbox-page.tsx"), "InboxPage"),
});
const recovery = createRoute({
  getParentRoute: () => frame,
  path: "/recovery",
  component: lazyRouteComponent(() => import("./recovery/recovery-page.tsx"), "RecoveryPage"),
});
const numbers = createRoute({
  getParentRoute: () => frame,
  path: "/numbers",
  component: lazyRouteComponent(() => import("./numbers/numbers-page.tsx"), "NumbersPage"),
  validateSearch: readSpan,
});

const device = createRoute({
  getParentRoute: () => frame,
  path: "/device",
  component: lazyRouteComponent(() => import("./login/device-page.tsx"), "DevicePage"),
  validateSearch: readCode,
});
const imports = createRoute({
  getParentRoute: () => frame,
  path: "/import",
  component: lazyRouteComponent(() => import("./import/import-page.tsx"), "ImportPage"),
});
const trash = createRoute({
  getParentRoute: () => frame,
  path: "/trash",
  component: lazyRouteComponent(() => import("./trash/trash-page.tsx"), "TrashPage"),
});
const auditLog = createRoute({
  getParentRoute: () => frame,
  path: "/audit-log",
  component: lazyRouteComponent(() => import("./audit/audit-page.tsx"), "AuditPage"),
  validateSearch: readAuditFilters,
});

const tree = root.addChildren([
  login,
  callback,
  link,
  frame.addChildren([
    sessions,
    session,
    sessionTimeline,
    sessionFiles,
    sessionBranches,
    sessionCompare,
    timeline,
    inbox,
    recovery,
    numbers,
    imports,
    trash,
    auditLog,
    device,
  ]),
]);

export function createPages() {
  return createRouter({ routeTree: tree, defaultPreload: "intent", scrollRestoration: false });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createPages>;
  }
}

type Search = Readonly<Record<string, unknown>>;

/** The event in the conversation to scroll to. */
function readPlace({ at }: Search): { at?: number } {
  return typeof at === "number" && Number.isSafeInteger(at) && at > 0 ? { at } : {};
}

/** The session to compare with. */
function readOther({ with: other }: Search): { with?: string } {
  return other === undefined || other === "" ? {} : { with: String(other) };
}

/** An entity, a task or a session. */
function readEntity({ of }: Search): { of?: string } {
  return of === undefined || of === "" ? {} : { of: String(of) };
}

/** The number of days back from today. */
function readSpan({ days, agent }: Search): { days?: number | "all"; agent?: string } {
  return {
    ...(typeof days === "number" && days >= 1 && { days: Math.trunc(days) }),
    ...(days === "all" && { days }),
    ...(typeof agent === "string" && { agent }),
  };
}

/** The code that a program without a browser shows. */
function readCode({ code }: Search): { code?: string } {
  return typeof code === "string" && code !== "" ? { code } : {};
}
