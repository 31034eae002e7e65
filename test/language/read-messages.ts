import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "rolldown/utils";
import { isRecord } from "../../src/contract/is-record.ts";

export interface Message {
  readonly code: string;
  readonly text: string;
  readonly file: string;
}

/** Every message of a refusal in the sources below a folder. Braces contain the name of a filled-in value. */
export function readMessages(root: string): Message[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return messagesIn(parseSync(file, text).program, [])
        .filter((found) => !/^\{[^}]*\}$/.test(found.text))
        .map((found) => ({ ...found, file }));
    });
}

type Node = Record<string, unknown>;
/** Declarations by name, for each surrounding block. */
type Scopes = readonly ReadonlyMap<unknown, unknown>[];

function messagesIn(node: unknown, scopes: Scopes): Pick<Message, "code" | "text">[] {
  if (Array.isArray(node)) return node.flatMap((each) => messagesIn(each, scopes));
  if (!isRecord(node)) return [];
  const own = Array.isArray(node.body) ? [constantsIn(node.body), ...scopes] : scopes;
  const inner = Object.values(node).flatMap((part) => messagesIn(part, own));
  if (node.type !== "CallExpression" || !Array.isArray(node.arguments)) return inner;
  if (isRefuse(node.callee)) return [...messagesOf(node.arguments, scopes), ...inner];
  const wrapper = scopes.find((scope) => scope.has(nameOf(node.callee)))?.get(nameOf(node.callee));
  const refused = isRecord(wrapper) ? refusalsIn(wrapper.body) : [];
  if (!isRecord(wrapper) || !Array.isArray(wrapper.params) || refused.length === 0) return inner;
  const given = node.arguments.map((argument) => textsOf(argument, scopes));
  // A parameter is a better name for a value than the caller's expression.
  const filled = new Map(
    wrapper.params
      .map((param, n) => ({ name: nameOf(param), texts: given[n] ?? [] }))
      .filter(({ texts }) => !texts.every((text) => /^\{[^}]*\}$/.test(text)))
      .map(({ name, texts }) => [name, { type: "Texts", texts }]),
  );
  return [
    ...refused.flatMap(({ given: refusal, scopes: local }) =>
      messagesOf(refusal, [...local, filled, ...scopes]),
    ),
    ...inner,
  ];
}

function messagesOf(given: readonly unknown[], scopes: Scopes): Pick<Message, "code" | "text">[] {
  const [codes = [], texts = []] = given.map((argument) => textsOf(argument, scopes));
  return codes.flatMap((code) => texts.map((text) => ({ code, text })));
}

interface FoundRefusal {
  readonly given: readonly unknown[];
  readonly scopes: Scopes;
}

/** Each call of `refuse` in a function that adds to the message of its caller, with the constants around the call. */
function refusalsIn(node: unknown, scopes: Scopes = []): FoundRefusal[] {
  if (Array.isArray(node)) return node.flatMap((each) => refusalsIn(each, scopes));
  if (!isRecord(node)) return [];
  const own = Array.isArray(node.body) ? [constantsIn(node.body), ...scopes] : scopes;
  const inner = Object.values(node).flatMap((part) => refusalsIn(part, own));
  const isCall = node.type === "CallExpression" && isRefuse(node.callee);
  return isCall && Array.isArray(node.arguments)
    ? [{ given: node.arguments, scopes: own }, ...inner]
    : inner;
}

function isRefuse(callee: unknown): boolean {
  return isRecord(callee) && callee.type === "Identifier" && callee.name === "refuse";
}

function constantsIn(statements: readonly unknown[]): Map<unknown, unknown> {
  const found = new Map<unknown, unknown>();
  for (const statement of statements) {
    if (!isRecord(statement)) continue;
    if (statement.type === "FunctionDeclaration") found.set(nameOf(statement.id), statement);
    if (statement.kind !== "const") continue;
    if (!Array.isArray(statement.declarations)) continue;
    for (const { id, init } of statement.declarations) found.set(nameOf(id), init);
  }
  return found;
}

/** Each possible text of an expression. */
function textsOf(node: unknown, scopes: Scopes): string[] {
  if (!isRecord(node)) return [];
  if (node.type === "Literal") return [`${node.value}`];
  if (node.type === "Texts" && Array.isArray(node.texts)) return node.texts.map(String);
  if (node.type === "ConditionalExpression") {
    const branches = [node.consequent, node.alternate].filter((branch) => !isNull(branch));
    return branches.flatMap((branch) => textsOf(branch, scopes));
  }
  if (node.type === "TemplateLiteral") return fill(node, scopes);
  if (node.type === "BinaryExpression" && node.operator === "+") {
    if (isNumber(node)) return ["{number}"];
    return pairs(textsOf(node.left, scopes), textsOf(node.right, scopes));
  }
  if (node.type === "Identifier") {
    const init = scopes.find((scope) => scope.has(node.name))?.get(node.name);
    if (isRecord(init)) return textsOf(init, scopes);
  }
  return [`{${nameOf(node)}}`];
}

/** A sum with a number in it is a number, not a joined text. */
function isNumber(node: unknown): boolean {
  if (!isRecord(node)) return false;
  if (node.type === "Literal") return typeof node.value === "number";
  return node.type === "BinaryExpression" && (isNumber(node.left) || isNumber(node.right));
}

function isNull(node: unknown): boolean {
  return isRecord(node) && node.type === "Literal" && node.value === null;
}

function fill({ quasis, expressions }: Node, scopes: Scopes): string[] {
  if (!Array.isArray(quasis) || !Array.isArray(expressions)) return [];
  return quasis.reduce(
    (texts: string[], { value }, n) => {
      const hole = n === 0 ? [""] : textsOf(expressions[n - 1], scopes);
      return pairs(texts, pairs(hole, [value.cooked]));
    },
    [""],
  );
}

function pairs(starts: readonly string[], ends: readonly string[]): string[] {
  return starts.flatMap((start) => ends.map((end) => start + end));
}

function nameOf(node: unknown): string {
  if (!isRecord(node)) return "…";
  if (typeof node.name === "string") return node.name;
  if (node.type === "MemberExpression") return nameOf(node.property);
  if (node.type === "CallExpression") return nameOf(node.callee);
  return "…";
}
