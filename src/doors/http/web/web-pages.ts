import type { FastifyReply, FastifyRequest } from "fastify";
import { isRecord } from "../../../contract/is-record.ts";
import { acceptsType } from "../accepts-type.ts";
import type { OpenRoute } from "../open-routes.ts";
import { readAsset, readDocument } from "./web-files.ts";

/** The paths in web/src/pages.tsx. All are one document without user data; the page loads its data itself. */
export const WEB_PAGES = [
  "/",
  "/login",
  "/login/callback",
  "/link",
  "/device",
  "/inbox",
  "/recovery",
  "/past",
  "/numbers",
  "/import",
  "/trash",
  "/audit-log",
  "/s/:id",
  "/s/:id/timeline",
  "/s/:id/files",
  "/s/:id/branches",
  "/s/:id/compare",
] as const;

/** Allows no script, style or connection except our own, and nothing that could turn text into one. */
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
/** The one file whose name contains no digest. */
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
      doc: "Files of the web page",
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

/** The one document: the page depends on the address, and an unknown address has a page of its own. */
export async function sendDocument(reply: FastifyReply): Promise<FastifyReply> {
  reply.header("content-security-policy", POLICY);
  reply.header("cross-origin-opener-policy", "same-origin");
  return reply.type("text/html; charset=utf-8").send(await readDocument());
}

/** True if a person opened the address in a browser, not a program or script. */
export function isTypedAddress({ method, headers }: FastifyRequest): boolean {
  const mode = headers["sec-fetch-mode"] ?? "navigate";
  const asks = headers.authorization === undefined && mode === "navigate";
  return method === "GET" && asks && acceptsType(headers, "text/html");
}

function nameIn(params: unknown): string {
  return isRecord(params) ? String(params.name ?? "") : "";
}
