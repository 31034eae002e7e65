import { parseSync, Visitor } from "rolldown/utils";

export interface SourceFacts {
  /** The imports of the file, including types; undefined for a path computed at run time. */
  imports: (string | undefined)[];
  /** Uses of the clock, randomness, or anything asynchronous or outside the program. */
  impurities: string[];
  errors: string[];
}

/** Names that show an impure function, used as a value or a type. */
const impureNames = new Set([
  "Promise",
  "PromiseLike",
  "AsyncIterable",
  "Temporal",
  "crypto",
  "fetch",
  "performance",
  "process",
  "queueMicrotask",
  "setImmediate",
  "setInterval",
  "setTimeout",
]);

const impureMembers = new Set(["Date.now", "Math.random"]);

/** Reads a file with a real parser, so comments and strings that look like code do not count. */
export function readSource(file: string, text: string): SourceFacts {
  const { program, errors } = parseSync(file, text);
  const imports: (string | undefined)[] = [];
  const impurities: string[] = [];
  // Identifiers that are only labels, as in `head.process` or `{ process: 1 }`.
  const labels = new Set<unknown>();

  const label = (node: { computed: boolean; key: unknown }) => {
    if (!node.computed) labels.add(node.key);
  };
  const rejectAsync = (node: { async: boolean }) => {
    if (node.async) impurities.push("async");
  };

  new Visitor({
    ImportDeclaration: (node) => imports.push(node.source.value),
    ExportAllDeclaration: (node) => imports.push(node.source.value),
    ExportNamedDeclaration: (node) => node.source && imports.push(node.source.value),
    ImportExpression: (node) => imports.push(literalOf(node.source)),
    TSImportType: (node) => imports.push(node.source.value),
    TSExternalModuleReference: (node) => imports.push(node.expression.value),
    CallExpression: (node) => {
      if (node.callee.type !== "Identifier") return;
      if (node.callee.name === "require") imports.push(literalOf(node.arguments[0]));
      if (node.callee.name === "Date") impurities.push("Date()");
    },
    NewExpression: (node) => {
      if (node.callee.type !== "Identifier" || node.callee.name !== "Date") return;
      if (node.arguments.length === 0) impurities.push("new Date()");
    },
    MemberExpression: (node) => {
      if (node.computed) return;
      labels.add(node.property);
      if (node.object.type !== "Identifier" || node.property.type !== "Identifier") return;
      const name = `${node.object.name}.${node.property.name}`;
      if (impureMembers.has(name)) impurities.push(name);
    },
    Property: label,
    PropertyDefinition: label,
    MethodDefinition: label,
    TSPropertySignature: label,
    TSMethodSignature: label,
    FunctionDeclaration: rejectAsync,
    FunctionExpression: rejectAsync,
    ArrowFunctionExpression: rejectAsync,
    AwaitExpression: () => impurities.push("await"),
    Identifier: (node) => {
      if (impureNames.has(node.name) && !labels.has(node)) impurities.push(node.name);
    },
  }).visit(program);

  return { imports, impurities, errors: errors.map((error) => error.message) };
}

function literalOf(node: object | undefined): string | undefined {
  if (!node) return undefined;
  if ("value" in node && typeof node.value === "string") return node.value;
  if ("quasis" in node && Array.isArray(node.quasis) && node.quasis.length === 1) {
    return node.quasis[0].value.cooked;
  }
  return undefined;
}
