import { memo, useCallback, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { useRead } from '../../api/query.ts';
import { type Market, VENUE_CALLS, type VenueCalls } from '../../api/venues.ts';
import { useDaemonNow } from '../../app/clock.ts';
import { useSustained } from '../../app/sustained.ts';
import { eventBeside } from '../../format/market-name.ts';
import { cents, chance, percent, shares, usd } from '../../format/money.ts';
import { exactMoment, relative, timeLeft } from '../../format/time.ts';
import { bestOf, isSameBest, type LiveBook } from '../../live/book.ts';
import { useIsLost, useTopicPart } from '../../live/live.ts';
import type { TopicStore, TopicView } from '../../live/topic-store.ts';
import { useBookStore, useMarketPrice } from '../../live/topics.ts';
import { PAGES } from '../../routes.ts';
import { Card, Facts } from '../../ui/card.tsx';
import { Profit } from '../../ui/figures.tsx';
import { Segment } from '../../ui/form.tsx';
import { Page } from '../../ui/layout.tsx';
import { NothingThere, ReadPage } from '../../ui/read-page.tsx';
import { Empty, StateDot } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { Term } from '../../ui/term.tsx';
import { OpenOrders } from '../activity/open-orders.tsx';
import { Leftover } from '../portfolio/leftover.tsx';
import { stateNote } from '../portfolio/position-note.ts';
import { BookLadder } from './book-ladder.tsx';
import { HeldHere } from './held-here.tsx';
import { MarketChart } from './market-chart.tsx';
import { atLiveBid } from './live-worth.ts';
import { outcomeQuotes, type Quotes } from './outcome-quotes.ts';
import { Ticket } from './ticket.tsx';
import { useMarket } from './use-market.ts';
import styles from './markets.module.css';
import { agentName } from '../../format/agent-name.ts';

/** A book that lost trust for less than this is no news. */
const LATE_AFTER_MS = 700;

/** What one holds is read again so often beside what topics tell of it, ms. */
const PORTFOLIO_EVERY_MS = 15_000;

/** A market of any venue: its price, book, ticket, what one holds there, and its rules. */
export function MarketPage({
  venue,
  marketId,
}: {
  readonly venue: string;
  readonly marketId: string;
}) {
  const calls = VENUE_CALLS[venue];
  const market = useMarket(venue, marketId, { everyMs: 15_000 });
  const list = (
    <Link href={PAGES.markets} className="link">
      To all markets
    </Link>
  );
  if (calls === undefined) return <NothingThere title="Market" list={list} />;
  return (
    <ReadPage title="Market" of={market} lines={10} list={list}>
      {(answer) => <MarketView key={answer.marketId} market={answer} calls={calls} />}
    </ReadPage>
  );
}

function MarketView({ market, calls }: { readonly market: Market; readonly calls: VenueCalls }) {
  const [side, setSide] = useState<'yes' | 'no'>('yes');
  const [price, setPrice] = useState<string | null>(null);
  const isLost = useIsLost();
  // a busy book must draw its ladder at each change, and nothing else of the page
  const books = useBooks(market, calls);
  const isMirrored = calls.isMirrored(market);
  const book = isMirrored ? books.yes : books[side];
  const quotes = useQuotes(market, books, isMirrored);
  const isPool = calls.poolPriceId(market) !== null;
  const pool = useMarketPrice(market.venue, market.closed ? null : calls.poolPriceId(market));
  const stated = pool.data?.yes ?? null;
  const isLate = useSustained(!useTopicPart(book, isTrustedNow), LATE_AFTER_MS);
  const ended = useTopicPart(book, endOf);
  const standing = useMemo(() => ({ isLost, isTrusted: !isLate, ended }), [isLost, isLate, ended]);
  const choose = useCallback(
    (each: string) => setPrice((Number(each) * 100).toFixed(2).replace(/\.?0+$/, '')),
    [],
  );
  const { bid, ask } = quotes[side];
  const [yes] = market.outcomes;
  const label = market.outcomes.find((outcome) => outcome.side === side)?.label ?? side;
  return (
    <Page
      title={<bdi>{market.question}</bdi>}
      sub={<Subtitle market={market} />}
      actions={
        <div className={styles['chance']}>
          <strong>
            {market.resolution !== null
              ? (market.resolution.label ?? 'shared')
              : stated === null
                ? chance(quotes.yes.bid, quotes.yes.ask)
                : percent(stated)}
          </strong>
          <span className="faint">
            {market.resolution === null ? (
              <>
                <Term of="chance">chance of {yes?.label ?? 'Yes'}</Term>
                {stated === null ? null : (
                  <>
                    {' '}
                    <StateDot state={pool.isTrusted && !isLost ? 'on' : 'late'}>
                      {pool.isTrusted && !isLost ? 'Live' : 'Late'}
                    </StateDot>
                  </>
                )}
              </>
            ) : market.resolution.label === null ? (
              'voided'
            ) : (
              'won'
            )}
          </span>
        </div>
      }
    >
      <div className={styles['market']}>
        <Card title={`Price of ${label}`}>
          <MarketChart
            key={`${market.marketId} ${side}`}
            market={market}
            calls={calls}
            side={side}
            bid={bid}
            ask={ask}
          />
        </Card>
        <Card
          title={isPool ? <Term of="pool">Pool prices</Term> : <Term of="book">Order book</Term>}
          aside={
            <Segment<'yes' | 'no'>
              label="Outcome"
              value={side}
              choices={market.outcomes.map((outcome) => [outcome.side, outcome.label] as const)}
              onChange={setSide}
            />
          }
        >
          {market.closed ? (
            <Empty>This market is closed; it has no book any more.</Empty>
          ) : (
            <BookLadder
              of={book}
              isMirrored={isMirrored && side === 'no'}
              standing={standing}
              onPrice={choose}
            />
          )}
        </Card>
        {market.closed || (!market.acceptingOrders && market.notTradeableReason === null) ? (
          <Ended market={market} />
        ) : market.notTradeableReason !== null ? (
          <NotTraded reason={market.notTradeableReason} />
        ) : (
          <Ticket
            key={market.marketId}
            market={market}
            calls={calls.orders}
            isPool={isPool}
            leastShares={calls.leastShares}
            side={side}
            onSide={setSide}
            offered={price}
            standing={standing}
            quotes={quotes}
          />
        )}
        <div className={styles['wide']}>
          <OpenOrders of={market} />
        </div>
        <div className={styles['wide']}>
          <Mine market={market} quotes={isPool ? null : quotes} />
        </div>
        <div className={styles['wide']}>
          <HeldHere market={market} />
        </div>
        <div className={styles['wide']}>
          <Rules market={market} isPool={isPool} />
        </div>
      </div>
    </Page>
  );
}

/** The live books of a market: both outcomes', or the one that serves both. */
function useBooks(market: Market, calls: VenueCalls): Books {
  const idOf = (side: 'yes' | 'no') => (market.closed ? null : calls.bookId(market, side));
  const yes = useBookStore(market.venue, idOf('yes'));
  const no = useBookStore(market.venue, calls.isMirrored(market) ? null : idOf('no'));
  return { yes, no };
}

type Books = Readonly<Record<'yes' | 'no', TopicStore<LiveBook>>>;

/** The same object until a price changes. */
function useQuotes(market: Market, books: Books, isMirrored: boolean): Quotes {
  const yes = useTopicPart(books.yes, bestLevels, isSameBest);
  const no = useTopicPart(books.no, bestLevels, isSameBest);
  return useMemo(
    () => outcomeQuotes(market, { yes, no }, isMirrored),
    [market, yes, no, isMirrored],
  );
}

const isTrustedNow = ({ isTrusted }: TopicView<LiveBook>): boolean => isTrusted;
const endOf = ({ ended }: TopicView<LiveBook>): string | null => ended;
const bestLevels = ({ data }: TopicView<LiveBook>): LiveBook | null => data && bestOf(data);

function Subtitle({ market }: { readonly market: Market }) {
  const nowMs = useDaemonNow();
  const event = eventBeside(market);
  const leftMs = market.endsAtMs === null ? null : market.endsAtMs - nowMs;
  return (
    <>
      {event === null ? null : (
        <strong>
          <bdi>{event}</bdi>
        </strong>
      )}
      <span>{market.venue.replace('_', ' ')}</span>
      {leftMs === null ? null : leftMs <= 0 ? (
        <span>Ended {relative(nowMs + leftMs, nowMs)}</span>
      ) : (
        <strong>Ends in {timeLeft(leftMs)}</strong>
      )}
      <span>
        <Term of="volume">Volume</Term> {usd(market.volumeUsd)}
      </span>
      <span>
        <Term of="liquidity">Liquidity</Term>{' '}
        {market.liquidityUsd === null ? 'not stated' : usd(market.liquidityUsd)}
      </span>
      <span>
        <Term of="tick">Tick</Term> {cents(market.tickSize)}
      </span>
    </>
  );
}

function NotTraded({ reason }: { readonly reason: string }) {
  return (
    <Card title="Not traded here" isPadded>
      <p className="muted">
        <bdi>{reason}</bdi>
      </p>
    </Card>
  );
}

function Ended({
  market: { resolution, acceptingOrders, closed, outcomes },
}: {
  readonly market: Market;
}) {
  return (
    <Card title="How it ended" isPadded>
      {resolution === null ? (
        <p className="muted">
          {closed || !acceptingOrders
            ? 'It takes no orders any more; the venue has not said yet how it ended.'
            : ''}
        </p>
      ) : (
        <Facts
          rows={[
            ['Won', resolution.label ?? 'neither: what is paid is shared'],
            ...outcomes.map(
              ({ side, label }) =>
                [`A share of ${label} pays`, usd(resolution.payouts[side])] as const,
            ),
            [
              'Resolved',
              resolution.resolvedAtMs === null ? '–' : exactMoment(resolution.resolvedAtMs),
            ],
          ]}
        />
      )}
    </Card>
  );
}

const Mine = memo(function Mine({
  market,
  quotes,
}: {
  readonly market: Market;
  /** Null where the market has no live book. */
  readonly quotes: Quotes | null;
}) {
  // its prices, and accounts that venues are read for, come by no topic
  const portfolio = useRead('GET /api/portfolio/', {}, { everyMs: PORTFOLIO_EVERY_MS });
  const mine = (portfolio.data?.positions ?? []).filter(
    ({ venue, position }) => venue === market.venue && position.marketId === market.marketId,
  );
  if (mine.length === 0) return null;
  const live = ({ position }: (typeof mine)[number]) =>
    atLiveBid(position, market.closed ? null : (quotes?.[position.side].bid ?? null));
  return (
    <Card
      title="Yours here"
      aside={
        <Link href={PAGES.portfolio} className="link">
          Portfolio
        </Link>
      }
    >
      <Table
        caption="Your positions in this market"
        rows={mine}
        keyOf={({ position }) => position.tokenId}
        columns={[
          {
            head: 'Position',
            cell: (held) => (
              <>
                <bdi>{held.position.outcomeLabel}</bdi>
                {held.position.agent === null ? null : (
                  <span className="faint"> {agentName(held.position.agent)}</span>
                )}
                {held.position.payoutPerShare === null ? null : (
                  <div className="faint">{stateNote(held, [])}</div>
                )}
                <Leftover held={held} />
              </>
            ),
          },
          { head: 'Shares', isNumber: true, cell: ({ position }) => shares(position.shares) },
          { head: 'Entry', isNumber: true, cell: ({ position }) => cents(position.entryPrice) },
          { head: 'Now', isNumber: true, cell: (held) => cents(live(held).price) },
          {
            head: 'Profit',
            isNumber: true,
            cell: (held) => <Profit amount={live(held).profit} />,
          },
        ]}
      />
    </Card>
  );
});

const Rules = memo(function Rules({
  market,
  isPool,
}: {
  readonly market: Market;
  readonly isPool: boolean;
}) {
  return (
    <Card title="Rules" isPadded>
      <p className={styles['rules']}>
        <bdi>{market.description === '' ? 'The venue states none.' : market.description}</bdi>
      </p>
      <p className="faint">
        {isPool
          ? 'It is traded with a pool by transactions of your own wallet, which pays their gas. The pool’s fee is in its prices.'
          : market.takerFeeRate === null
            ? 'The venue states no rate of its fee; the order says what it comes to before you send it.'
            : `Fee for who takes: ${percent(market.takerFeeRate)} × price × (1 − price) a share.`}
        {market.resolutionSource === null ? null : (
          <>
            {' '}
            Source: <bdi>{market.resolutionSource}</bdi>
          </>
        )}
      </p>
    </Card>
  );
});
