import type { BookView } from '../../src/domain/book.ts';
import { haveSameLevels } from '../../src/domain/book-trust.ts';
import { asId, type MarketId, type TokenId } from '../../src/domain/ids.ts';
import { judgeExit } from '../../src/domain/strategy/exit.ts';
import { byEachView } from '../../src/domain/strategy/round-judge.ts';
import { strategyTable, type StrategyRow } from '../../src/domain/strategy/strategy-row.ts';
import { enterWhenAll } from '../../src/domain/strategy/terms.ts';
import { priceTicks } from '../../src/domain/units.ts';
import type { ExchangeMarket } from '../../src/sandbox/engine/exchange-types.ts';
import { createMarketChannel } from '../../src/sandbox/venues/venue-a/clob/market-channel.ts';
import type { Scenario } from './findings.ts';
import { codeOf, onModels, type Fixture } from './fixture.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const OFFER = { side: 'sell', price: 5_000, shares: 100 } as const;

function bookOf(fixture: Fixture, tokenId: TokenId = fixture.market.tokens[0]): BookView | null {
  return fixture.service().core.at(VENUE_A).books.view(tokenId);
}

function distrustOf(fixture: Fixture, tokenId?: TokenId): string | null | undefined {
  return bookOf(fixture, tokenId)?.distrust;
}

/** Whether both books are trusted and are what the venue's are. */
function areRight(fixture: Fixture): boolean {
  return fixture.market.tokens.every((tokenId) => {
    const view = bookOf(fixture, tokenId);
    return (
      view !== null &&
      view.distrust === null &&
      haveSameLevels(view, fixture.model.exchange.book(tokenId))
    );
  });
}

function incidents(fixture: Fixture, name: string): number {
  return fixture.metrics.counts.get(`book_incidents_total venue_a ${name}`) ?? 0;
}

function dropped(fixture: Fixture, reason: string): number {
  return fixture.metrics.counts.get(`venue_dropped_total venue_a market ${reason}`) ?? 0;
}

/** Changes the book so that the next frame says something of its best prices. */
async function stir(fixture: Fixture, price: number): Promise<void> {
  fixture.quote({ side: 'sell', price, shares: 10 });
  await fixture.clock.advance(100);
}

