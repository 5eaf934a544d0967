import { createHash } from 'node:crypto';
import { venueSettings } from '../../../config/profiles/venues.ts';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createWalletAddresses } from '../../../src/adapters/safe-relayer/derive.ts';
import type { HttpCalls } from '../../../src/adapters/wire/http-calls.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import type { Transport } from '../../../src/adapters/wire/transport.ts';
import { chainClients } from '../../../src/app/chains.ts';
import { lateTransactions } from '../../../src/app/late-transactions.ts';
import { AppError, assert } from '../../../src/domain/errors.ts';
import type { EvmAccounts } from '../../../src/ports/evm-account.ts';
import type { EvmChain } from '../../../src/ports/evm.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { Venue, VenueAccounts } from '../../../src/ports/venue.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../src/sandbox/feeds/prices/price-process.ts';
import type { FaultBoard } from '../../../src/sandbox/faults.ts';
import { createSharedModel } from '../../../src/sandbox/shared-model.ts';
import { contractsOf, VENUE_C_CHAIN } from '../../../src/sandbox/venues/venue-c/chain-addresses.ts';
import {
  createDirectVenue,
  type DirectVenue,
} from '../../../src/sandbox/venues/venue-c/direct/direct-venue.ts';
import type { VenueMarket } from '../../../src/sandbox/venues/venue-c/model/market.ts';
import { MAKER_ID, type OrderType } from '../../../src/sandbox/venues/venue-c/model/order.ts';
import { venueC } from '../../../src/venues/venue-c/venue.ts';
import { OTHER_KEY } from '../../conformance/venue-a-fixture.ts';
import type { OtherOrder, VenueWorld } from '../../contracts/venue/fixture.ts';
import { aMarket } from '../builders.ts';
import { vaultOf } from '../known-keys.ts';
import { createKeptMetrics } from '../quiet.ts';
import { modelChain } from './model-chain.ts';

/** A Wednesday; the markets are some days old. */
const START_MS = Date.UTC(2026, 10, 25, 17, 7);
const FOUNDED_MS = START_MS - 3 * 86_400_000;
const SEED = 7;
const USER = asId<UserId>('usr_ada');
const OTHER = '0x000000000000000000000000000000000000dEaD';

type Accident = 'unanswered' | 'lost';

/** What only this venue's world can do. */
export interface VenueCWorld extends VenueWorld {
  /** What goes wrong at the venue, by name. */
  readonly faults: FaultBoard;
  readonly direct: DirectVenue;
  /** The market as the venue has it. */
  readonly listed: VenueMarket;
  /** The user's. */
  readonly wallet: Address;
  walletOf(userId: UserId): Address;
}

/**
 * venue_c's row before its model in this process, which holds the money, on a virtual clock.
 * `others` are users who begin as the first does, `kind` says which of its markets is listed.
 */
