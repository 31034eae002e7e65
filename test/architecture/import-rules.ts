import { dirname, posix } from "node:path";
import { readSource } from "./read-source.ts";

type Zone =
  | "test"
  | "root"
  | "contract"
  | "core"
  | "store port"
  | "store conformance"
  | "store blobs"
  | "store log"
  | "store scan"
  | "store copy"
  | "store adapter"
  | "agent port"
  | "agent adapter"
  | "process"
  | "files"
  | "settings files"
  | "redaction"
  | "service"
  | "drive"
  | "server"
  | "import"
  | "integration"
  | "all integrations"
  | "library"
  | "door"
  | "web";

interface Rule {
  /** The files of the zone; a captured folder name splits it into parts that never import each other. */
  at: RegExp;
  /** Other zones that it may import; its own part is always allowed. */
  zones: readonly Zone[] | "any";
  /** Packages that it may import. "node:" stands for the builtins, except those that some part names as its own. */
  packages: readonly string[] | "any";
  /** Packages that belong to one part only. */
  own?: Readonly<Record<string, readonly string[]>>;
  /** No clock, no randomness, nothing asynchronous. */
  pure?: true;
}

const ports = [
  "contract",
  "core",
  "redaction",
  "store port",
  "agent port",
  "process",
  "files",
] as const;

/** Layered rooms: each may import those before it, never one after it. */
const below = {
  service: ports,
  drive: [...ports, "service"],
  server: [...ports, "service", "drive"],
  import: [...ports, "service"],
  integration: [...ports, "settings files", "service", "drive", "server", "import"],
} as const;

