import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createBooks, type BooksOptions, type BookUpdate } from '../../streams/book.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import type { Market } from '../../src/domain/market.ts';
import { aLevel, aMarket, T0 } from '../support/builders.ts';
import { createFakeBookSource } from '../support/fakes/fake-book-source.ts';

const market = aMarket(1);
const [up, down] = [market.outcomes[0].tokenId, market.outcomes[1].tokenId];

/**
 * Books of one market over a fake venue whose book has two bids and an ask; what they tell is kept.
 * With `highestWaits` each wait for a new connection is as long as it may be.
 */
export function watchedMarket({
  highestWaits = false,
  speed = 1,
  endOf,
  changes = {},
}: Partial<Pick<BooksOptions, 'speed' | 'endOf'>> & {
  readonly highestWaits?: boolean;
  readonly changes?: Partial<Market>;
} = {}) {
  const clock = createVirtualClock(T0);
  const source = createFakeBookSource(clock, market);
  source.setBook([aLevel(4_800, 10), aLevel(4_700, 20)], [aLevel(5_000, 30)]);
  const incidents: string[] = [];
  const reported: string[] = [];
  let reconnects = 0;
  const books = createBooks({
    source,
    random: highestWaits
      ? { integer: (bound) => bound - 1, bytes: (count) => new Uint8Array(count) }
      : createSeededRandom(1),
    scheduler: clockScheduler(clock),
    speed,
    ...(endOf === undefined ? {} : { endOf }),
    report: {
      incident: (incident) => incidents.push(incident),
      reconnecting({ cause }) {
        reconnects += 1;
        reported.push(`lost: ${String(cause)}`);
      },
      reconnected: () => void reported.push('back'),
      failed: (cause) => void reported.push(`failed: ${String(cause)}`),
    },
  });
  const distrusts: string[] = [];
  const watch = () =>
    books.watch({ ...market, ...changes }).subscribe((update: BookUpdate) => {
      if (update.kind === 'book' && update.tokenId === up)
        distrusts.push(update.distrust() ?? 'trusted');
    });
  /** Keeps the market busy: the same level of Up and its mirror, every 500 ms. */
  const busyFor = async (ms: number, tokens = [up, down]) => {
    for (let passed = 0; passed < ms; passed += 500) {
      await clock.advance(500);
      const connection = source.connections.at(-1);
      if (tokens.includes(up)) connection?.level(up, 'bid', 4_700, 20_000_000);
      if (tokens.includes(down)) connection?.level(down, 'ask', 5_300, 20_000_000);
    }
  };
  /** Distrust of Up as reported, without repeats. */
  const story = () => distrusts.filter((word, index) => word !== distrusts[index - 1]);
  return {
    clock,
    source,
    books,
    incidents,
    reported,
    watch,
    busyFor,
    story,
    reconnects: () => reconnects,
  };
}
