import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";
import { isRecord } from "../src/contract/is-record.ts";

/**
 * Writes LICENSES.md next to a bundle: the licence of every package whose code is in it. Fails on a package without
 * one.
 */
export function bundledLicenses(): Plugin {
  return {
    name: "bundled-licenses",
    generateBundle(_, bundle) {
      const folders = new Set<string>();
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        for (const id of chunk.moduleIds) {
          const folder = packageOf(id);
          if (folder) folders.add(folder);
        }
      }
      if (folders.size === 0) return;
      const parts = [...folders].map(describePackage).sort();
      const source = `# Licences of the packages in this bundle\n\n${parts.join("\n")}`;
      this.emitFile({ type: "asset", fileName: "LICENSES.md", source });
    },
  };
}

/** The folder of the package that a module belongs to; null for a module of our own. */
function packageOf(id: string): string | null {
  const at = id.lastIndexOf("node_modules/");
  if (at < 0) return null;
  const [first = "", second = ""] = id.slice(at + "node_modules/".length).split("/");
  const root = id.slice(0, at + "node_modules/".length);
  return join(root, first.startsWith("@") ? `${first}/${second}` : first);
}

function describePackage(folder: string): string {
  const about: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { name, version, license } = isRecord(about) ? about : {};
  const file = readdirSync(folder).find((entry) => /^(un)?licen[cs]e/i.test(entry));
  if (!file && typeof license !== "string") {
    throw new Error(`${String(name)} has no licence. Do not bundle it.`);
  }
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : `Licence: ${license}`;
  return `## ${String(name)} ${String(version)} (${String(license)})\n\n${text}\n`;
}