function watch(
  fixture: Fixture,
  { marketId, tokens, labels }: Pick<ExchangeMarket, 'marketId' | 'tokens' | 'labels'>,
): void {
  fixture
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

/** A long-running market not read yet. */
function another(fixture: Fixture): ExchangeMarket {
  const found = fixture.model
    .listings()
    .find(({ window, market }) => window === null && market.marketId !== fixture.market.marketId);
  if (found === undefined) throw new Error('the world lists several long-running markets');
  return found.market;
}

/**
 * Buys as agents do: at once, or not at all. (A hand's market order waits a moment for its book.)
 */
function agentsBuy(fixture: Fixture): Promise<unknown> {
  const { orders } = fixture.service().core.trading;
  return fixture.until(
    orders.place(fixture.user.userId, {
      venue: VENUE_A,
      marketId: fixture.market.marketId,
      outcome: 0,
      side: 'buy',
      amount: { unit: 'usdc', micros: 10_000_000 },
      type: { kind: 'market' },
      origin: { kind: 'manual' },
      fetchesBook: false,
    }),
  );
}

/**
 * Waits until a book is distrusted, and gives how long it took; null when `maximumMs` passed first.
 */
async function untilDoubted(
  fixture: Fixture,
  maximumMs: number,
  meanwhile: () => void,
): Promise<number | null> {
  const fromMs = fixture.clock.nowMs();
  while (fixture.clock.nowMs() - fromMs < maximumMs) {
    meanwhile();
    await fixture.clock.advance(250);
    if (distrustOf(fixture) !== null) return fixture.clock.nowMs() - fromMs;
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
  rule: 'Of this test alone.',
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
  'silent-stall': onModels(async (fixture) => {
    const { is, clock, model } = fixture;
    fixture.quote(OFFER);
    await clock.advance(1_000);
    const quiet: (string | null | undefined)[] = [];
    for (let second = 0; second < SECONDS_OF_QUIET; second += 1) {
      await clock.advance(1_000);
      quiet.push(distrustOf(fixture));
    }
    is(
      'doubts of a quiet market',
      quiet.filter((why) => why !== null),
      [],
    );
    is('alarms on a quiet market', incidents(fixture, 'silent_stall'), 0);
    fixture.arm('silent-stall');
    let moves = 0;
    const tookMs = await untilDoubted(fixture, 10_000, () => {
      moves += 1;
      fixture.quote({ side: 'sell', price: 4_900 - 100 * (moves % 2), shares: 10 });
    });
    is('found within five seconds', tookMs !== null && tookMs <= 5_000, true);
    is('alarms', incidents(fixture, 'silent_stall') > 0 || distrustOf(fixture) === 'stale', true);
    is('an order meanwhile', await codeOf(agentsBuy(fixture)), 'book_untrusted');
    model.faults.clear('silent-stall');
    await clock.advance(15_000);
    is('right after it', areRight(fixture), true);
  }),

  'no-snapshot': onModels(async (fixture) => {
    const { is, clock } = fixture;
    const other = another(fixture);
    const token = other.tokens[0];
    fixture.arm('no-snapshot', { times: 1 });
    watch(fixture, other);
    await clock.advance(1_900);
    is('before two seconds', distrustOf(fixture, token), 'no_snapshot');
    await clock.advance(2_500);
    is('after', distrustOf(fixture, token), null);
    is('by REST', incidents(fixture, 'no_snapshot') > 0, true);
    is('new sockets', fixture.metrics.counts.get('reconnects_total venue_books'), 1);
  }),

  gap: onModels(async (fixture) => {
    const { is, clock } = fixture;
    fixture.quote(OFFER);
    await clock.advance(1_000);
    fixture.arm('gap', { times: 1 });
    await stir(fixture, 4_800);
    await stir(fixture, 4_900);
    is('found by the best prices', distrustOf(fixture), 'gap');
    is('an order meanwhile', await codeOf(agentsBuy(fixture)), 'book_untrusted');
    await clock.advance(2_000);
    is('right after it', areRight(fixture), true);
    is('reported', incidents(fixture, 'gap') > 0, true);
  }),

  'tick-change': onModels(async (fixture) => {
    const { is, clock, market } = fixture;
    fixture.quote({ side: 'sell', price: 9_900, shares: 50 });
    await clock.advance(1_000);
    const before = bookOf(fixture)?.epoch ?? 0;
    fixture.arm('tick-announced-twice', { times: 1 });
    fixture.quote({ side: 'buy', price: 9_700, shares: 50 });
    await clock.advance(100);
    is('the book of the old tick', distrustOf(fixture), 'tick_changed');
    fixture.quote({ side: 'buy', price: 9_600, shares: 50 });
    await clock.advance(100);
    is('a change before the snapshot', distrustOf(fixture), 'tick_changed');
    await clock.advance(4_000);
    is('right after it', areRight(fixture), true);
    is('a new epoch', (bookOf(fixture)?.epoch ?? 0) > before, true);
    is(
      'the tick orders are held to',
      Number(fixture.service().core.at(VENUE_A).markets.known(market.marketId)?.tickSize),
      10,
    );
  }),

  'one-sided, empty': onModels(async (fixture) => {
    const { is, clock, market } = fixture;
    const seen = () => ({
      bids: bookOf(fixture)?.bids.length,
      asks: bookOf(fixture)?.asks.length,
      distrust: distrustOf(fixture),
      mirror: distrustOf(fixture, market.tokens[1]),
    });
    is('an empty book', seen(), { bids: 0, asks: 0, distrust: null, mirror: null });
    is('a market order into it', await codeOf(fixture.buy()), 'no_liquidity');
    const ask = fixture.quote(OFFER);
    await clock.advance(3_000);
    is('no bids', seen(), { bids: 0, asks: 1, distrust: null, mirror: null });
    fixture.unquote(ask);
    fixture.quote({ side: 'buy', price: 4_000, shares: 50 });
    await clock.advance(3_000);
    is('no asks', seen(), { bids: 1, asks: 0, distrust: null, mirror: null });
    is('right', areRight(fixture), true);
  }),

  crossed: onModels(async (fixture) => {
    const { is, clock } = fixture;
    fixture.quote(OFFER);
    fixture.quote({ side: 'buy', price: 4_000, shares: 50 });
    await clock.advance(1_000);
    fixture.arm('crossed', { times: 1 });
    await stir(fixture, 5_100);
    is('seen', distrustOf(fixture), 'crossed');
    is('an order meanwhile', await codeOf(agentsBuy(fixture)), 'book_untrusted');
    await clock.advance(3_000);
    is('refetched', incidents(fixture, 'crossed') > 0, true);
    is('right after it', areRight(fixture), true);
  }),

  'mirror-broken': onModels(async (fixture) => {
    const { is, clock } = fixture;
    fixture.quote(OFFER);
    await clock.advance(1_000);
    fixture.arm('mirror-broken', { times: 1 });
    await stir(fixture, 4_900);
    const tookMs = await untilDoubted(fixture, 5_000, () => undefined);
    is(
      'untrusted',
      { why: distrustOf(fixture), isSoon: tookMs !== null && tookMs <= 2_000 },
      { why: 'mirror_broken', isSoon: true },
    );
    await clock.advance(3_000);
    is('what alerts are made of', incidents(fixture, 'mirror_broken') > 0, true);
    is('right after it', areRight(fixture), true);
  }),

  'non-json-frame': onModels(async (fixture) => {
    const { is, clock } = fixture;
    fixture.quote(OFFER);
    await clock.advance(1_000);
    const before = dropped(fixture, 'not_json');
    const epoch = bookOf(fixture)?.epoch;
    fixture.arm('non-json-frame', { times: 1 });
    await stir(fixture, 4_900);
    is('words and broken bytes counted', dropped(fixture, 'not_json') - before, 4);
    is(
      'trusted all the while',
      { distrust: distrustOf(fixture), epoch: bookOf(fixture)?.epoch },
      { distrust: null, epoch },
    );
    is('right', areRight(fixture), true);
  }),

  'object-or-array': onModels(async (fixture) => {
    const { is, clock } = fixture;
    fixture.quote(OFFER);
    await clock.advance(1_000);
    fixture.arm('object-or-array', { times: 1 });
    await stir(fixture, 4_900);
    is('a list of one', areRight(fixture), true);
    await stir(fixture, 4_800);
    is('an object', areRight(fixture), true);
    is('frames left out', dropped(fixture, 'schema') + dropped(fixture, 'not_json'), 0);
  }),

  'time-backwards': onModels(async (fixture) => {
    const { is, clock } = fixture;
    fixture.quote(OFFER);
    await clock.advance(5_000);
    await stir(fixture, 4_950);
    const before = bookOf(fixture);
    fixture.arm('time-backwards', { times: 1 });
    await stir(fixture, 4_900);
    const after = bookOf(fixture);
    is('taken in the order of arrival', areRight(fixture), true);
    is('the newest time stays', (after?.venueAtMs ?? 0) >= (before?.venueAtMs ?? 0), true);
    is('age counts from its arrival', clock.nowMs() - (after?.receivedAtMs ?? 0) <= 100, true);
  }),

  'too-many-tokens': onModels(async (fixture) => {
    const { is, clock, model, market } = fixture;
    fixture.arm('too-many-tokens');
    const frames: string[] = [];
    const channel = createMarketChannel(model.exchange);
    const naive = channel.channel({
      send: (text) => void frames.push(String(text)),
      close: () => undefined,
      cut: () => undefined,
    });
    const names = Array.from({ length: TOKENS_AT_ONCE / 2 }, (_, index) =>
      listedMarket(fixture, index),
    ).flatMap(({ tokens }) => tokens);
    naive.frame(JSON.stringify({ assets_ids: [...market.tokens, ...names], type: 'market' }));
    for (let index = 0; index < 60; index += 1) watch(fixture, listedMarket(fixture, index));
    fixture.quote(OFFER);
    await clock.advance(6_000);
    is('one socket for all', frames, []);
    const untrusted = Array.from({ length: 60 }, (_, index) => listedMarket(fixture, index).tokens)
      .flat()
      .filter((token) => distrustOf(fixture, token) !== null);
    is('own books without trust', untrusted, []);
    is('right', areRight(fixture), true);
    channel.close();
  }),

  'late-hydration': onModels(async (fixture) => {
    const { is, clock } = fixture;
    const other = another(fixture);
    fixture.arm('late-hydration', { match: { marketId: other.marketId } });
    const { markets } = fixture.service().core.at(VENUE_A);
    for (let minute = 0; minute < 3; minute += 1) {
      is(
        `found in minute ${minute} while it is not hydrated`,
        [await fixture.until(markets.discover(other.marketId)), markets.known(other.marketId)],
        [null, null],
      );
      is(
        'an order meanwhile',
        await codeOf(fixture.buy({ marketId: other.marketId })),
        'not_found',
      );
      await clock.advance(60_000);
    }
    fixture.model.faults.clear('late-hydration');
    is(
      'found later',
      (await fixture.until(markets.discover(other.marketId)))?.outcomes.map(
        ({ tokenId }) => tokenId,
      ),
      [...other.tokens],
    );
  }),

  'stale-listing': onModels(async (fixture) => {
    const { is, clock, market } = fixture;
    const cheap = fixture.quote({ side: 'sell', price: 3_000, shares: 100 });
    await clock.advance(60_000);
    fixture.unquote(cheap);
    const dear = fixture.quote({ side: 'sell', price: 6_000, shares: 100 });
    await clock.advance(1_000);
    fixture.arm('stale-listing');
    await fixture.until(fixture.service().core.at(VENUE_A).markets.discover(market.marketId));
    const placed = await fixture.buy();
    await clock.advance(20_000);
    const { filledShares, filledUsdc } = fixture.order(placed);
    is('price paid', Math.round((10_000 * filledUsdc) / filledShares), 6_000);
    fixture.unquote(dear);
    await clock.advance(1_000);
    is('with a listing and no book', await codeOf(fixture.buy()), 'no_liquidity');
  }),

  'late-strike': onModels(
    async (fixture) => {
      const { is, clock, user, facts } = fixture;
      const { agents } = fixture.service().core;
      await fixture.until(
        agents.updateSettings(user.userId, 'btc_5min', {
          avgPositionSize: '5',
          strategy: STRIKE_SEEN.strategy,
        }),
      );
      await fixture.until(agents.enable(user.userId, 'btc_5min'));
      fixture.arm('late-strike', { delayMs: 60_000, match: { asset: 'BTC' } });
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
        fixture.log.lines.filter(({ event }) => event === 'strike.contradicted').length,
        0,
      );
      fixture.model.faults.clear('late-strike');
      fixture.arm('strike-contradicted', { match: { asset: 'BTC' } });
      await clock.advance(startMs + 340_000 - clock.nowMs());
      is(
        'contradictions reported',
        fixture.log.lines.some(({ event }) => event === 'strike.contradicted'),
        true,
      );
    },
    {
      delays: { listingHorizonMs: 900_000, hydrationDelayMs: 5_000 },
      strategies: strategyTable([STRIKE_SEEN]),
    },
  ),

  'schema-drift': onModels(async (fixture) => {
    const { is, clock } = fixture;
    fixture.quote(OFFER);
    await clock.advance(1_000);
    fixture.arm('schema-drift', { times: 1 });
    await stir(fixture, 4_900);
    is('what alerts are made of', dropped(fixture, 'schema'), 1);
    is('the book', distrustOf(fixture), 'gap');
    is('an order meanwhile', await codeOf(agentsBuy(fixture)), 'book_untrusted');
    await clock.advance(3_000);
    is('right after it', areRight(fixture), true);
  }),
};

const listed = new WeakMap<Fixture, Map<number, ExchangeMarket>>();

/** The n-th of many markets that are listed for a scenario. */
function listedMarket(fixture: Fixture, index: number): ExchangeMarket {
  const own = listed.get(fixture) ?? new Map<number, ExchangeMarket>();
  listed.set(fixture, own);
  const known = own.get(index);
  if (known !== undefined) return known;
  const digits = String(index + 1).padStart(6, '0');
  const market: ExchangeMarket = {
    ...fixture.market,
    marketId: asId<MarketId>(`0x${'7c'.repeat(29)}${digits}`),
    tokens: [asId<TokenId>(`7100000000${digits}`), asId<TokenId>(`7200000000${digits}`)],
    slug: `one-of-many-${digits}`,
    tickSize: priceTicks(100),
  };
  fixture.model.exchange.listMarket(market);
  own.set(index, market);
  return market;
}
