import {
  MAKER,
  OTHER_ADDRESS,
  startFixture,
  UP,
  type Fixture,
} from '../../conformance/venue-a-fixture.ts';
import { asId, type OrderId } from '../../../src/domain/ids.ts';
import { priceTicks, usdcMicros } from '../../../src/domain/units.ts';
import type { FaultName, FaultRule } from '../../../src/sandbox/faults.ts';
import { noteFaults } from '../../support/checks/noted-faults.ts';
import type { RowName } from '../rows.ts';
import {
  venueBook,
  wait,
  wordsOf,
  type Caller,
  type Peer,
  type Reader,
  type Reported,
} from './caller.ts';
import { judged, type Cell } from './cell.ts';

/** Lives through one row with a peer. */
export type Trial = (peer: Peer) => Promise<Cell>;

const PATIENCE_MS = 1_000;
const AGAIN_AFTER_MS = 400;
const TRIES = 4;
const NO_BOOKS: Cell = { kind: 'not_applicable', words: 'it keeps no live books' };

interface Trying {
  readonly fixture: Fixture;
  readonly caller: Caller;
  /**
   * What the caller ends up believing after it did what is usual: again on an error, or on no
   * answer in time.
   */
  place(price?: number): Promise<Reported | string>;
  orders(): number;
}

/** A row about orders: the fault is armed before the first call. */
function ordering(
  fault: FaultName,
  rule: FaultRule,
  judge: (trying: Trying) => Promise<Cell>,
): Trial {
  return async (peer) => {
    const fixture = await startFixture();
    const met = noteFaults(fixture.faults);
    fixture.exchange.deposit(OTHER_ADDRESS, usdcMicros(1_000_000_000));
    fixture.quote({ tokenId: UP, side: 'sell', price: 6_000, shares: 500 });
    const caller = await peer.open(fixture);
    fixture.faults.arm(fault, rule);
    const cell = await judge({
      fixture,
      caller,
      place: (price = 40) => placeAgainAndAgain(caller, price),
      orders: () => ordersOf(fixture),
    }).catch(
      (error: unknown): Cell => ({ kind: 'wrong', words: `threw ${wordsOf(error).slice(0, 80)}` }),
    );
    await caller.close().catch(() => undefined);
    await fixture.close();
    if (cell.kind !== 'not_applicable' && !met.has(fault))
      throw new Error(`${fault} never came to happen to ${peer.name}`);
    return cell;
  };
}

async function placeAgainAndAgain(caller: Caller, price: number): Promise<Reported | string> {
  let last: Reported | string = 'nothing';
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    try {
      last = await Promise.race([
        caller.buy(price, 10),
        wait(PATIENCE_MS).then(() => 'no answer in time'),
      ]);
      if (typeof last !== 'string' && last.id !== '') return last;
    } catch (error) {
      last = wordsOf(error);
    }
    await wait(AGAIN_AFTER_MS);
  }
  return last;
}

function ordersOf({ exchange }: Fixture): number {
  return exchange
    .snapshot()
    .records.filter(
      (record) => record.kind === 'order' && record.order.order.maker === OTHER_ADDRESS,
    ).length;
}

/** One request, and at the end one order the caller knows. */
function oneOrder(fault: FaultName, rule: FaultRule, settleMs = 0): Trial {
  return ordering(fault, rule, async ({ place, orders }) => {
    const answer = await place();
    await wait(settleMs);
    return judged(
      orders() === 1,
      orders() === 0
        ? `no order: ${(typeof answer === 'string' ? answer : answer.status).slice(0, 60)}`
        : `${orders()} orders`,
    );
  });
}

interface Reading {
  readonly fixture: Fixture;
  readonly reader: Reader;
  /** Changes the best ask. */
  stir(price: number): Promise<void>;
  isRight(): boolean;
}

/**
 * A row about books: the fault is armed once the book is there, unless it is about the first one.
 */
function reading(
  fault: FaultName,
  rule: FaultRule,
  judge: (reading: Reading) => Promise<Cell>,
  isFirst = false,
): Trial {
  return async (peer) => {
    if (peer.read === null) return NO_BOOKS;
    const fixture = await startFixture();
    const met = noteFaults(fixture.faults);
    fixture.quote({ tokenId: UP, side: 'sell', price: 6_000, shares: 100 });
    fixture.quote({ tokenId: UP, side: 'buy', price: 4_000, shares: 100 });
    if (isFirst) fixture.faults.arm(fault, rule);
    const reader = await peer.read(fixture);
    if (!isFirst) {
      for (let looks = 0; looks < 100 && reader.book() === null; looks += 1) await wait(50);
      fixture.faults.arm(fault, rule);
    }
    const isRight = () => JSON.stringify(reader.book()) === JSON.stringify(venueBook(fixture));
    const cell = await judge({
      fixture,
      reader,
      isRight,
      async stir(price) {
        fixture.quote({ tokenId: UP, side: 'sell', price, shares: 10 });
        await wait(200);
      },
    });
    await reader.close().catch(() => undefined);
    await fixture.close();
    if (!met.has(fault)) throw new Error(`${fault} never came to happen to ${peer.name}`);
    return cell;
  };
}