/** The import table of ARCHITECTURE.md. The zone of a file is the first whose pattern matches. */
export const importTable: Readonly<Record<Zone, Rule>> = {
  test: { at: /^src\/.*\.test\.ts$/, zones: "any", packages: "any" },
  root: {
    at: /^src\/(?:main|hook|hook-crypto|hook-path|hook-zlib|index|compose-(?:program|local|copy|context|agents|service|served|server|doors|login|store|keys|sealed|encryption|hooks|spool))\.ts$/,
    zones: "any",
    packages: "any",
  },
  contract: { at: /^src\/contract\//, zones: [], packages: ["zod", "diff"] },
  core: { at: /^src\/core\//, zones: ["contract"], packages: [], pure: true },
  "store port": { at: /^src\/store\/[^/]+$/, zones: ["contract"], packages: [] },
  "store conformance": {
    at: /^src\/store\/conformance\//,
    zones: ["contract", "store port"],
    packages: ["node:", "vitest", "fast-check"],
  },
  "store blobs": {
    at: /^src\/store\/blobs\//,
    zones: ["contract", "store port"],
    packages: ["node:"],
  },
  "store log": {
    at: /^src\/store\/log\//,
    zones: ["contract", "store port", "files"],
    packages: ["node:"],
  },
  "store scan": {
    at: /^src\/store\/scan\//,
    zones: ["contract", "store port"],
    packages: [],
  },
  "store copy": {
    at: /^src\/store\/copy\//,
    zones: ["contract", "store port", "store log"],
    packages: [],
  },
  "store adapter": {
    at: /^src\/store\/([^/]+)\//,
    zones: ["contract", "store port", "store blobs", "store log", "store scan", "files"],
    packages: ["node:"],
    own: { files: ["node:sqlite"], sqlite: ["node:sqlite"], postgres: ["pg"], redis: ["redis"] },
  },
  "agent port": { at: /^src\/agent\/[^/]+$/, zones: ["contract"], packages: [] },
  "agent adapter": {
    at: /^src\/agent\/([^/]+)\//,
    zones: ["contract", "agent port", "process", "files"],
    packages: ["node:"],
    own: { acp: ["@agentclientprotocol/sdk"], demo: ["@agentclientprotocol/sdk"] },
  },
  process: { at: /^src\/process\//, zones: [], packages: ["node:"] },
  files: { at: /^src\/files\//, zones: ["contract", "process"], packages: ["node:"] },
  "settings files": {
    at: /^src\/settings-files\//,
    zones: ["contract", "files"],
    packages: ["node:", "diff", "jsonc-parser"],
  },
  redaction: {
    at: /^src\/redaction\//,
    zones: ["contract"],
    packages: ["@secretlint/*"],
    pure: true,
  },
  service: { at: /^src\/service\//, zones: below.service, packages: ["node:", "zod"] },
  drive: { at: /^src\/drive\//, zones: below.drive, packages: ["node:", "zod"] },
  server: {
    at: /^src\/server\//,
    zones: below.server,
    packages: ["node:", "zod", "prom-client", "openid-client"],
  },
  import: { at: /^src\/import\//, zones: below.import, packages: ["node:", "node:sqlite", "zod"] },
  integration: {
    at: /^src\/integrations\/([^/]+)\//,
    zones: below.integration,
    packages: ["node:"],
    own: { claude: [], copilot: ["node:sqlite", "zod"], gaia: ["zod"] },
  },
  "all integrations": {
    at: /^src\/integrations\//,
    zones: [...below.integration, "integration"],
    packages: [],
  },
  library: {
    at: /^src\/doors\/library\//,
    zones: ["contract", "service", "drive", "store port", "store conformance", "store adapter"],
    packages: [],
  },
  door: {
    at: /^src\/doors\/([^/]+)\//,
    zones: ["contract", "files", "settings files", "service", "drive", "server"],
    packages: ["node:"],
    own: {
      cli: ["picocolors", "get-east-asian-width", "zod"],
      http: [
        "fastify",
        "fastify-type-provider-zod",
        "@fastify/*",
        "zod",
        "pino",
        "prom-client",
        "ws",
      ],
      graphql: ["graphql", "dataloader", "zod"],
      mcp: ["fastify", "@modelcontextprotocol/*", "zod"],
    },
  },
  web: { at: /^web\/src\//, zones: ["contract", "core"], packages: "any" },
};

/** Every broken rule as a sentence with file, import and rule; empty if there is none. */
export function checkFile(file: string, text: string): string[] {
  const place = placeOf(file);
  if (!place) return [`${file}: no zone of the import table holds this file`];

  const source = readSource(file, text);
  const impure = importTable[place.zone].pure ? source.impurities : [];
  return [
    ...source.errors.map((error) => `${file}: cannot be parsed: ${error}`),
    ...source.imports.flatMap((specifier) => {
      const broken = ruleBroken(file, place, specifier);
      return broken ? [`${file} imports ${specifier ?? "a computed path"}: ${broken}`] : [];
    }),
    ...impure.map((found) => `${file} uses ${found}: ${place.zone} is pure`),
  ];
}

interface Place {
  zone: Zone;
  part: string;
}

function placeOf(file: string): Place | undefined {
  for (const [zone, { at }] of Object.entries(importTable) as [Zone, Rule][]) {
    const match = at.exec(file);
    if (match) return { zone, part: match[1] ?? "" };
  }
  return undefined;
}

function ruleBroken(file: string, from: Place, specifier: string | undefined): string | undefined {
  const { zones, packages, own } = importTable[from.zone];
  // Node runs the sources directly, and needs the exact file name.
  if (file.startsWith("src/") && specifier && /^\.(?!.*\.(?:ts|json)$)/.test(specifier)) {
    return "a relative import names its file, with .ts at the end";
  }
  if (zones === "any") return undefined;
  if (specifier === undefined) return "only a composition root may import what it computes";

  if (specifier.startsWith(".")) {
    const to = placeOf(posix.join(dirname(file), specifier));
    const isOwn = to?.zone === from.zone && to.part === from.part;
    if (to && (isOwn || zones.includes(to.zone))) return undefined;
    return `${from.zone} may import ${["its own folder", ...zones].join(", ")}`;
  }

  const allowed = packages === "any" ? packages : [...packages, ...(own?.[from.part] ?? [])];
  if (isAllowed(packageOf(specifier), allowed)) return undefined;
  const name = [from.zone, from.part].filter(Boolean).join(" ");
  return allowed === "any"
    ? `${name} runs in a browser`
    : `${name} may import ${allowed.length > 0 ? `only ${allowed.join(", ")}` : "no package"}`;
}

function packageOf(specifier: string): string {
  if (ownedBuiltins.has(specifier)) return specifier;
  if (specifier.startsWith("node:")) return "node:";
  const [scope, name] = specifier.split("/");
  return specifier.startsWith("@") ? `${scope}/${name}` : (scope ?? specifier);
}

const ownedBuiltins = new Set(
  Object.values(importTable).flatMap(({ own }) =>
    Object.values(own ?? {})
      .flat()
      .filter((name) => name.startsWith("node:")),
  ),
);

function isAllowed(name: string, allowed: readonly string[] | "any"): boolean {
  if (allowed === "any") return !name.startsWith("node:") && name !== "belay-sessions";
  return allowed.includes(name) || allowed.includes(`${name.split("/")[0]}/*`);
}
