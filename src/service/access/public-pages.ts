import { BelayError, refuse } from "../../contract/errors.ts";
import type { LinkState } from "../../contract/head.ts";
import type { LogEvent } from "../../contract/session.ts";
import { presentPublicly, worksNow } from "../../core/public-link.ts";
import { isSessionHead, isSystemEvent, isSystemHead } from "../../core/session/known-events.ts";
import { iso } from "../../core/view/view-session.ts";
import type { HiddenSecret } from "../../redaction/redactor.ts";
import { loadStream, readEvents } from "../../store/read-streams.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";
import type { FoundSession } from "../read/find-session.ts";
import { readHeadAt } from "../read/read-head-at.ts";
import {
  learnSecrets,
  presentAll,
  readSearched,
  SEARCHED_BYTES,
  type SearchedEvents,
} from "../redact/learn-secrets.ts";
import { redactEvents } from "../redact/redact-events.ts";
import type { ServiceContext } from "../service-context.ts";
import { openHidden } from "./hidden-values.ts";
import { isActive } from "./read-grants.ts";
import { isDigestOf } from "./secret-digest.ts";

const LINK = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_([\w-]{22})$/;

/** The path of a link. The secret is after the #, which browsers never send. */
export function linkPath(link_id: string, secret: string): string {
  return `/link#${link_id.replaceAll("-", "")}_${secret}`;
}

/** One page of a session as a public link shows it. */
export interface PublicPage {
  readonly link_id: string;
  readonly owner: string;
  readonly entity_id: string;
  readonly title: string | null;
  readonly agent_name: string;
  readonly status: string;
  readonly created_at: string;
  readonly until: string;
  readonly events: readonly Omit<LogEvent, "hash">[];
  readonly next_cursor: number | null;
}

type LinkingContext = Pick<ServiceContext, "store" | "variables">;
type PublicContext = Pick<ServiceContext, "store" | "now">;

interface Opened {
  readonly link: LinkState;
  /** Values that its creator has seen hidden. */
  readonly hides: readonly string[];
  readonly stream: StoredStream;
}

/** Throws the same error for an unknown link and for one that no longer works. */
async function openLink({ store, now }: PublicContext, text: string): Promise<Opened> {
  const parts = LINK.exec(text);
  const secret = parts?.pop();
  const id = parts?.slice(1).join("-");
  const stream = id === undefined ? undefined : await loadStream(store, { id });
  const link = isSystemHead(stream?.head) ? stream.head.link : undefined;
  if (!link || secret === undefined || !isDigestOf(link.digest, secret)) throw notFound();
  const session = await loadStream(store, { id: link.entity_id });
  const head = isSessionHead(session?.head) ? session.head : null;
  if (!session || !head || head.deleted || session.owner !== stream?.owner) throw notFound();
  if (!worksNow(link, now()) || !(await isActive(store, session.owner))) throw notFound();
  return { link, hides: await readHidden(store, link.id, secret), stream: session };
}

/** The event that created a link is the first one of its stream. */
async function readHidden(store: StreamStore, link_id: string, secret: string): Promise<string[]> {
  const [created] = await readEvents(store, link_id, { after: 0, limit: 1 });
  const isCreated = created && isSystemEvent(created) && created.type === "link.created";
  const hides = isCreated ? created.data.hides : undefined;
  return hides === undefined ? [] : openHidden(hides, link_id, secret);
}

function notFound(): BelayError {
  const message = "This link does not exist, has expired or was revoked. Ask for a new one.";
  return new BelayError(refuse("link_not_found", message));
}

type Learned = ReadonlySet<string>;

/** The number of links whose learned secrets are kept in memory. */
const MOST_KEPT = 100;

/** Reads the pages that public links show. */
export class PublicPages {
  readonly #context: PublicContext;
  readonly #learned = new Map<string, Promise<Learned>>();

  constructor(context: PublicContext) {
    this.#context = context;
  }