export async function createVenueCWorld(
  others: readonly UserId[] = [],
  kind: 'single' | 'of a group' = 'single',
): Promise<VenueCWorld> {
  const clock = createVirtualClock(START_MS);
  const prices = createPriceProcess(SEED, startingPrices(START_MS / 1_000 - 36_000));
  const shared = createSharedModel({ clock, seed: SEED, prices, faults: [] });
  const direct = createDirectVenue({ seed: SEED, shared, foundedAtMs: FOUNDED_MS, latencyMs: 2 });
  const { exchange, give } = direct.model;
  const listed = exchange
    .markets()
    .find(({ window, group }) => window === null && (group === null) === (kind === 'single'));
  assert(listed !== undefined, 'a question is open');
  const keccak = await loadKeccak();
  const users = [USER, ...others];
  const vault = await vaultOf(
    keccak,
    users.map((userId) => ({ userId, privateKey: keyOf(userId) })),
  );
  const walletOf = (userId: UserId): Address => vault.addressOf(userId);
  for (const userId of users) await give(`0x${walletOf(userId).slice(2)}`, 1_000_000_000, 0n);
  const accidents: Accident[] = [];
  const store = createMemoryStore();
  const other = (order: OtherOrder, type: OrderType): void => {
    const { tokenId, side, price, shares } = order;
    exchange.quote(listed, {
      clientOrderId: null,
      ownerId: MAKER_ID,
      account: OTHER,
      slug: listed.slug,
      outcome: tokenId === listed.tokens[0] ? 0 : 1,
      side,
      type,
      price,
      originalMicros: shares * 1_000_000,
      postOnly: false,
      selfTrade: 'cancel_taker',
      signed: null,
    });
  };
  const chain = modelChain(exchange, { listed, accounts: users.map(walletOf), clock });
  /** The venue itself holds the money here: no chain is asked. */
  const accounts: VenueAccounts = {
    open: async () => undefined,
    deposits: async (_userId, sinceMs) =>
      sinceMs > START_MS
        ? []
        : [{ depositId: 'endowment', usdc: usdcMicros(1_000_000_000), atMs: START_MS }],
    async collateral(userId) {
      return usdcMicros((await exchange.holdings(walletOf(userId), listed)).usdc);
    },
  };
  return {
    row: venueC,
    faults: shared.faults,
    direct,
    listed,
    wallet: walletOf(USER),
    walletOf,
    clock,
    userId: USER,
    market: aMarket(1, {
      venue: venueC.id,
      marketId: asId(listed.slug),
      slug: listed.slug,
      question: listed.title,
      outcomes: [
        { tokenId: listed.tokens[0], label: 'Yes' },
        { tokenId: listed.tokens[1], label: 'No' },
      ],
      own: {
        tradeType: 'clob',
        conditionId: listed.conditionId,
        ...contractsOf(listed),
        negRiskRequestId: null,
      },
      tickSize: priceTicks(10),
      minSize: shareMicros(1_000),
      fee: null,
      endsAtMs: listed.endsAtMs,
    }),
    quote: (order) => other(order, 'GTC'),
    take: (order) => other(order, 'FAK'),
    garbleFrame: null,
    befall: (accident) => void accidents.push(accident),
    failTrade: () => shared.faults.arm('ghost-fill', { times: 1 }),
    resolve: ([first]) => exchange.endEarly(listed, first > 0 ? 0 : 1),
    async open(ownClock, life): Promise<Venue> {
      const transport = withAccidents(direct.transport, accidents);
      const settings = venueSettings({}, { runs: 'test' });
      const venue = await venueC.open(
        {
          store,
          vault,
          keccak,
          wallets: createWalletAddresses(keccak, POLYGON_CHAIN.wallets),
          random: createSeededRandom(life),
          transport,
          chain: chainClients({
            evm: { BASE: { ...BASE, ...chain } },
            evmAccounts: { BASE: NO_ACCOUNTS },
          }),
          transactions: lateTransactions(),
          clock: ownClock,
          wallClock: ownClock,
          metrics: createKeptMetrics(),
        },
        settings({ venues: { venue_c: direct.urls } })['venue_c'],
      );
      // It pays its winners itself.
      return { ...venue, accounts, redemption: null };
    },
    close: () => void direct.close(),
  };
}

/** A key of its own for each user; worth nothing anywhere. */
function keyOf(userId: UserId): string {
  return userId === USER ? OTHER_KEY : `0x${createHash('sha256').update(userId).digest('hex')}`;
}

const unreachable = () => Promise.reject(new AppError('chain_unavailable', 'there is no chain'));
/**
 * In a world without chains; orders are signed for it all the same, every right is given, and what
 * the venue has settled is there to be read.
 */
const BASE: Omit<EvmChain, keyof ReturnType<typeof modelChain>> = {
  chainId: VENUE_C_CHAIN.chainId,
  call: async () => '0x1',
  hasCode: unreachable,
  codeHash: unreachable,
  balances: unreachable,
  shares: unreachable,
  hasBlock: async () => true,
};
const NO_ACCOUNTS: EvmAccounts = {
  nonce: unreachable,
  fees: unreachable,
  gas: unreachable,
  send: unreachable,
  simulate: unreachable,
  coinChange: unreachable,
  coins: unreachable,
  received: unreachable,
  allowance: async () => 2n ** 256n - 1n,
};

const NO_ANSWER = new Promise<never>(() => undefined);

/**
 * The way to the venue, on which orders are lost, or the answer to them. Who has closed it is gone,
 * and hears nothing more.
 */
function withAccidents(transport: Transport, accidents: Accident[]): Transport {
  return {
    ...transport,
    calls(options): HttpCalls {
      const calls = transport.calls(options);
      let isClosed = false;
      return {
        close() {
          isClosed = true;
          return calls.close();
        },
        async send(call) {
          if (isClosed) return NO_ANSWER;
          const isOrder = call.method === 'POST' && call.path === '/orders';
          const accident = isOrder ? accidents.shift() : undefined;
          if (accident === undefined) return calls.send(call);
          if (accident === 'unanswered') await calls.send(call);
          return { kind: 'lost', cause: 'an accident' };
        },
      };
    },
  };
}
