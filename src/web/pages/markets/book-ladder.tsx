import { memo } from 'react';
import { useNow } from '../../app/now.ts';
import { cents, levelShares } from '../../format/money.ts';
import { duration } from '../../format/time.ts';
import { type Level, type LiveBook, mirrored } from '../../live/book.ts';
import { useTopic } from '../../live/live.ts';
import type { TopicStore } from '../../live/topic-store.ts';
import { Aged, Empty, Skeleton, StateDot } from '../../ui/state.tsx';
import { runningTotals } from './running-totals.ts';
import styles from './markets.module.css';

/** Rows a side, in fixed places: an insert must not move what a user is about to press. */
const ROWS = 9;

/** How a book is to be taken. */
export interface BookStanding {
  readonly isLost: boolean;
  readonly isTrusted: boolean;
  readonly ended: string | null;
}

/** A book, asks above bids; pressing a level puts its price into the ticket. */
export function BookLadder({
  of,
  isMirrored,
  standing,
  onPrice,
}: {
  readonly of: TopicStore<LiveBook>;
  /** True where the book is that of the other outcome. */
  readonly isMirrored: boolean;
  readonly standing: BookStanding;
  /** The same function each time: rows are drawn again only where a level changed. */
  onPrice(price: string): void;
}) {
  const { data, inputAtMs } = useTopic(of);
  const deviceMs = useNow();
  const book = data !== null && isMirrored ? mirrored(data) : data;
  const ageMs = inputAtMs === null ? null : deviceMs - inputAtMs;
  if (standing.ended !== null) return <Empty>{standing.ended}</Empty>;
  if (book === null) return <Skeleton lines={12} />;
  if (isAwaited(book) && !standing.isLost)
    return standing.isTrusted ? (
      <Skeleton lines={12} />
    ) : (
      <Empty>The venue has not sent this book yet.</Empty>
    );
  const bid = book.bids[0]?.price ?? null;
  const ask = book.asks[0]?.price ?? null;
  const deepest = Math.max(total(book.bids), total(book.asks), 1);
  return (
    <Aged isOld={standing.isLost || !standing.isTrusted}>
      <div className={styles['book']}>
        <div className={`${styles['level']} ${styles['heads']}`} aria-hidden="true">
          <span className={`${styles['figure']} ${styles['price']}`}>Price</span>
          <span className={styles['figure']}>Shares</span>
          <span className={styles['figure']}>Total</span>
        </div>
        <div className={styles['asks']} role="group" aria-label="Asks">
          <Side levels={book.asks} isReversed deepest={deepest} colour="down" onPrice={onPrice} />
        </div>
        <div className={styles['spread']}>
          <strong>{bid === null || ask === null ? '–' : middle(bid, ask)}</strong>
          <span className="faint">
            {bid === null || ask === null
              ? 'one side is empty'
              : `spread ${cents((Number(ask) - Number(bid)).toFixed(4))}`}
          </span>
          <Standing standing={standing} ageMs={ageMs} distrust={book.distrust} />
        </div>
        <div className={styles['bids']} role="group" aria-label="Bids">
          <Side levels={book.bids} deepest={deepest} colour="up" onPrice={onPrice} />
        </div>
      </div>
    </Aged>
  );
}

/** True for a book of which nothing has come: its empty sides say nothing of the venue's. */
function isAwaited({ distrust, bids, asks }: LiveBook): boolean {
  return distrust === 'no_snapshot' && bids.length + asks.length === 0;
}

function Standing({
  standing: { isLost, isTrusted },
  ageMs,
  distrust,
}: {
  readonly standing: BookStanding;
  readonly ageMs: number | null;
  readonly distrust: string | null;
}) {
  if (isLost) return <StateDot state="late">Connection lost</StateDot>;
  if (!isTrusted)
    return (
      <StateDot state="late">
        {(distrust ?? 'late').replaceAll('_', ' ')}
        {ageMs === null || ageMs < 1_000 ? '' : `, ${duration(ageMs)} old`}
      </StateDot>
    );
  return <StateDot state="on">Live</StateDot>;
}

function Side({
  levels,
  isReversed = false,
  deepest,
  colour,
  onPrice,
}: {
  readonly levels: readonly Level[];
  readonly isReversed?: boolean;
  readonly deepest: number;
  readonly colour: 'up' | 'down';
  onPrice(price: string): void;
}) {
  const totals = runningTotals(levels, ROWS);
  const rows = Array.from({ length: ROWS }, (_each, slot) => ({
    slot,
    level: levels[slot],
    upTo: totals[slot] ?? '0',
  }));
  return (isReversed ? rows.toReversed() : rows).map(({ slot, level, upTo }) => (
    <Row
      key={slot}
      price={level?.price ?? null}
      size={level?.size ?? null}
      upTo={upTo}
      share={level === undefined ? 0 : Math.round((Number(upTo) / deepest) * 100)}
      colour={colour}
      onPrice={onPrice}
    />
  ));
}

/** One level, or an empty place. */
const Row = memo(function Row({
  price,
  size,
  upTo,
  share,
  colour,
  onPrice,
}: {
  readonly price: string | null;
  readonly size: string | null;
  /** Shares up to here. */
  readonly upTo: string;
  /** What of the deepest side is there up to here, percent. */
  readonly share: number;
  readonly colour: 'up' | 'down';
  onPrice(price: string): void;
}) {
  return (
    <button
      type="button"
      className={styles['level']}
      disabled={price === null}
      onClick={() => {
        if (price !== null) onPrice(price);
      }}
    >
      <span className={styles['bar']} style={{ backgroundSize: `${share}% 100%` }} />
      {price === null ? (
        <span className="hidden-visually">empty</span>
      ) : (
        <>
          <span className={`${styles['figure']} ${styles['price']} ${colour}`}>{cents(price)}</span>
          <span className={styles['figure']}>{levelShares(size)}</span>
          <span className={styles['word']}>shares</span>
          <span className={`${styles['figure']} muted`}>{levelShares(upTo)}</span>
          <span className={styles['word']}>up to here</span>
        </>
      )}
    </button>
  );
});

function total(levels: readonly Level[]): number {
  return levels.slice(0, ROWS).reduce((sum, { size }) => sum + Number(size), 0);
}

function middle(bid: string, ask: string): string {
  return cents(((Number(bid) + Number(ask)) / 2).toFixed(4));
}