  async read(text: string, before: number | undefined, limit: number): Promise<PublicPage> {
    const { store } = this.#context;
    const { link, hides, stream } = await openLink(this.#context, text);
    // A later title, agent or status is not shown, as later events are not.
    const head = await readHeadAt(store, stream.id, link.seq);
    if (!head) throw notFound();
    const { openRedactor } = await import("../../redaction/open-redactor.ts");
    const redactor = openRedactor({}, [...hides, ...(await this.#learn(link))]);
    const range = { before: Math.min(before ?? Infinity, link.seq + 1), limit };
    const read = await readEvents(store, stream.id, { ...range, bytes: SEARCHED_BYTES });
    const { events } = await redactEvents(
      store,
      stream.id,
      presentAll(read, presentPublicly),
      redactor,
    );
    const first = read[0]?.seq ?? 1;
    // The link may have been revoked while the page was read.
    await openLink(this.#context, text);
    return {
      link_id: link.id,
      owner: stream.owner,
      entity_id: link.entity_id,
      title: head.title === null ? null : redactor.text(head.title),
      agent_name: redactor.text(head.agent_name),
      status: head.status,
      created_at: iso(head.created_at),
      until: iso(link.until),
      events: events.map(({ hash: _, ...event }) => event),
      next_cursor: first > 1 ? first : null,
    };
  }

  /** A password that is recognized by its name in one place is hidden everywhere, on any page. */
  #learn(link: LinkState): Promise<Learned> {
    const known = this.#learned.get(link.id);
    if (known) return known;
    const learning = learnSecrets(
      this.#context.store,
      publicEvents(link.entity_id, link.seq),
      new Set(),
    );
    learning.catch(() => this.#learned.delete(link.id));
    this.#learned.set(link.id, learning);
    const [oldest] = this.#learned.keys();
    if (this.#learned.size > MOST_KEPT && oldest !== undefined) this.#learned.delete(oldest);
    return learning;
  }
}

type Hidden = HiddenSecret & { readonly seq: number | null };

interface Preview {
  readonly shown: number;
  readonly hidden_count: number;
  /** The first of them. */
  readonly hidden: readonly Hidden[];
}

/** The number of hidden secrets that a preview lists. */
const MOST_LISTED = 500;

/** Counts the events that a link would show, and the secrets that it would hide. */
export async function previewPublicPages(
  { store, variables = {} }: LinkingContext,
  { stream, head }: FoundSession,
): Promise<Preview> {
  const { openRedactor } = await import("../../redaction/open-redactor.ts");
  const known = await learnSecrets(store, publicEvents(stream.id, stream.seq), new Set());
  const own = openRedactor(variables, known);
  own.value({ title: head.title, agent_name: head.agent_name });
  const hidden: Hidden[] = own.hidden.map((one) => ({ ...one, seq: null }));
  let hidden_count = hidden.length;
  let shown = 0;
  await readSearched(store, publicEvents(stream.id, stream.seq), async (events) => {
    shown += events.length;
    const page = await redactEvents(store, stream.id, events, openRedactor(variables, known));
    hidden_count += page.hidden.length;
    hidden.push(...page.hidden.slice(0, MOST_LISTED - hidden.length));
  });
  return { shown, hidden_count, hidden };
}

/** The secrets that a link to this session must hide. The server that shows it does not know the variables of its creator. */
export async function findHidden(
  { store, variables = {} }: LinkingContext,
  { stream, head: { title, agent_name } }: FoundSession,
): Promise<Learned> {
  const { openRedactor } = await import("../../redaction/open-redactor.ts");
  const learned = new Set<string>();
  openRedactor(variables, [], learned).value({ title, agent_name });
  return learnSecrets(store, publicEvents(stream.id, stream.seq), learned, variables);
}

function publicEvents(id: string, last: number): SearchedEvents {
  return { id, after: 0, last, present: presentPublicly };
}
