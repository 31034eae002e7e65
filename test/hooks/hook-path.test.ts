import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");

/** Everything that a file needs at run time before it can run: packages and files. */
function loads(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(root, file), "utf8");
  for (const [, specifier = ""] of text.matchAll(
    /^(?:import|export) (?!type )(?:[^;"]*? from )?"([^"]+)";$/gm,
  )) {
    if (specifier.startsWith(".")) loads(join(dirname(file), specifier), found);
    else found.add(specifier);
  }
  return found;
}

describe("the imports of a hook", () => {
  it.each(["src/hook.ts", "src/integrations/claude/hooks/watch.ts"])(
    "loads no package, no schema and no other door: %s",
    (file) => {
      const loaded = [...loads(file)];
      expect(loaded).toContain("node:fs");
      expect(
        loaded.filter((name) => !name.startsWith("node:") && !name.startsWith("src/")),
      ).toEqual([]);
      expect(loaded.filter((name) => /^src\/doors\//.test(name))).toEqual([]);
    },
  );

  it("include nothing for pre-delegate that only other hooks need", () => {
    const loaded = loads("src/integrations/claude/hooks/answer-pre-delegate.ts");
    expect(loaded).not.toContain("src/service/change-session.ts");
    expect(loads("src/integrations/claude/hooks/watch.ts")).toContain(
      "src/service/change-session.ts",
    );
  });

  it("loads no store before it needs one", () => {
    expect(loads("src/hook.ts")).not.toContain("node:sqlite");
    expect(loads("src/compose-hooks.ts")).toContain("node:sqlite");
  });

  it("control: differ from those of a hook that loads schemas", () => {
    expect(loads("src/compose-program.ts")).toContain("zod");
  });
});
