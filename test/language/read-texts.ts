import { readdirSync, readFileSync } from "node:fs";
import { parseSync } from "rolldown/utils";
import { isRecord } from "../../src/contract/is-record.ts";
import { SYSTEM_COMMANDS } from "../../src/doors/cli/commands/system-commands.ts";
import { COMMANDS } from "../../src/doors/cli/commands.ts";
import { commandHelp, programHelp } from "../../src/doors/cli/help.ts";
import { INSTRUCTIONS, TOOLS } from "../../src/doors/mcp/tools.ts";

export interface Text {
  readonly where: string;
  readonly text: string;
}

const ROOT = new URL("../../", import.meta.url);
const WIDE = 10_000;

/** Every help text of the command line. */
export function readHelp(): Text[] {
  const names = Object.keys(COMMANDS).filter((name): name is keyof typeof COMMANDS => name !== "");
  return [
    ...lines("belay --help", programHelp(WIDE)),
    ...names.flatMap((name) => lines(`belay ${name} --help`, commandHelp(name, WIDE))),
    ...Object.entries(SYSTEM_COMMANDS).flatMap(([name, { help }]) =>
      lines(`belay ${name} --help`, help),
    ),
  ];
}

/** Every summary and description of REST, GraphQL and MCP. */
export function readDescriptions(): Text[] {
  const openapi: unknown = JSON.parse(read("openapi.json"));
  const graphql = [...read("schema.graphql").matchAll(/"""([\s\S]*?)"""/g)];
  return [
    ...describedIn(openapi).map((text) => ({ where: "openapi.json", text })),
    ...graphql.map(([, text = ""]) => ({ where: "schema.graphql", text: text.trim() })),
    ...Object.entries(TOOLS).map(([name, { description }]) => ({ where: name, text: description })),
    ...lines("MCP instructions", INSTRUCTIONS),
  ];
}

/** The texts in the sources: literals of more than one word. The stores are left out, because they contain SQL. */
export function readSources(): Text[] {
  return ["web/src", "src"].flatMap((root) =>
    readdirSync(new URL(root, ROOT), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("store/"))
      .flatMap((file) => {
        const where = `${root}/${file}`;
        const { program } = parseSync(where, read(where));
        return literalsIn(program).map((text) => ({ where, text }));
      }),
  );
}

function literalsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(literalsIn);
  if (!isRecord(node)) return [];
  const inner = Object.values(node).flatMap(literalsIn);
  const own = isRecord(node.value) ? node.value.cooked : node.value;
  const isText = ["Literal", "JSXText", "TemplateElement"].includes(String(node.type));
  if (!isText || typeof own !== "string" || !/[a-z]\S*\s+\S/.test(own)) return inner;
  return [own.replaceAll(/\s+/g, " ").trim(), ...inner];
}

/** Headings, paragraphs and cells of tables in the documents for users, without code. */
export function readDocuments(): Text[] {
  const rest = ["docs/guide", "docs/decisions"].flatMap((folder) =>
    readdirSync(new URL(folder, ROOT)).map((name) => `${folder}/${name}`),
  );
  return [...TOP, ...rest].flatMap((file) =>
    read(file)
      .replaceAll(/^(?: *)```[\s\S]*?^ *```$/gm, "")
      .replaceAll(/<!--[\s\S]*?-->|<[^>]*>/g, "")
      .split(/\n\s*\n|\n(?=[#|>*-] ?)|\|/)
      .map((block) => ({ where: file, text: plain(block) }))
      .filter(({ text }) => text !== ""),
  );
}

const TOP = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"];

/** Without marks, and with a placeholder for code, which may hold any word. */
function plain(block: string): string {
  return block
    .replaceAll(/`[^`]*`/g, "`code`")
    .replaceAll(/^[#>*\s-]+|\*\*/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function lines(where: string, text: string): Text[] {
  return text
    .split("\n")
    .map((line) => ({ where, text: line.replace(/^\s*(?:--\S+(?: \S+)?\s{2,})?/, "").trim() }))
    .filter((line) => line.text !== "");
}

function describedIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(describedIn);
  if (!isRecord(node)) return [];
  const own = [node.summary, node.description].filter((text) => typeof text === "string");
  return [...own, ...Object.values(node).flatMap(describedIn)];
}

function read(file: string): string {
  return readFileSync(new URL(file, ROOT), "utf8");
}
