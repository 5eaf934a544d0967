import type { BookView } from '../../src/domain/book.ts';
import { haveSameLevels } from '../../src/domain/book-trust.ts';
import type { MarketId, TokenId } from '../../src/domain/ids.ts';
import { asId } from '../../src/domain/ids.ts';
import { judgeExit } from '../../src/domain/strategy/exit.ts';
import { byEachView } from '../../src/domain/strategy/round-judge.ts';
import type { StrategyRow } from '../../src/domain/strategy/strategy-row.ts';
import { strategyTable } from '../../src/domain/strategy/strategy-row.ts';
import { enterWhenAll } from '../../src/domain/strategy/terms.ts';
import { priceTicks } from '../../src/domain/units.ts';
import type { ExchangeMarket } from '../../src/sandbox/engine/exchange-types.ts';
import { createMarketChannel } from '../../src/sandbox/venues/venue-a/clob/market-channel.ts';
import type { Scenario } from './findings.ts';
import type { Stand } from './stand.ts';
import { codeOf, onModels } from './stand.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const OFFER = { side: 'sell', price: 5_000, shares: 100 } as const;

function bookOf(stand: Stand, tokenId: TokenId = stand.market.tokens[0]): BookView | null {
  return stand.service().core.at(VENUE_A).books.view(tokenId);
}

function distrustOf(stand: Stand, tokenId?: TokenId): string | null | undefined {
  return bookOf(stand, tokenId)?.distrust;
}

/** Whether both books are trusted and are what the venue's are. */
function areRight(stand: Stand): boolean {
  return stand.market.tokens.every((tokenId) => {
    const view = bookOf(stand, tokenId);
    return (
      view !== null &&
      view.distrust === null &&
      haveSameLevels(view, stand.model.exchange.book(tokenId))
    );
  });
}

function incidents(stand: Stand, name: string): number {
  return stand.metrics.counts.get(`book_incidents_total ${name}`) ?? 0;
}

function dropped(stand: Stand, reason: string): number {
  return stand.metrics.counts.get(`venue_dropped_total venue_a market ${reason}`) ?? 0;
}

/** Changes the book so that the next frame says something of its best prices. */
async function stir(stand: Stand, price: number): Promise<void> {
  stand.quote({ side: 'sell', price, shares: 10 });
  await stand.clock.advance(100);
}

function watch(
  stand: Stand,
  { marketId, tokens, labels }: Pick<ExchangeMarket, 'marketId' | 'tokens' | 'labels'>,
): void {
  stand
    .service()
    .core.at(VENUE_A)
    .books.watch({
      marketId,
      outcomes: [
        { tokenId: tokens[0], label: labels[0] },
        { tokenId: tokens[1], label: labels[1] },
      ],
    })
    .subscribe();
}

/** A long-running market nobody looks at yet. */
function another(stand: Stand): ExchangeMarket {
  const found = stand.model
    .listings()
    .find(({ window, market }) => window === null && market.marketId !== stand.market.marketId);
  if (found === undefined) throw new Error('the world lists several long-running markets');
  return found.market;
}

/** Buys as agents do: at once, or not at all. (A hand's market order waits a moment for its book.) */
function agentsBuy(stand: Stand): Promise<unknown> {
  const { orders } = stand.service().core.trading;
  return stand.until(
    orders.place(stand.user.userId, {
      venue: VENUE_A,
      marketId: stand.market.marketId,
      outcome: 0,
      side: 'buy',
      amount: { unit: 'usdc', micros: 10_000_000 },
      type: { kind: 'market' },
      origin: { kind: 'manual' },
      fetchesBook: false,
    }),
  );
}

/** Waits until a book is distrusted, and gives how long it took; null when `maximumMs` passed first. */
async function untilDoubted(
  stand: Stand,
  maximumMs: number,
  meanwhile: () => void,
): Promise<number | null> {
  const fromMs = stand.clock.nowMs();
  while (stand.clock.nowMs() - fromMs < maximumMs) {
    meanwhile();
    await stand.clock.advance(250);
    if (distrustOf(stand) !== null) return stand.clock.nowMs() - fromMs;
  }
  return null;
}

const SECONDS_OF_QUIET = 30;
const TOKENS_AT_ONCE = 202;
/** What a round's receipts call the price to beat. */
const STRIKE = 'price to beat';
const WINDOW = { opensAfterMs: 0, closesAfterMs: 300_000 };
/** Changes its mind when the price to beat becomes known, so that a receipt tells of it. */
const STRIKE_SEEN: StrategyRow = {
  agentId: 'btc_5min',
  strategy: 'strike_seen',
  reads: [],
  order: { kind: 'market' },
  window: WINDOW,
  judgeExit,
  judgeFor: () =>
    byEachView(({ strike }) =>
      enterWhenAll(0, [
        {
          name: STRIKE,
          value: strike === null ? '' : String(strike.price),
          threshold: 'known',
          passed: strike !== null,
        },
      ]),
    ),
};

