import { defineConfig } from "vitest/config";

const second = 1000;
/** They measure by the clock on the wall, so nothing else shares the cores with them. */
const alone = [
  "test/crash/eight-processes.test.ts",
  "test/crash/feed.test.ts",
  "test/web/e2e/large.test.ts",
];

export default defineConfig({
  test: {
    pool: "forks",
    globalSetup: "test/agent/demo/demo-program.ts",
    // Tests compare plain text; the user's settings may ask for colour.
    env: { NO_COLOR: "1" },
    projects: [
      {
        extends: true,
        test: {
          name: "main",
          // Many of these tests wait for other processes: a third keeps two cores busy.
          maxWorkers: 3,
          include: ["test/**/*.test.ts", "src/**/*.test.ts"],
          exclude: ["test/crash/**", ...alone],
          sequence: { groupOrder: 0 },
          testTimeout: 30 * second,
          hookTimeout: 60 * second,
        },
      },
      {
        extends: true,
        test: {
          name: "crash",
          maxWorkers: 2,
          include: ["test/crash/**/*.test.ts"],
          exclude: alone,
          sequence: { groupOrder: 1 },
          testTimeout: 180 * second,
          hookTimeout: 60 * second,
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: alone,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          testTimeout: 180 * second,
          hookTimeout: 60 * second,
        },
      },
    ],
  },
});
