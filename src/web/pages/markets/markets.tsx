import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { call } from '../../api/client.ts';
import type { Problem } from '../../api/problem.ts';
import type { Output } from '../../api/routes.ts';
import { listedChance } from '../../format/listed-chance.ts';
import { cents, usd } from '../../format/money.ts';
import { sentence, words } from '../../format/text.ts';
import { marketPath } from '../../routes.ts';
import { useDaemonNow } from '../../app/clock.ts';
import { isOpen, isPastEnd } from './is-open.ts';
import {
  filtersOf,
  type MarketFilters,
  queryOf,
  SEARCH_MAXIMUM_CHARS,
  searchHint,
  VENUES,
} from './market-filters.ts';
import { marketsAgainMs } from './markets-again.ts';
import { noMarketWords } from './no-market-words.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Moment } from '../../ui/figures.tsx';
import { Field, Segment, Select } from '../../ui/form.tsx';
import { Page } from '../../ui/layout.tsx';
import { MarketName } from '../../ui/market-name.tsx';
import { Empty, ProblemNote, Skeleton } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import styles from './markets.module.css';

type Market = Output<'GET /api/markets/'>['data'][number];

/**
 * Markets of all venues or of one, by text, by whether they are open, and by their ends; the
 * address keeps the filters.
 */
export function MarketsPage() {
  const [parameters, setParameters] = useSearchParams();
  const [text, setText] = useState(parameters.get('search') ?? '');
  const filters = filtersOf(parameters);
  const { search, state, venue, sort } = filters;
  const list = useInfiniteQuery<Output<'GET /api/markets/'>, Problem>({
    queryKey: ['GET /api/markets/', filters],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /api/markets/',
        {
          query: {
            ...queryOf(filters),
            ...(typeof pageParam === 'string' ? { cursor: pageParam } : {}),
          },
        },
        { signal },
      ),
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: (query) => marketsAgainMs(query.state.data?.pages),
  });
  const change = (name: keyof MarketFilters, value: string): void =>
    setParameters(
      (now) => {
        const next = new URLSearchParams(now);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const nowMs = useDaemonNow();
  const listed = list.data?.pages.flatMap(({ data }) => data) ?? null;
  const markets =
    state === 'active' ? (listed?.filter((each) => isOpen(each, nowMs)) ?? null) : listed;
  const missing = list.data?.pages.at(-1)?.missing ?? [];
  return (
    <Page title="Markets">
      <Card>
        <div className={styles['filters']}>
          <Field
            label="Search"
            type="search"
            value={text}
            maxLength={SEARCH_MAXIMUM_CHARS}
            hint={searchHint(text)}
            placeholder="Part of a question, such as Bitcoin"
            onChange={(event) => {
              setText(event.target.value);
              change('search', event.target.value);
            }}
          />
          <Select
            label="Venue"
            value={venue ?? ''}
            onChange={(event) => change('venue', event.target.value)}
          >
            <option value="">All venues</option>
            {VENUES.map((each) => (
              <option key={each} value={each}>
                {sentence(words(each))}
              </option>
            ))}
          </Select>
          <Select
            label="Order"
            value={sort ?? ''}
            onChange={(event) => change('sort', event.target.value)}
          >
            <option value="">Venues in turn</option>
            <option value="ending">{state === 'closed' ? 'Ended last' : 'Ends soonest'}</option>
          </Select>
          <Segment<'active' | 'closed'>
            label="Which markets"
            value={state}
            choices={[
              ['active', 'Open'],
              ['closed', 'Ended'],
            ]}
            onChange={(value) => change('state', value === 'active' ? '' : value)}
          />
        </div>
        {missing.length === 0 ? null : (
          <p className="warn" style={{ padding: '10px 16px' }}>
            {missing.map(({ venue, detail }) => `${venue.replace('_', ' ')}: ${detail}`).join(' ')}
          </p>
        )}
        {list.error === null ? null : (
          <ProblemNote problem={list.error} onRetry={() => void list.refetch()} />
        )}
        {markets === null ? (
          list.error === null && <Skeleton lines={10} />
        ) : markets.length === 0 ? (
          <Empty>
            {noMarketWords({
              search,
              state,
              venue,
              missing: missing.map((each) => each.venue),
              isIncomplete: list.data?.pages.some(({ incomplete }) => incomplete === true) ?? false,
            })}
          </Empty>
        ) : (
          <Table
            caption="Markets"
            columns={COLUMNS}
            rows={markets}
            keyOf={({ venue, marketId }) => `${venue} ${marketId}`}
          />
        )}
        {list.hasNextPage ? (
          <div style={{ padding: 12, textAlign: 'center' }}>
            <Button
              isSmall
              isBusy={list.isFetchingNextPage}
              onClick={() => void list.fetchNextPage()}
            >
              More
            </Button>
          </div>
        ) : null}
      </Card>
    </Page>
  );
}

function Ends({ market }: { readonly market: Market }) {
  const nowMs = useDaemonNow();
  return isOpen(market, nowMs) && isPastEnd(market, nowMs) ? (
    'open until its result'
  ) : (
    <Moment atMs={market.endsAtMs} />
  );
}

const COLUMNS: readonly Column<Market>[] = [
  {
    head: 'Market',
    cell: (market) => (
      <Link href={marketPath(market.venue, market.marketId)}>
        <MarketName {...market} />
        <div className="faint">{words(market.venue)}</div>
      </Link>
    ),
  },
  {
    head: 'Chance',
    isNumber: true,
    cell: listedChance,
  },
  {
    head: 'Bid, ask',
    isNumber: true,
    cell: ({ outcomes }) => {
      const quote = outcomes[0]?.quote ?? null;
      return quote === null || (quote.bid === null && quote.ask === null)
        ? '–'
        : `${cents(quote.bid)}, ${cents(quote.ask)}`;
    },
  },
  { head: 'Volume', isNumber: true, cell: ({ volumeUsd }) => usd(volumeUsd) },
  {
    head: 'Ends',
    isNumber: true,
    cell: (market) => <Ends market={market} />,
  },
];
