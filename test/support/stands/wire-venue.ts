import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import type { VenueA } from '../../../src/venues/venue-a/adapter.ts';
import { createVenueA } from '../../../src/venues/venue-a/adapter.ts';
import type { CredentialShelf } from '../../../src/venues/venue-a/accounts.ts';
import { createWalletAddresses } from '../../../src/adapters/safe-relayer/derive.ts';
import { createOrderSigner } from '../../../src/venues/venue-a/sign.ts';
import { orderAccount } from '../../../src/venues/venue-a/order-account.ts';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import type { Address, MarketId, OrderId, TokenId, UserId } from '../../../src/domain/ids.ts';
import { asId } from '../../../src/domain/ids.ts';
import { priceTicks, usdcMicros } from '../../../src/domain/units.ts';
import type { KeyVault } from '../../../src/ports/key-vault.ts';
import type { Metrics } from '../../../src/ports/metrics.ts';
import type { OrderSigner } from '../../../src/ports/order-signer.ts';
import type { OrderGateway } from '../../../src/ports/venue.ts';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import type { Stand } from '../../conformance/venue-a-stand.ts';
import { DOWN, HOUSE, MARKET, OTHER_KEY, UP, startStand } from '../../conformance/venue-a-stand.ts';
import type { OtherOrder, TradingUnderTest } from '../../contracts/venue/stand.ts';
import { aMarket } from '../builders.ts';
import { vaultWith } from '../known-keys.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';

/** The wire adapter in front of the sandbox's loopback servers. */
export interface WireVenue extends TradingUnderTest {
  readonly venue: VenueA;
  readonly orders: OrderGateway;
  readonly signer: OrderSigner;
  readonly marketId: MarketId;
  readonly tokens: readonly [TokenId, TokenId];
  readonly stand: Stand;
  readonly vault: KeyVault;
  readonly shelf: CredentialShelf;
  /** Whose funds the user's orders move. */
  readonly funder: Address;
}

/** Metrics that go nowhere. */
export const silentMetrics: Metrics = {
  count: () => undefined,
  gauge: () => undefined,
  observe: () => undefined,
  startTimer: () => () => undefined,
};

/** Credentials kept in memory. */
export function memoryShelf(): CredentialShelf {
  const sealed = new Map<UserId, string>();
  return {
    get: (userId) => sealed.get(userId) ?? null,
    async put(userId, text) {
      sealed.set(userId, text);
    },
  };
}

/** Starts the sandbox venue and an adapter that speaks to it over real sockets; the user holds 1 000 USDC where orders of the signature type find it. */
export async function startWireVenue(signatureType: 0 | 2 | 3 = 2): Promise<WireVenue> {
  const stand = await startStand();
  const keccak = await loadKeccak();
  const userId = asId<UserId>('usr_ada');
  const vault = await vaultWith(keccak, userId, OTHER_KEY);
  const shelf = memoryShelf();
  const clock = createWallClock();
  const venue = createVenueA({
    vault,
    keccak,
    clock,
    shelf,
    metrics: silentMetrics,
    funderOf: (user) => signer.makerOf(user),
    config: {
      clobRest: stand.rest,
      clobMarketSocket: stand.sockets.marketUrl,
      clobUserSocket: stand.sockets.userUrl,
      gamma: stand.rest,
      dataApi: stand.data,
      site: stand.site,
      chainId: POLYGON_CHAIN.chainId,
      signatureType,
    },
  });
  const wallets = createWalletAddresses(keccak, POLYGON_CHAIN.wallets);
  const signer = createOrderSigner({
    vault,
    keccak,
    random: createSeededRandom('salts'),
    config: {
      ...POLYGON_CHAIN,
      exchange: asId(POLYGON_CHAIN.exchange),
      negRiskExchange: asId(POLYGON_CHAIN.negRiskExchange),
      account: orderAccount(signatureType, { wallets, vault }),
      ownerOf: (user) => venue.ownerOf(user),
    },
  });
  const funder = signer.makerOf(userId);
  stand.exchange.deposit(funder, usdcMicros(1_000_000_000));
  return {
    venue,
    stand,
    vault,
    shelf,
    funder,
    signer,
    trading: { traits: venue.traits, rules: venue.rules, signer, gateway: venue.orders },
    cashAccount: 'usdc:safe',
    market: aMarket(1, {
      marketId: MARKET,
      outcomes: [
        { tokenId: UP, label: 'Up' },
        { tokenId: DOWN, label: 'Down' },
      ],
      endsAtMs: clock.nowMs() + 3_600_000,
    }),
    clock,
    userId,
    marketId: MARKET,
    tokens: [UP, DOWN],
    orders: venue.orders,
    accounts: venue.accounts,
    books: venue.books,
    quote: (order) => void stand.quote(order),
    take: (order) => takeAsHouse(stand, order),
    async close() {
      await venue.close();
      await stand.close();
    },
  };
}

let taken = 0;

function takeAsHouse({ exchange }: Stand, { tokenId, side, price, shares }: OtherOrder): void {
  taken += 1;
  const micros = shares * 1_000_000;
  const usdc = (micros * price) / 10_000;
  exchange.place({
    orderId: asId<OrderId>(`0x${'dd'.repeat(28)}${String(taken).padStart(8, '0')}`),
    maker: HOUSE,
    owner: 'house:takers',
    tokenId,
    side,
    timeInForce: 'FAK',
    price: priceTicks(price),
    makerMicros: side === 'buy' ? usdc : micros,
    takerMicros: side === 'buy' ? micros : usdc,
    expiresAtMs: null,
    postOnly: false,
  });
}
