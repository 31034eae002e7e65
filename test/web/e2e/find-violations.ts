import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { z } from "zod";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const Violations = z.array(
  z.object({
    id: z.string(),
    impact: z.string().nullable(),
    nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
  }),
);

/** The serious or critical findings of axe on the current page, by all its rules or by these only. */
export async function findViolations(
  page: Page,
  rules: readonly string[] | null,
): Promise<string[]> {
  if (await page.evaluate("!window.axe")) await page.evaluate(AXE);
  const only = rules === null ? {} : { runOnly: { type: "rule", values: rules } };
  // Style sheets are only read by rules that are off by default.
  const preload = { assets: ["media"] };
  const options = JSON.stringify({ resultTypes: ["violations"], preload, ...only });
  const found = await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  );
  return Violations.parse(found)
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes: [first, ...more] }) => {
      const where = first?.html.slice(0, 300);
      return `${id} (${more.length + 1} times): ${where} ${first?.failureSummary ?? ""}`;
    });
}
