import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Problem } from './problem.ts';
import type { CallName } from './routes.ts';

/** A page of a list of the daemon. */
export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly nextCursor: string | null;
}

/** A list that is read page by page; `data` holds the rows of all pages read so far. */
export interface PagedRead<Row, Page extends ListPage<Row> = ListPage<Row>> {
  readonly data: readonly Row[] | undefined;
  /** The newest page as it came, for what it says beside its rows. */
  readonly newest: Page | undefined;
  readonly error: Problem | null;
  refetch(): Promise<unknown>;
  /** Reads the next page of older rows; null without one, and of a full list. */
  readonly readOlder: (() => void) | null;
  readonly isReadingOlder: boolean;
  /** True where there are older rows than the page may hold. */
  readonly isFull: boolean;
}

/** Which page is read: the first one as long as the daemon makes it, older ones longer. */
interface PageQuery {
  readonly cursor?: string;
  readonly limit?: string;
}

/** The pages of a list are read again together: more would use up the budget of reads. */
const PAGES_AT_MOST = 10;

/**
 * Entries of each page after the first, the most that the interface gives: a list goes on for 1,850
 * entries within the bound, and its first page stays quick.
 */
const OLDER_PAGE_ENTRIES = 200;

/** Reads a list of the daemon by its cursor. */
export function usePages<Page extends ListPage<unknown>>(
  name: CallName,
  read: (query: PageQuery, options: { readonly signal: AbortSignal }) => Promise<Page>,
  {
    about = [],
    isEnabled = true,
  }: {
    /** Tells two lists of one call apart. */
    readonly about?: readonly string[];
    readonly isEnabled?: boolean;
  } = {},
): PagedRead<Page['data'][number], Page> {
  type Key = readonly string[];
  const list = useInfiniteQuery<
    Page,
    Problem,
    InfiniteData<Page, string | null>,
    Key,
    string | null
  >({
    queryKey: [name, 'pages', ...about],
    queryFn: ({ pageParam, signal }) =>
      read(pageParam === null ? {} : { cursor: pageParam, limit: String(OLDER_PAGE_ENTRIES) }, {
        signal,
      }),
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }, pages) => (pages.length < PAGES_AT_MOST ? nextCursor : null),
    enabled: isEnabled,
  });
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list;
  const pageCount = list.data?.pages.length ?? 0;
  const [wanted, setWanted] = useState(0);
  const isAwaited = hasNextPage && pageCount < wanted;
  // a change that a topic reports reads the list anew, and calls off the page that was on its way
  useEffect(() => {
    if (isAwaited && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [isAwaited, isFetching, isFetchNextPageError, fetchNextPage]);
  const readOlder = (): void => {
    setWanted(pageCount + 1);
    void fetchNextPage();
  };
  return {
    data: list.data?.pages.flatMap(({ data }): readonly Page['data'][number][] => data),
    newest: list.data?.pages[0],
    error: list.error,
    refetch: list.refetch,
    readOlder: hasNextPage ? readOlder : null,
    isReadingOlder: list.isFetchingNextPage,
    isFull:
      list.data?.pages.length === PAGES_AT_MOST && list.data.pages.at(-1)?.nextCursor !== null,
  };
}