/** Scenarios of the rows about market data. */
export const MARKET_DATA: Readonly<Record<string, Scenario>> = {
  'silent-stall': onModels(async (stand) => {
    const { is, clock, model } = stand;
    stand.quote(OFFER);
    await clock.advance(1_000);
    const quiet: (string | null | undefined)[] = [];
    for (let second = 0; second < SECONDS_OF_QUIET; second += 1) {
      await clock.advance(1_000);
      quiet.push(distrustOf(stand));
    }
    is(
      'doubts of a quiet market',
      quiet.filter((why) => why !== null),
      [],
    );
    is('alarms on a quiet market', incidents(stand, 'silent_stall'), 0);
    stand.arm('silent-stall');
    let moves = 0;
    const tookMs = await untilDoubted(stand, 10_000, () => {
      moves += 1;
      stand.quote({ side: 'sell', price: 4_900 - 100 * (moves % 2), shares: 10 });
    });
    is('found within five seconds', tookMs !== null && tookMs <= 5_000, true);
    is('alarms', incidents(stand, 'silent_stall') > 0 || distrustOf(stand) === 'stale', true);
    is('an order meanwhile', await codeOf(agentsBuy(stand)), 'book_untrusted');
    model.faults.clear('silent-stall');
    await clock.advance(15_000);
    is('right after it', areRight(stand), true);
  }),

  'no-snapshot': onModels(async (stand) => {
    const { is, clock } = stand;
    const other = another(stand);
    const token = other.tokens[0];
    stand.arm('no-snapshot', { times: 1 });
    watch(stand, other);
    await clock.advance(1_900);
    is('before two seconds', distrustOf(stand, token), 'no_snapshot');
    await clock.advance(2_500);
    is('after', distrustOf(stand, token), null);
    is('by REST', incidents(stand, 'no_snapshot') > 0, true);
    is('new sockets', stand.metrics.counts.get('reconnects_total venue_books'), 1);
  }),

  gap: onModels(async (stand) => {
    const { is, clock } = stand;
    stand.quote(OFFER);
    await clock.advance(1_000);
    stand.arm('gap', { times: 1 });
    await stir(stand, 4_800);
    await stir(stand, 4_900);
    is('found by the best prices', distrustOf(stand), 'gap');
    is('an order meanwhile', await codeOf(agentsBuy(stand)), 'book_untrusted');
    await clock.advance(2_000);
    is('right after it', areRight(stand), true);
    is('told', incidents(stand, 'gap') > 0, true);
  }),

  'tick-change': onModels(async (stand) => {
    const { is, clock, market } = stand;
    stand.quote({ side: 'sell', price: 9_900, shares: 50 });
    await clock.advance(1_000);
    const before = bookOf(stand)?.epoch ?? 0;
    stand.arm('tick-announced-twice', { times: 1 });
    stand.quote({ side: 'buy', price: 9_700, shares: 50 });
    await clock.advance(100);
    is('the book of the old tick', distrustOf(stand), 'tick_changed');
    stand.quote({ side: 'buy', price: 9_600, shares: 50 });
    await clock.advance(100);
    is('a change before the snapshot', distrustOf(stand), 'tick_changed');
    await clock.advance(4_000);
    is('right after it', areRight(stand), true);
    is('a new epoch', (bookOf(stand)?.epoch ?? 0) > before, true);
    is(
      'the tick orders are held to',
      Number(stand.service().core.at(VENUE_A).markets.known(market.marketId)?.tickSize),
      10,
    );
  }),

  'one-sided, empty': onModels(async (stand) => {
    const { is, clock, market } = stand;
    const seen = () => ({
      bids: bookOf(stand)?.bids.length,
      asks: bookOf(stand)?.asks.length,
      distrust: distrustOf(stand),
      mirror: distrustOf(stand, market.tokens[1]),
    });
    is('an empty book', seen(), { bids: 0, asks: 0, distrust: null, mirror: null });
    is('a market order into it', await codeOf(stand.buy()), 'no_liquidity');
    const ask = stand.quote(OFFER);
    await clock.advance(3_000);
    is('no bids', seen(), { bids: 0, asks: 1, distrust: null, mirror: null });
    stand.unquote(ask);
    stand.quote({ side: 'buy', price: 4_000, shares: 50 });
    await clock.advance(3_000);
    is('no asks', seen(), { bids: 1, asks: 0, distrust: null, mirror: null });
    is('right', areRight(stand), true);
  }),

  crossed: onModels(async (stand) => {
    const { is, clock } = stand;
    stand.quote(OFFER);
    stand.quote({ side: 'buy', price: 4_000, shares: 50 });
    await clock.advance(1_000);
    stand.arm('crossed', { times: 1 });
    await stir(stand, 5_100);
    is('seen', distrustOf(stand), 'crossed');
    is('an order meanwhile', await codeOf(agentsBuy(stand)), 'book_untrusted');
    await clock.advance(3_000);
    is('refetched', incidents(stand, 'crossed') > 0, true);
    is('right after it', areRight(stand), true);
  }),

  'mirror-broken': onModels(async (stand) => {
    const { is, clock } = stand;
    stand.quote(OFFER);
    await clock.advance(1_000);
    stand.arm('mirror-broken', { times: 1 });
    await stir(stand, 4_900);
    const tookMs = await untilDoubted(stand, 5_000, () => undefined);
    is(
      'untrusted',
      { why: distrustOf(stand), isSoon: tookMs !== null && tookMs <= 2_000 },
      { why: 'mirror_broken', isSoon: true },
    );
    await clock.advance(3_000);
    is('what alerts are made of', incidents(stand, 'mirror_broken') > 0, true);
    is('right after it', areRight(stand), true);
  }),

  'non-json-frame': onModels(async (stand) => {
    const { is, clock } = stand;
    stand.quote(OFFER);
    await clock.advance(1_000);
    const before = dropped(stand, 'not_json');
    const epoch = bookOf(stand)?.epoch;
    stand.arm('non-json-frame', { times: 1 });
    await stir(stand, 4_900);
    is('words and broken bytes counted', dropped(stand, 'not_json') - before, 4);
    is(
      'trusted all the while',
      { distrust: distrustOf(stand), epoch: bookOf(stand)?.epoch },
      { distrust: null, epoch },
    );
    is('right', areRight(stand), true);
  }),

  'object-or-array': onModels(async (stand) => {
    const { is, clock } = stand;
    stand.quote(OFFER);
    await clock.advance(1_000);
    stand.arm('object-or-array', { times: 1 });
    await stir(stand, 4_900);
    is('a list of one', areRight(stand), true);
    await stir(stand, 4_800);
    is('an object', areRight(stand), true);
    is('frames left out', dropped(stand, 'schema') + dropped(stand, 'not_json'), 0);
  }),

  'time-backwards': onModels(async (stand) => {
    const { is, clock } = stand;
    stand.quote(OFFER);
    await clock.advance(5_000);
    await stir(stand, 4_950);
    const before = bookOf(stand);
    stand.arm('time-backwards', { times: 1 });
    await stir(stand, 4_900);
    const after = bookOf(stand);
    is('taken in the order of arrival', areRight(stand), true);
    is('the newest time stays', (after?.venueAtMs ?? 0) >= (before?.venueAtMs ?? 0), true);
    is('age counts from its arrival', clock.nowMs() - (after?.receivedAtMs ?? 0) <= 100, true);
  }),

  'too-many-tokens': onModels(async (stand) => {
    const { is, clock, model, market } = stand;
    stand.arm('too-many-tokens');
    const frames: string[] = [];
    const channel = createMarketChannel(model.exchange);
    const naive = channel.channel({
      send: (text) => void frames.push(String(text)),
      close: () => undefined,
      cut: () => undefined,
    });
    const names = Array.from({ length: TOKENS_AT_ONCE / 2 }, (_, index) =>
      listedMarket(stand, index),
    ).flatMap(({ tokens }) => tokens);
    naive.frame(JSON.stringify({ assets_ids: [...market.tokens, ...names], type: 'market' }));
    for (let index = 0; index < 60; index += 1) watch(stand, listedMarket(stand, index));
    stand.quote(OFFER);
    await clock.advance(6_000);
    is('one socket for all', frames, []);
    const untrusted = Array.from({ length: 60 }, (_, index) => listedMarket(stand, index).tokens)
      .flat()
      .filter((token) => distrustOf(stand, token) !== null);
    is('books of ours without trust', untrusted, []);
    is('right', areRight(stand), true);
    channel.close();
  }),

  'late-hydration': onModels(async (stand) => {
    const { is, clock } = stand;
    const other = another(stand);
    stand.arm('late-hydration', { match: { marketId: other.marketId } });
    const { markets } = stand.service().core.at(VENUE_A);
    for (let minute = 0; minute < 3; minute += 1) {
      is(
        `found in minute ${minute} while it is not hydrated`,
        [await stand.until(markets.discover(other.marketId)), markets.known(other.marketId)],
        [null, null],
      );
      is('an order meanwhile', await codeOf(stand.buy({ marketId: other.marketId })), 'not_found');
      await clock.advance(60_000);
    }
    stand.model.faults.clear('late-hydration');
    is(
      'found later',
      (await stand.until(markets.discover(other.marketId)))?.outcomes.map(({ tokenId }) => tokenId),
      [...other.tokens],
    );
  }),

  'stale-listing': onModels(async (stand) => {
    const { is, clock, market } = stand;
    const cheap = stand.quote({ side: 'sell', price: 3_000, shares: 100 });
    await clock.advance(60_000);
    stand.unquote(cheap);
    const dear = stand.quote({ side: 'sell', price: 6_000, shares: 100 });
    await clock.advance(1_000);
    stand.arm('stale-listing');
    await stand.until(stand.service().core.at(VENUE_A).markets.discover(market.marketId));
    const placed = await stand.buy();
    await clock.advance(20_000);
    const { filledShares, filledUsdc } = stand.order(placed);
    is('price paid', Math.round((10_000 * filledUsdc) / filledShares), 6_000);
    stand.unquote(dear);
    await clock.advance(1_000);
    is('with a listing and no book', await codeOf(stand.buy()), 'no_liquidity');
  }),

  'late-strike': onModels(
    async (stand) => {
      const { is, clock, user, facts } = stand;
      const { agents } = stand.service().core;
      await stand.until(
        agents.updateSettings(user.userId, 'btc_5min', {
          avgPositionSize: '5',
          strategy: STRIKE_SEEN.strategy,
        }),
      );
      await stand.until(agents.enable(user.userId, 'btc_5min'));
      stand.arm('late-strike', { delayMs: 60_000, match: { asset: 'BTC' } });
      const strikes = (fromMs: number) =>
        facts
          .flatMap((fact) =>
            fact.type === 'signal.judged' && fact.atMs >= fromMs
              ? fact.receipt.inputs
              : fact.type === 'decision.made' && fact.atMs >= fromMs
                ? fact.decision.inputs
                : [],
          )
          .filter(({ name, value }) => name === STRIKE && value !== null)
          .map(({ value }) => String(value));
      const startMs = Math.ceil(clock.nowMs() / 300_000) * 300_000;
      await clock.advance(startMs + 30_000 - clock.nowMs());
      const known = strikes(startMs);
      is(
        'known before it is stated, by our own capture',
        {
          isKnown: known.length > 0,
          isCaptured: known.every((value) => value.includes('captured')),
        },
        { isKnown: true, isCaptured: true },
      );
      await clock.advance(60_000);
      is(
        'contradictions when it is stated',
        stand.log.lines.filter(({ event }) => event === 'strike.contradicted').length,
        0,
      );
      stand.model.faults.clear('late-strike');
      stand.arm('strike-contradicted', { match: { asset: 'BTC' } });
      await clock.advance(startMs + 340_000 - clock.nowMs());
      is(
        'contradictions told',
        stand.log.lines.some(({ event }) => event === 'strike.contradicted'),
        true,
      );
    },
    {
      delays: { listingHorizonMs: 900_000, hydrationDelayMs: 5_000 },
      strategies: strategyTable([STRIKE_SEEN]),
    },
  ),

  'schema-drift': onModels(async (stand) => {
    const { is, clock } = stand;
    stand.quote(OFFER);
    await clock.advance(1_000);
    stand.arm('schema-drift', { times: 1 });
    await stir(stand, 4_900);
    is('what alerts are made of', dropped(stand, 'schema'), 1);
    is('the book', distrustOf(stand), 'gap');
    is('an order meanwhile', await codeOf(agentsBuy(stand)), 'book_untrusted');
    await clock.advance(3_000);
    is('right after it', areRight(stand), true);
  }),
};

const listed = new WeakMap<Stand, Map<number, ExchangeMarket>>();

/** The n-th of many markets that are listed for a scenario. */
function listedMarket(stand: Stand, index: number): ExchangeMarket {
  const own = listed.get(stand) ?? new Map<number, ExchangeMarket>();
  listed.set(stand, own);
  const known = own.get(index);
  if (known !== undefined) return known;
  const digits = String(index + 1).padStart(6, '0');
  const market: ExchangeMarket = {
    ...stand.market,
    marketId: asId<MarketId>(`0x${'7c'.repeat(29)}${digits}`),
    tokens: [asId<TokenId>(`7100000000${digits}`), asId<TokenId>(`7200000000${digits}`)],
    slug: `one-of-many-${digits}`,
    tickSize: priceTicks(100),
  };
  stand.model.exchange.listMarket(market);
  own.set(index, market);
  return market;
}