/** The book is the venue's in the end, or the library says that it is not to be trusted. */
function rightOrReported({ reader, isRight }: Reading, words: string): Cell {
  return judged(isRight() || reader.hasComplained(), words);
}

/** After the fault and one more change the book must be right. */
function stirred(fault: FaultName, words: string): Trial {
  return reading(fault, { times: 1 }, async (all) => {
    await all.stir(5_800);
    await wait(1_500);
    if (!all.isRight()) await all.stir(5_900);
    return rightOrReported(all, words);
  });
}

/** Takes the offer and rests near one: the venue then switches to its fine tick. */
function bidNearOne({ exchange }: Fixture): void {
  exchange.place({
    orderId: asId<OrderId>(`0x${'dd'.repeat(32)}`),
    maker: MAKER,
    owner: 'maker:quotes',
    tokenId: UP,
    side: 'buy',
    timeInForce: 'GTC',
    price: priceTicks(9_700),
    makerMicros: 194_000_000,
    takerMicros: 200_000_000,
    expiresAtMs: null,
    postOnly: false,
  });
}

/** Trials of the rows a library can be held to. */
export const TRIALS: Partial<Readonly<Record<RowName, Trial>>> = {
  'late-ack': oneOrder('late-ack', { times: 1, delayMs: 1_500 }, 800),
  'lost-ack': oneOrder('lost-ack', { times: 1 }),
  'late-book': oneOrder('late-book', { times: 1, delayMs: 700 }, 800),
  'refused-silently': oneOrder('refused-silently', { times: 1, match: { path: '/order' } }),
  'retry-duplicated': oneOrder('retry-duplicated', { times: 1 }),
  'success-without-id': ordering('success-without-id', { times: 1 }, async ({ caller }) => {
    const answer = await caller.buy(40, 10).catch((error: unknown) => wordsOf(error));
    if (typeof answer === 'string')
      return judged(
        answer.includes('could not insert order'),
        `threw without the text: ${answer.slice(0, 60)}`,
      );
    return judged(
      answer.error !== '' || answer.status === 'rejected',
      `answered "${answer.status}" without id or text`,
    );
  }),
  'batch-leg-empty': ordering('batch-leg-empty', { times: 1 }, async ({ caller, orders }) => {
    if (caller.buyAll === null)
      return { kind: 'not_applicable', words: 'no call for several orders' };
    const legs = await caller.buyAll([40, 39]);
    const [first, second] = legs;
    const isReported =
      first !== undefined && first.id === '' && (first.error !== '' || first.status === 'rejected');
    return judged(
      isReported && second?.id !== '' && orders() === 1,
      `first leg answered as "${first?.status ?? ''}" ${first?.error ?? ''}`,
    );
  }),
  'fok-stuck-live': async () => ({ kind: 'not_applicable', words: 'it counts no exposure' }),
  'delayed-then-matched': ordering(
    'delayed-then-matched',
    { times: 1, delayMs: 1_000 },
    async ({ caller, fixture }) => {
      const answer = await caller.buy(60, 10);
      const isPatient = !['filled', 'closed', 'canceled', 'rejected'].includes(answer.status);
      await caller.cancel(answer.id).then(() => 'cancelled', wordsOf);
      await wait(1_300);
      return judged(
        isPatient && fixture.exchange.trades().length === 1,
        `answered "${answer.status}" while it was delayed`,
      );
    },
  ),
  'delayed-then-dead': async () => ({ kind: 'not_applicable', words: 'it reserves nothing' }),
  'trade-before-response': oneOrder('trade-before-response', { times: 1, delayMs: 300 }),
  'engine-restart': oneOrder('engine-restart', { times: 2 }),
  'post-only-window': oneOrder('post-only-window', { times: 1, delayMs: 400 }),
  'cancel-only': ordering('cancel-only', { times: 20 }, async ({ place, orders }) => {
    const answer = await place();
    return judged(
      orders() === 0 && typeof answer === 'string' && /cancel-only/i.test(answer),
      `answered ${JSON.stringify(answer).slice(0, 60)}`,
    );
  }),
  'rate-limited': oneOrder('rate-limited-html', {
    times: 1,
    delayMs: 400,
    match: { path: '/order' },
  }),
  geoblocked: ordering('geoblocked', {}, async ({ place }) => {
    const answer = await place();
    return judged(
      typeof answer === 'string' && /restricted/i.test(answer),
      `answered ${JSON.stringify(answer).slice(0, 60)}`,
    );
  }),
  'balance-cache-stale': ordering(
    'balance-cache-stale',
    { times: 1 },
    async ({ fixture, place, orders }) => {
      fixture.exchange.withdraw(OTHER_ADDRESS, 1_000_000_000);
      fixture.exchange.deposit(OTHER_ADDRESS, usdcMicros(100_000_000));
      await place();
      return judged(orders() === 1, 'refused until its caller asks for a refresh');
    },
  ),
  'phantom-reservation': async () => ({ kind: 'not_applicable', words: 'it keeps no funds' }),
  'order-version-mismatch': oneOrder('order-version-mismatch', { times: 1 }),
  'ghost-fill': ordering('ghost-fill', { times: 1 }, async ({ caller, fixture }) => {
    const answer = await caller.buy(60, 10);
    for (let looks = 0; looks < 40 && fixture.exchange.trades()[0]?.status !== 'FAILED'; looks += 1)
      await wait(50);
    const after = await caller.order(answer.id);
    if (caller.trades === null)
      return {
        kind: 'not_applicable',
        words: 'its trades come from an address that is fixed when it is loaded',
      };
    const isReported =
      !['matched', 'filled', 'closed'].includes(after.status) ||
      /failed/i.test(await caller.trades());
    return judged(
      isReported,
      `answered "${answer.status}", and "${after.status}" after the trade had failed`,
    );
  }),
  'fill-races-cancel': ordering('fill-races-cancel', { times: 1 }, async ({ caller, fixture }) => {
    const { id } = await caller.buy(40, 10);
    const answer: unknown = await caller.cancel(id).catch((error: unknown) => wordsOf(error));
    const isFilled = fixture.exchange.trades().length === 1;
    const words = JSON.stringify(answer);
    return judged(
      isFilled && !/"status":"cancell?ed"/.test(words),
      'answered "cancelled" of a filled order',
    );
  }),
  'cancel-already-gone': ordering('cancel-already-gone', { times: 1 }, async ({ caller }) => {
    const { id } = await caller.buy(40, 10);
    const answer: unknown = await caller.cancel(id).catch((error: unknown) => wordsOf(error));
    return judged(
      !/"status":"(cancell?ed|closed)"/.test(JSON.stringify(answer)),
      'answered "cancelled" of a live order',
    );
  }),
  'reason-suffix': ordering('reason-suffix', { times: 1 }, async ({ caller }) => {
    const { id } = await caller.buy(40, 10);
    await caller.cancel(id);
    const { status } = await caller.order(id);
    return judged(/^cancell?ed/.test(status), `answered "${status}"`);
  }),
  'silent-stall': reading('silent-stall', {}, async (all) => {
    for (let moves = 0; moves < 12; moves += 1) {
      await all.stir(5_900 - 100 * (moves % 2));
      await wait(300);
    }
    return rightOrReported(all, 'book stale after 6 s, no sign');
  }),
  'no-snapshot': reading(
    'no-snapshot',
    { times: 1 },
    async (all) => {
      await wait(4_000);
      return judged(
        all.reader.book() !== null || all.reader.hasComplained(),
        'no book after 4 s, no sign',
      );
    },
    true,
  ),
  gap: reading('gap', { times: 1 }, async (all) => {
    await all.stir(5_700);
    await all.stir(5_900);
    await wait(1_500);
    return rightOrReported(all, 'book wrong for good, no sign');
  }),
  'tick-change': reading('tick-announced-twice', { times: 1 }, async (all) => {
    bidNearOne(all.fixture);
    await wait(800);
    return rightOrReported(all, 'book wrong, no sign');
  }),
  crossed: stirred('crossed', 'book crossed for good, no sign'),
  'non-json-frame': stirred('non-json-frame', 'book stale after it'),
  'object-or-array': stirred('object-or-array', 'update lost'),
  'time-backwards': stirred('time-backwards', 'update lost'),
  'zero-price-level': stirred('zero-price-level', 'level without meaning in the book'),
  'schema-drift': reading('schema-drift', { times: 1 }, async (all) => {
    await all.stir(5_700);
    await wait(1_500);
    return rightOrReported(all, 'update lost, no sign');
  }),
};
