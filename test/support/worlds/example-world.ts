import { expect } from 'vitest';
import {
  createVirtualClock,
  type VirtualClock,
} from '../../../src/adapters/clock/virtual-clock.ts';
import { chainClients } from '../../../src/app/chains.ts';
import { lateTransactions } from '../../../src/app/late-transactions.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createWalletAddresses } from '../../../src/adapters/safe-relayer/derive.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import { assert } from '../../../src/domain/errors.ts';
import {
  asId,
  type MarketId,
  type MechanismId,
  type TokenId,
  type UserId,
} from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import type { OtherOrder, VenueWorld } from '../../contracts/venue/fixture.ts';
import { aMarket, T0 } from '../builders.ts';
import { type ExampleHabits, ExampleExchange } from '../example-venue/exchange.ts';
import { CURVE, exampleVenue } from '../example-venue/venue.ts';
import { OTHER_KEY } from '../../conformance/venue-a-fixture.ts';
import { vaultWith } from '../known-keys.ts';
import { createKeptMetrics } from '../quiet.ts';
import { ORDER_BOOK } from '../venue-ids.ts';

const USER = asId<UserId>('usr_ada');
/** Which example venue it is. */
interface ExampleOptions extends Partial<ExampleHabits> {
  /** Gives the venue two mechanisms, a market each: the world's is traded by this one. */
  readonly by?: MechanismId;
  readonly clock?: VirtualClock;
  readonly ids?: Partial<Pick<Market, 'marketId' | 'outcomes'>>;
}

/** The example venue, with the market of its other mechanism; null where it has one. */
interface ExampleWorld extends VenueWorld {
  readonly other: Market | null;
}

/** The example venue's row before its exchange in memory, on a virtual clock. */
export async function createExampleWorld({
  clock = createVirtualClock(T0),
  ids = {},
  keepsOrders = true,
  listsTrades = true,
  by,
}: ExampleOptions = {}): Promise<ExampleWorld> {
  const named = (name: string, change: Partial<Market>) =>
    aMarket(1, {
      venue: exampleVenue.id,
      marketId: asId<MarketId>(`EX-${name}`),
      slug: `will-it-${name.toLowerCase()}`,
      outcomes: [
        { tokenId: asId<TokenId>(`EX-${name}-YES`), label: 'Yes' },
        { tokenId: asId<TokenId>(`EX-${name}-NO`), label: 'No' },
      ],
      fee: null,
      endsAtMs: clock.nowMs() + 24 * 3_600_000,
      ...change,
    });
  const market = named('RAIN', by === undefined ? ids : { ...ids, mechanism: by });
  const mechanism = by === CURVE ? ORDER_BOOK : CURVE;
  const other = by === undefined ? null : named('SNOW', { mechanism });
  const markets = other === null ? [market] : [market, other];
  const isKept = ({ mechanism: of }: Market) => keepsOrders && of !== CURVE;
  const exchange = new ExampleExchange(clock, { keepsOrders, listsTrades });
  exchange.deposit(USER, 1_000_000_000);
  const keccak = await loadKeccak();
  const vault = await vaultWith(keccak, USER, OTHER_KEY);
  let placed = 0;
  const ofToken = (tokenId: TokenId): Market => {
    const found = markets.find(({ outcomes }) => outcomes.some((one) => one.tokenId === tokenId));
    assert(found !== undefined, `${tokenId} is of a market`);
    return found;
  };
  function place({ tokenId, side, price, shares }: OtherOrder, life: 'rests' | 'part_now'): void {
    placed += 1;
    const { marketId, outcomes } = ofToken(tokenId);
    const answer = exchange.place({
      reference: `other-${placed}`,
      account: 'other',
      marketId,
      outcome: outcomes[0].tokenId === tokenId ? 0 : 1,
      side,
      life,
      price,
      shares,
      goodUntilMs: clock.nowMs(),
      endsAtMs: null,
    });
    assert(answer.kind === 'taken', 'others trade freely');
  }
  return {
    row: exampleVenue,
    other,
    clock,
    userId: USER,
    market,
    quote: (order) => place(order, 'rests'),
    // No trader meets what the service keeps: they offer, and wait for its order.
    take: (order) => place(order, isKept(ofToken(order.tokenId)) ? 'part_now' : 'rests'),
    garbleFrame: () => exchange.garbleNext(),
    befall: (accident) => void exchange.accidents.push(accident),
    failTrade: () => void exchange.endings.push('failed'),
    resolve: (payoutTicks) => exchange.resolve(market.marketId, payoutTicks),
    open: (ownClock, life) =>
      exampleVenue.open(
        {
          store: createMemoryStore(),
          vault,
          keccak,
          wallets: createWalletAddresses(keccak, POLYGON_CHAIN.wallets),
          random: createSeededRandom(life),
          transport: {
            calls: () => expect.unreachable('the example venue has no network'),
            openSocket: () => expect.unreachable('the example venue has no network'),
          },
          chain: chainClients({}),
          transactions: lateTransactions(),
          clock: ownClock,
          wallClock: ownClock,
          metrics: createKeptMetrics(),
        },
        { exchange, markets },
      ),
    close: () => undefined,
  };
}
