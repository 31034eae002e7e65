import type { FastifyReply, FastifyRequest } from "fastify";
import { isRecord } from "../../../contract/is-record.ts";
import { acceptsType } from "../accepts-type.ts";
import type { OpenRoute } from "../open-routes.ts";
import { readAsset, readDocument } from "./web-files.ts";

/** The addresses of web/src/pages.tsx. All are one document, which holds nothing of anyone's: what it shows it asks for. */
export const WEB_PAGES = [
  "/",
  "/login",
  "/inbox",
  "/recovery",
  "/past",
  "/numbers",
  "/import",
  "/s/:id",
  "/s/:id/timeline",
  "/s/:id/files",
] as const;

/** No script, style or connection but our own, and nothing that would turn text into one. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const A_YEAR = "public, max-age=31536000, immutable";
/** The one whose name says nothing of what is in it. */
const ICON = "belay.svg";

export function webPages(): OpenRoute[] {
  const pages = WEB_PAGES.map(
    (path): OpenRoute => ({
      method: "GET",
      path,
      doc: "The web page",
      output: "text/html",
      page: true,
      async handle(_request, reply) {
        return sendDocument(reply);
      },
    }),
  );
  return [
    ...pages,
    {
      method: "GET",
      path: "/assets/:name",
      doc: "What the web page loads",
      output: "*/*",
      page: true,
      async handle({ params, headers }, reply) {
        const name = nameIn(params);
        const { type, bytes, zipped } = await readAsset(name);
        reply.type(type).header("vary", "accept-encoding");
        reply.header("cache-control", name === ICON ? "public, max-age=3600" : A_YEAR);
        if (!/\bgzip\b/.test(headers["accept-encoding"] ?? "")) return reply.send(bytes);
        return reply.header("content-encoding", "gzip").send(zipped);
      },
    },
  ];
}

/** The one document: what it shows depends on the address, and an unknown one has a page of its own. */
export async function sendDocument(reply: FastifyReply): Promise<FastifyReply> {
  reply.header("content-security-policy", POLICY);
  reply.header("cross-origin-opener-policy", "same-origin");
  return reply.type("text/html; charset=utf-8").send(await readDocument());
}

/** Whether a person came here with a browser, and no program and no script. */
export function isTypedAddress({ method, headers }: FastifyRequest): boolean {
  const mode = headers["sec-fetch-mode"] ?? "navigate";
  const asks = headers.authorization === undefined && mode === "navigate";
  return method === "GET" && asks && acceptsType(headers, "text/html");
}

function nameIn(params: unknown): string {
  return isRecord(params) ? String(params.name ?? "") : "";
}
