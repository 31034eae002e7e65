import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findRoot } from "../web/find-root.ts";

const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";

/** The files that the GraphiQL page loads: their package and their type. The build copies them. */
export const GRAPHIQL_ASSETS = {
  "react.production.min.js": { from: "react/umd", type: SCRIPT },
  "react-dom.production.min.js": { from: "react-dom/umd", type: SCRIPT },
  "graphiql.min.js": { from: "graphiql", type: SCRIPT },
  "graphiql.min.css": { from: "graphiql", type: STYLE },
} as const satisfies Readonly<Record<string, { readonly from: string; readonly type: string }>>;

type AssetName = keyof typeof GRAPHIQL_ASSETS;

export function isAssetName(name: unknown): name is AssetName {
  return typeof name === "string" && Object.hasOwn(GRAPHIQL_ASSETS, name);
}

/** Read on first use, because most servers never show the page. */
export async function readAsset(name: AssetName): Promise<Buffer> {
  const known = kept.get(name);
  if (known) return known;
  const bytes = await readFile(findAsset(name));
  kept.set(name, bytes);
  return bytes;
}

const kept = new Map<AssetName, Buffer>();

/** The built file; in a checkout without a build, the file in the package. */
function findAsset(name: AssetName): string {
  const root = findRoot();
  const built = join(root, "dist", "graphiql", name);
  return existsSync(built) ? built : join(root, "node_modules", GRAPHIQL_ASSETS[name].from, name);
}
