import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createVenueA } from '../../../src/venues/venue-a/adapter.ts';
import { createWalletAddresses } from '../../../src/adapters/safe-relayer/derive.ts';
import { orderAccount } from '../../../src/venues/venue-a/order-account.ts';
import { createOrderSigner } from '../../../src/venues/venue-a/sign.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import type { OrderId, UserId } from '../../../src/domain/ids.ts';
import { asId } from '../../../src/domain/ids.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { BookSource } from '../../../src/ports/venue.ts';
import { createDirectBooks } from '../../../src/sandbox/venues/venue-a/direct/direct-books.ts';
import { createDirectVenue } from '../../../src/sandbox/venues/venue-a/direct/direct-venue.ts';
import { createExchange } from '../../../src/sandbox/engine/exchange.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import { DOWN, HOUSE, MARKET, OTHER_KEY, UP } from '../../conformance/venue-a-stand.ts';
import type { HouseOrder, VenueUnderTest } from '../../contracts/venue.ts';
import { vaultWith } from '../known-keys.ts';
import { pump } from '../clocks/pumped-clock.ts';
import { memoryShelf, silentMetrics } from '../stands/wire-venue.ts';

const START_MS = 1_795_248_000_000;
const LATENCY_MS = 2;

/** The adapter before the model venue in this process, on a virtual clock that moves on by itself; books by frames or directly. */
export async function startDirectVenue(books: 'channel' | 'direct'): Promise<VenueUnderTest> {
  const clock = createVirtualClock(START_MS);
  const random = createSeededRandom('direct');
  const exchange = createExchange({
    clock,
    random,
    faults: createFaultBoard(random),
    settlement: { minedAfterMs: 20, confirmedAfterMs: 60 },
  });
  exchange.listMarket({
    marketId: MARKET,
    tokens: [UP, DOWN],
    labels: ['Up', 'Down'],
    slug: 'btc-updown-5m-1795248000',
    question: 'Bitcoin Up or Down?',
    tickSize: priceTicks(100),
    minSize: shareMicros(5_000_000),
    negRisk: false,
    fee: { rateMicros: 70_000, exponent: 1, takerOnly: true },
    takerDelayMs: 0,
    opensForOrdersAtMs: 0,
    endsAtMs: START_MS + 24 * 3_600_000,
  });
  exchange.deposit(HOUSE, usdcMicros(10_000_000_000));
  exchange.split(HOUSE, MARKET, 1_000_000_000);
  const keccak = await loadKeccak();
  const userId = asId<UserId>('usr_ada');
  const vault = await vaultWith(keccak, userId, OTHER_KEY);
  const line = { clock, latencyMs: LATENCY_MS };
  const reach = createDirectVenue({ ...line, exchange, random, catalogue: null });
  const venue = createVenueA({
    vault,
    keccak,
    clock,
    shelf: memoryShelf(),
    metrics: silentMetrics,
    funderOf: (user) => signer.makerOf(user),
    transport: reach.transport,
    config: {
      ...reach.urls,
      chainId: POLYGON_CHAIN.chainId,
      signatureType: 2,
    },
  });
  const signer = createOrderSigner({
    vault,
    keccak,
    random: createSeededRandom('salts'),
    config: {
      ...POLYGON_CHAIN,
      exchange: asId(POLYGON_CHAIN.exchange),
      negRiskExchange: asId(POLYGON_CHAIN.negRiskExchange),
      account: orderAccount(2, {
        wallets: createWalletAddresses(keccak, POLYGON_CHAIN.wallets),
        vault,
      }),
      ownerOf: (user) => venue.ownerOf(user),
    },
  });
  exchange.deposit(signer.makerOf(userId), usdcMicros(1_000_000_000));
  const motion = pump(clock, 1);
  let placed = 0;
  const place = (order: HouseOrder, timeInForce: 'GTC' | 'FAK'): void => {
    placed += 1;
    const micros = order.shares * 1_000_000;
    const usdc = (micros * order.price) / 10_000;
    exchange.place({
      orderId: asId<OrderId>(`0x${'ee'.repeat(28)}${String(placed).padStart(8, '0')}`),
      maker: HOUSE,
      owner: 'house:direct',
      tokenId: order.tokenId,
      side: order.side,
      timeInForce,
      price: priceTicks(order.price),
      makerMicros: order.side === 'buy' ? usdc : micros,
      takerMicros: order.side === 'buy' ? micros : usdc,
      expiresAtMs: null,
      postOnly: timeInForce === 'GTC',
    });
  };
  const source: BookSource = books === 'direct' ? createDirectBooks(exchange, line) : venue.books;
  return {
    signer,
    clock,
    userId,
    marketId: MARKET,
    tokens: [UP, DOWN],
    orders: venue.orders,
    accounts: venue.accounts,
    books: source,
    quote: (order) => place(order, 'GTC'),
    take: (order) => place(order, 'FAK'),
    async close() {
      await motion.stop();
      reach.close();
    },
  };
}
