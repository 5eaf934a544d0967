import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import { venueSettings } from '../../../config/profiles/venues.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { chainClients } from '../../../src/app/chains.ts';
import { lateTransactions } from '../../../src/app/late-transactions.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createWalletAddresses } from '../../../src/adapters/safe-relayer/derive.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import { asId, type OrderId, type UserId } from '../../../src/domain/ids.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { createExchange } from '../../../src/sandbox/engine/exchange.ts';
import type { ExchangeMarket } from '../../../src/sandbox/engine/exchange-types.ts';
import type { Listing } from '../../../src/sandbox/engine/listing.ts';
import { startMarketStats } from '../../../src/sandbox/engine/market-stats.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import { createDirectBooks } from '../../../src/sandbox/venues/venue-a/direct/direct-books.ts';
import { createDirectVenue } from '../../../src/sandbox/venues/venue-a/direct/direct-venue.ts';
import { venueA } from '../../../src/venues/venue-a/venue.ts';
import { DOWN, MAKER, MARKET, OTHER_KEY, UP } from '../../conformance/venue-a-fixture.ts';
import type { OtherOrder, VenueWorld } from '../../contracts/venue/fixture.ts';
import { aMarket } from '../builders.ts';
import { vaultWith } from '../known-keys.ts';
import { createKeptMetrics } from '../quiet.ts';

const START_MS = 1_795_248_000_000;
const LATENCY_MS = 2;
const USER = asId<UserId>('usr_ada');

/**
 * venue_a's row before its model in this process, on a virtual clock; books by frames or directly.
 */
export async function createVenueAWorld(
  books: 'channel' | 'direct' = 'channel',
): Promise<VenueWorld> {
  const clock = createVirtualClock(START_MS);
  const random = createSeededRandom('direct');
  const faults = createFaultBoard(random);
  const settlement = { minedAfterMs: 20, confirmedAfterMs: 60 };
  const exchange = createExchange({ clock, random, faults, settlement });
  exchange.listMarket(LISTED);
  exchange.deposit(MAKER, usdcMicros(10_000_000_000));
  exchange.split(MAKER, MARKET, 1_000_000_000);
  const keccak = await loadKeccak();
  const vault = await vaultWith(keccak, USER, OTHER_KEY);
  const wallets = createWalletAddresses(keccak, POLYGON_CHAIN.wallets);
  exchange.deposit(wallets.safeOf(vault.addressOf(USER)), usdcMicros(1_000_000_000));
  const store = createMemoryStore();
  const ending: { payoutTicks: readonly [number, number] | null; atMs: number } = {
    payoutTicks: null,
    atMs: 0,
  };
  const stats = startMarketStats(clock, exchange, 0);
  let placed = 0;
  function place(order: OtherOrder, timeInForce: 'GTC' | 'FAK'): void {
    placed += 1;
    const micros = order.shares * 1_000_000;
    const usdc = (micros * order.price) / 10_000;
    exchange.place({
      orderId: asId<OrderId>(`0x${'ee'.repeat(28)}${String(placed).padStart(8, '0')}`),
      maker: MAKER,
      owner: 'maker:direct',
      tokenId: order.tokenId,
      side: order.side,
      timeInForce,
      price: priceTicks(order.price),
      makerMicros: order.side === 'buy' ? usdc : micros,
      takerMicros: order.side === 'buy' ? micros : usdc,
      expiresAtMs: null,
      postOnly: timeInForce === 'GTC',
    });
  }
  return {
    row: venueA,
    clock,
    userId: USER,
    market: MARKET_READ,
    quote: (order) => place(order, 'GTC'),
    take: (order) => place(order, 'FAK'),
    garbleFrame: null,
    befall: (accident) =>
      faults.arm(accident === 'unanswered' ? 'lost-ack' : 'refused-silently', { times: 1 }),
    failTrade: () => faults.arm('ghost-fill', { times: 1 }),
    resolve(payoutTicks) {
      Object.assign(ending, { payoutTicks, atMs: clock.nowMs() });
      exchange.resolve(MARKET, payoutTicks);
    },
    async open(ownClock, life) {
      const line = { clock, latencyMs: LATENCY_MS };
      const reach = createDirectVenue({
        ...line,
        exchange,
        random,
        catalogue: {
          clock,
          faults,
          exchange,
          stats,
          listings: () => [{ ...LISTING, ending: endingOf(ending) }],
          strikeE18: () => null,
          finalE18: () => null,
          twap: false,
          strikeDelayMs: 0,
        },
      });
      const settings = venueSettings({ PREDICTD_SIGNATURE_TYPE: 2 }, { runs: 'test' });
      const venue = await venueA.open(
        {
          store,
          vault,
          keccak,
          wallets,
          random: createSeededRandom(life),
          transport: reach.transport,
          chain: chainClients({}),
          transactions: lateTransactions(),
          clock: ownClock,
          wallClock: ownClock,
          metrics: createKeptMetrics(),
        },
        settings({ venues: { [reach.id]: reach.urls } })[reach.id],
      );
      return {
        ...venue,
        ...(books === 'direct' ? { books: createDirectBooks(exchange, line, ownClock) } : {}),
        async close() {
          reach.close();
          await venue.close();
        },
      };
    },
    close: () => stats.stop(),
  };
}

function endingOf({
  payoutTicks,
  atMs,
}: {
  readonly payoutTicks: readonly [number, number] | null;
  readonly atMs: number;
}): Listing['ending'] {
  return payoutTicks === null ? null : { payoutTicks, atMs };
}

const LISTED: ExchangeMarket = {
  marketId: MARKET,
  tokens: [UP, DOWN],
  labels: ['Yes', 'No'],
  slug: 'will-it-rain',
  question: 'Will it rain?',
  tickSize: priceTicks(100),
  minSize: shareMicros(5_000_000),
  negRisk: false,
  fee: { rateMicros: 70_000, exponent: 1, takerOnly: true },
  takerDelayMs: 0,
  opensForOrdersAtMs: 0,
  endsAtMs: START_MS + 24 * 3_600_000,
};

const LISTING: Listing = {
  market: LISTED,
  questionId: `0x${'7a'.repeat(32)}`,
  listingId: '7001',
  event: { eventId: '8001', slug: LISTED.slug, title: LISTED.question, tags: [] },
  groupTitle: null,
  description: '',
  resolutionSource: '',
  listedAtMs: START_MS - 86_400_000,
  hydratedAtMs: START_MS - 86_400_000,
  window: null,
  ending: null,
};

/** The market as its venue lists it. */
const MARKET_READ = aMarket(1, {
  marketId: MARKET,
  outcomes: [
    { tokenId: UP, label: 'Yes' },
    { tokenId: DOWN, label: 'No' },
  ],
  slug: LISTED.slug,
  question: LISTED.question,
  endsAtMs: LISTED.endsAtMs,
});
