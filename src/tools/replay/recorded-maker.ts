import { REPLAY } from '../../../config/limits/replay.ts';
import { asId, type Address, type OrderId } from '../../domain/ids.ts';
import { mulDiv, priceTicks, shareMicros, TICKS_PER_USD, usdcMicros } from '../../domain/units.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Exchange, ExchangeMarket } from '../../sandbox/engine/exchange-types.ts';
import type { VenueModel } from '../../sandbox/engine/exchange.ts';
import { orderNumbers } from '../../sandbox/engine/traders/market-maker.ts';
import type { RecordedBook, RecordedLevel } from './recording.ts';

/** The market maker, running. */
export interface RecordedMaker {
  /** Levels the venue would not take: smaller than the market's least order. */
  readonly levelsLeftOut: number;
  stop(): void;
}

const MAKER: Address = asId('0x2000000000000000000000000000000000000001');
const OWNER = 'maker-recorded';
const MAKER_NUMBER = 2;

interface Shown {
  readonly orderId: OrderId;
  readonly size: number;
}

/**
 * Shows each recorded book when its time has come: orders of the market maker are replaced where
 * the book differs from what rests, and nothing else is touched. The market maker buys only: an ask
 * for Up is a bid for Down.
 */
export function startRecordedMaker({
  clock,
  exchange,
  market,
  books,
}: {
  readonly clock: Clock;
  readonly exchange: Pick<VenueModel, 'place' | 'cancel' | 'order' | 'deposit' | 'market'>;
  readonly market: ExchangeMarket;
  /** In order of time. */
  readonly books: readonly RecordedBook[];
}): RecordedMaker {
  const orderIdOf = orderNumbers(clock.nowMs(), MAKER_NUMBER);
  const shown = new Map<string, Shown>();
  let leftOut = 0;
  let next = 0;
  let timer: Timer | null = null;
  exchange.deposit(MAKER, usdcMicros(REPLAY.makerFundsMicros));

  function show(book: RecordedBook): void {
    const wanted = new Map([...entries('bid', book.bids), ...entries('ask', book.asks)]);
    const stale = [...shown].filter(
      ([key, { orderId, size }]) =>
        wanted.get(key)?.size !== size || remaining(exchange, orderId) !== size,
    );
    for (const [key, { orderId }] of stale) {
      exchange.cancel(OWNER, orderId);
      shown.delete(key);
    }
    for (const [key, { side, price, size }] of wanted)
      if (!shown.has(key)) quote(key, { side, price, size });
  }

  function quote(key: string, { side, price, size }: Level): void {
    if (size < market.minSize) {
      leftOut += size > 0 ? 1 : 0;
      return;
    }
    const own = side === 'bid' ? price : TICKS_PER_USD - price;
    const orderId = orderIdOf();
    const answer = exchange.place({
      orderId,
      maker: MAKER,
      owner: OWNER,
      tokenId: market.tokens[side === 'bid' ? 0 : 1],
      side: 'buy',
      timeInForce: 'GTC',
      price: priceTicks(own),
      makerMicros: mulDiv(size, own, TICKS_PER_USD, 'floor'),
      takerMicros: shareMicros(size),
      expiresAtMs: null,
      postOnly: false,
    });
    if (answer.kind === 'rejected') leftOut += 1;
    else shown.set(key, { orderId, size });
  }

  function turn(): void {
    const nowMs = clock.nowMs();
    let due: RecordedBook | undefined;
    for (let book = books[next]; book !== undefined && book.atMs <= nowMs; book = books[next]) {
      due = book;
      next += 1;
    }
    if (due !== undefined && nowMs < market.endsAtMs) show(due);
    const coming = books[next];
    if (coming !== undefined) timer = clock.after(coming.atMs - nowMs, turn);
  }

  turn();
  return {
    get levelsLeftOut() {
      return leftOut;
    },
    stop: () => timer?.cancel(),
  };
}

interface Level extends RecordedLevel {
  readonly side: 'bid' | 'ask';
}

function entries(
  side: Level['side'],
  levels: readonly RecordedLevel[],
): readonly (readonly [string, Level])[] {
  return levels.map((level) => [`${side} ${level.price}`, { side, ...level }]);
}

/** What is left of an order of the market maker; 0 when it has ended: the venue forgets those. */
function remaining(exchange: Pick<Exchange & VenueModel, 'order'>, orderId: OrderId): number {
  const view = exchange.order(orderId);
  return view === null || view.status !== 'LIVE' ? 0 : view.originalMicros - view.matchedShares;
}
