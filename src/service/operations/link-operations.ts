import { randomBytes } from "node:crypto";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { LinkState } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { PublicLink } from "../../contract/operations/share-operations.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { worksNow } from "../../core/public-link.ts";
import { isSystemHead } from "../../core/session/known-events.ts";
import { iso } from "../../core/view/view-session.ts";
import { listStreams } from "../../store/read-streams.ts";
import { expectFuture } from "../access/expect-future.ts";
import { sealHidden } from "../access/hidden-values.ts";
import { findHidden, linkPath, previewPublicPages } from "../access/public-pages.ts";
import { digestOf } from "../access/secret-digest.ts";
import { findSession } from "../read/find-session.ts";
import { linkPrefix, recordSystemFact } from "../record-system-fact.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

const YEAR_MS = 366 * 24 * 3_600_000;

/** Pages without login that show a session. */
export const linkOperations = {
  async preview_link(
    context: ServiceContext,
    { id }: Parsed<"preview_link">,
    caller: Caller,
  ): Promise<Output<"preview_link">> {
    const found = await findSession(context, caller.owner, id);
    const { shown, hidden_count, hidden } = await previewPublicPages(context, found);
    const { key: session_id, seq: through } = found.stream;
    return { session_id, through, shown, hidden_count, hidden: [...hidden] };
  },

  async add_link(
    context: ServiceContext,
    input: Parsed<"add_link">,
    caller: Caller,
  ): Promise<Output<"add_link">> {
    const found = await findSession(context, caller.owner, input.id);
    const { stream, head } = found;
    const { key: session_id, id: entity_id, seq } = stream;
    const until = expectFuture(context, input.until ?? "7d");
    const now = context.now();
    if (until > now + YEAR_MS) {
      const message = `until: must be within a year, not ${input.until}`;
      throw new BelayError(refuse("invalid_input", message, { field: "until" }));
    }
    if (head.deleted) {
      const message = `${session_id} is in the trash. Restore it before you share it.`;
      throw new BelayError(refuse("session_deleted", message, { session_id }));
    }
    const links = await readLinks(context, caller.owner, entity_id);
    if (links.filter((link) => worksNow(link, now)).length >= LIMITS.LINKS) {
      const message = `${session_id} has ${LIMITS.LINKS} public links. Revoke one first.`;
      throw new BelayError(refuse("limit_reached", message, { limit: LIMITS.LINKS }));
    }
    const link_id = context.newId();
    const secret = randomBytes(16).toString("base64url");
    const values = await findHidden(context, found);
    const hides = values.size > 0 ? { hides: sealHidden(values, link_id, secret) } : {};
    const data = { link_id, entity_id, digest: digestOf(secret), seq, until, ...hides };
    await recordSystemFact(context, caller, { type: "link.created", data }, link_id);
    const link = await findLink(context, caller.owner, entity_id, link_id);
    return { ...viewLink(link, session_id), path: linkPath(link_id, secret) };
  },

  async list_links(
    context: ServiceContext,
    { id }: Parsed<"list_links">,
    caller: Caller,
  ): Promise<Output<"list_links">> {
    const { stream } = await findSession(context, caller.owner, id);
    const links = await readLinks(context, caller.owner, stream.id);
    const shown = links.toSorted((a, b) => b.created_at - a.created_at);
    return { session_id: stream.key, links: shown.map((link) => viewLink(link, stream.key)) };
  },

  async revoke_link(
    context: ServiceContext,
    { id, link_id }: Parsed<"revoke_link">,
    caller: Caller,
  ): Promise<PublicLink> {
    const { stream } = await findSession(context, caller.owner, id);
    const entity_id = stream.id;
    await findLink(context, caller.owner, entity_id, link_id);
    const fact = { type: "link.revoked", data: { link_id, entity_id } } as const;
    await recordSystemFact(context, caller, fact, link_id);
    return viewLink(await findLink(context, caller.owner, entity_id, link_id), stream.key);
  },
};

async function findLink(
  context: ServiceContext,
  owner: string,
  entity_id: string,
  link_id: string,
): Promise<LinkState> {
  const links = await readLinks(context, owner, entity_id);
  const link = links.find(({ id }) => id === link_id);
  if (link) return link;
  const message = `Public link ${link_id} not found.`;
  throw new BelayError(refuse("link_not_found", message, { link_id }));
}

async function readLinks(
  { store }: ServiceContext,
  owner: string,
  entity_id: string,
): Promise<LinkState[]> {
  const filter = { key_prefix: linkPrefix(entity_id) };
  const streams = await listStreams(store, { kind: "system", owner, filter });
  return streams.flatMap(({ head }) => (isSystemHead(head) ? (head.link ?? []) : []));
}

function viewLink(link: LinkState, session_id: string): PublicLink {
  const { id, seq, until, created_at, revoked_at, opened, opened_at } = link;
  return {
    link_id: id,
    session_id,
    through: seq,
    until: iso(until),
    created_at: iso(created_at),
    revoked_at: revoked_at === null ? null : iso(revoked_at),
    opened,
    last_opened_at: opened_at === null ? null : iso(opened_at),
  };
}
