import { type PublicPage, PublicPages } from "../../service/access/public-pages.ts";
import { recordSystemFact } from "../../service/record-system-fact.ts";
import type { ServiceContext } from "../../service/service-context.ts";

const HOUR_MS = 3_600_000;
/** This many visits per link and hour are recorded one by one. The rest are recorded together, so that nobody fills the log. */
const SINGLE = 20;

interface Visited {
  readonly owner: string;
  readonly link_id: string;
  readonly entity_id: string;
}

interface ServedLinks {
  /** Reads a page of a link. The first page, without `before`, is counted as a visit. */
  read(link: string, before: number | undefined, limit: number): Promise<PublicPage>;
  close(): Promise<void>;
}

/** Shows sessions to those who have a public link. */
export function serveLinks(
  context: ServiceContext,
  onFailed: (error: unknown) => void,
): ServedLinks {
  const pages = new PublicPages(context);
  const visits = new LinkVisits(context, onFailed);
  return {
    async read(link, before, limit) {
      const page = await pages.read(link, before, limit);
      if (before === undefined) await visits.add(page);
      return page;
    },
    close: () => visits.close(),
  };
}

/** Counts how often public links are opened. */
class LinkVisits {
  readonly #context: ServiceContext;
  readonly #recent = new Map<string, { readonly visited: Visited; single: number; more: number }>();
  readonly #timer: NodeJS.Timeout;

  constructor(context: ServiceContext, onFailed: (error: unknown) => void) {
    this.#context = context;
    this.#timer = setInterval(() => void this.#flush().catch(onFailed), HOUR_MS).unref();
  }

  async add(visited: Visited): Promise<void> {
    const known = this.#recent.get(visited.link_id) ?? { visited, single: 0, more: 0 };
    this.#recent.set(visited.link_id, known);
    if (known.single === SINGLE) known.more += 1;
    else {
      known.single += 1;
      await this.#record(visited, 1);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }

  async #flush(): Promise<void> {
    const recent = [...this.#recent.values()];
    this.#recent.clear();
    for (const { visited, more } of recent) if (more > 0) await this.#record(visited, more);
  }

  async #record({ owner, link_id, entity_id }: Visited, times: number): Promise<void> {
    const trace_id = this.#context.newId();
    const by = { owner, actor: `link:${link_id}`, interface: "web", trace_id } as const;
    const fact = { type: "link.opened", data: { link_id, entity_id, times } } as const;
    await recordSystemFact(this.#context, by, fact, trace_id);
  }
}
