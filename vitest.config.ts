import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { PATIENCE_MS } from "./test/patience.ts";

/** They measure by the clock on the wall, so nothing else shares the cores with them. */
const alone = [
  "test/crash/conditional-processes.test.ts",
  "test/crash/eight-processes.test.ts",
  "test/crash/feed.test.ts",
  "test/hooks/failures.test.ts",
  "test/web/e2e/large.test.ts",
];

const PAGE = "test/web/e2e/**/*.test.ts";

/** Their files share nothing that changes, so they can share a process, which imports the sources once. */
const sharing = [
  "agent",
  "architecture",
  "chores",
  "cli",
  "contract",
  "core",
  "graphql",
  "hooks",
  "http",
  "import",
  "language",
  "mcp",
  "property",
  "recovery",
  "run",
  "security",
  "serve",
  "service",
  "web",
  "webhooks",
];

/** They measure the memory or the event loop of their own process, or need one that no test has used. */
const apart = [
  "test/agent/acp/split-lines.test.ts",
  "test/graphql/crowd.test.ts",
  "test/graphql/graphiql.test.ts",
  "test/graphql/never-reads.test.ts",
  "test/http/streams/slow-onlooker.test.ts",
  "test/http/streams/stalled.test.ts",
  "test/import/conversations/cursor-memory.test.ts",
  "test/import/conversations/event-loop.test.ts",
  "test/security/browser-cookie.test.ts",
  "test/security/roles.test.ts",
];

const others = readdirSync("test").filter((folder) => !sharing.includes(folder));

const inFolder = (folder: string): string => `test/${folder}/**/*.test.ts`;

/** Many tests wait for other processes. With three workers, two cores were idle for a fifth of the time. */
const WORKERS = 4;

export default defineConfig({
  test: {
    pool: "forks",
    setupFiles: "test/register-clean-up.ts",
    globalSetup: "test/agent/demo/demo-program.ts",
    // Tests compare plain text; the user's settings may ask for colour.
    env: { NO_COLOR: "1" },
    expect: { poll: { timeout: PATIENCE_MS } },
    testTimeout: 3 * PATIENCE_MS,
    hookTimeout: 2 * PATIENCE_MS,
    // Each project reads all sources once more, so there are few.
    projects: [
      {
        extends: true,
        test: {
          name: "main",
          maxWorkers: WORKERS,
          include: [...others.map(inFolder), ...apart],
          exclude: alone,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "page",
          maxWorkers: WORKERS,
          include: [PAGE],
          exclude: alone,
          // The browser decides when it renders. A second attempt is allowed here alone, and the report shows it.
          retry: 1,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "together",
          isolate: false,
          maxWorkers: WORKERS,
          include: sharing.map(inFolder),
          exclude: [PAGE, ...apart, ...alone],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: alone,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
