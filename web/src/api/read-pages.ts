/** The page size, and the most pages that are read: nobody reads a longer list without a filter. */
const PAGE = 100;
const MOST_PAGES = 10;

interface Pages<P> {
  readonly pages: readonly P[];
  /** True if there are more pages than were read. */
  readonly more: boolean;
}

/** Reads a whole list, so that it can be sorted in another order than the server's. */
export async function readPages<P extends { readonly next_cursor: string | null }>(
  read: (place: { readonly limit: number; readonly cursor?: string }) => Promise<P>,
): Promise<Pages<P>> {
  const pages: P[] = [];
  let cursor: string | null = null;
  do {
    const page: P = await read({ limit: PAGE, ...(cursor !== null && { cursor }) });
    pages.push(page);
    cursor = page.next_cursor;
  } while (cursor !== null && pages.length < MOST_PAGES);
  return { pages, more: cursor !== null };
}
