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

/** Their files share nothing that changes, so they can share a process, which imports the sources once. */
const together = [
  "architecture",
  "chores",
  "contract",
  "core",
  "graphql",
  "hooks",
  "http",
  "import",
  "language",
  "property",
  "recovery",
  "service",
  "webhooks",
]
  .map((folder) => `test/${folder}/**/*.test.ts`)
  .concat("test/web/*.test.ts");

/** They measure the memory or the event loop of their own process, or open a browser. */
const apart = [
  "test/graphql/crowd.test.ts",
  "test/graphql/graphiql.test.ts",
  "test/graphql/never-reads.test.ts",
  "test/http/streams/slow-onlooker.test.ts",
  "test/http/streams/stalled.test.ts",
  "test/import/conversations/cursor-memory.test.ts",
  "test/import/conversations/event-loop.test.ts",
];

/** Many tests wait for other processes. With three workers, two cores were idle for a fifth of the time. */
const WORKERS = 4;

const PAGE = "test/web/e2e/**/*.test.ts";

export default defineConfig({
  test: {
    pool: "forks",
    setupFiles: "test/register-clean-up.ts",
    globalSetup: "test/agent/demo/demo-program.ts",
    // Tests compare plain text; the user's settings may ask for colour.
    env: { NO_COLOR: "1" },
    expect: { poll: { timeout: PATIENCE_MS } },
    testTimeout: 2 * PATIENCE_MS,
    hookTimeout: 2 * PATIENCE_MS,
    projects: [
      {
        extends: true,
        test: {
          name: "main",
          maxWorkers: WORKERS,
          include: ["test/**/*.test.ts", "src/**/*.test.ts"],
          exclude: ["test/crash/**", PAGE, ...together, ...alone],
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
          include: together,
          exclude: [...apart, ...alone],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "apart",
          maxWorkers: WORKERS,
          include: apart,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "crash",
          maxWorkers: WORKERS,
          include: ["test/crash/**/*.test.ts"],
          exclude: alone,
          sequence: { groupOrder: 0 },
          testTimeout: 3 * PATIENCE_MS,
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: alone,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 3 * PATIENCE_MS,
        },
      },
    ],
  },
});
