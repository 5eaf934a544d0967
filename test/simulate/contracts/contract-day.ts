import { address, type Address } from '@solana/kit';
import { venueSettings } from '../../../config/profiles/venues.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { DirectUser, VenueInReach } from '../../../src/tools/replay/direct-service.ts';
import { assert } from '../../../src/domain/errors.ts';
import { asId, type MarketId, type OrderId, type TradeId } from '../../../src/domain/ids.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { createFaultBoard, type FaultBoard } from '../../../src/sandbox/faults.ts';
import type { LandedTransaction } from '../../../src/sandbox/chains/solana/landed-transaction.ts';
import { memosOf, tokenChange } from '../../../src/sandbox/chains/solana/transactions.ts';
import type { SharedModel } from '../../../src/sandbox/shared-model.ts';
import { USDC } from '../../../src/sandbox/venues/venue-b/chain/settlement.ts';
import {
  createDirectVenue,
  type DirectVenue,
} from '../../../src/sandbox/venues/venue-b/direct/direct-venue.ts';
import type { Listing } from '../../../src/sandbox/venues/venue-b/model/listing.ts';
import type { MarketModel } from '../../../src/sandbox/venues/venue-b/model/market-model.ts';
import { watchBacking } from '../../support/checks/backed-pairs.ts';
import { heldOf, openedIn } from '../../support/checks/contract-records.ts';
import { VENUE_B } from '../../support/venue-ids.ts';
import type { PaidEntry, VenueTrade } from '../checks/venue.ts';

/** venue_b over the days, on a chain of its own, whatever becomes of the service. */
export interface ContractDay {
  readonly inReach: VenueInReach;
  readonly direct: DirectVenue;
  readonly model: MarketModel;
  readonly faults: FaultBoard;
  /** The venue knows the user, whose wallet has coin for fees. */
  know(user: DirectUser): void;
  /** Another wallet sends USDC, micros, to the user's wallet. */
  give(user: DirectUser, micros: number): void;
  /** Ends a market that has not ended by itself, by chance. */
  end(marketId: MarketId): void;
  /** When its markets end, epoch ms, by id. */
  marketEndsAtMs(): readonly (readonly [string, number])[];
  /** Those that farming agents must leave alone. */
  unfitToFarm(): readonly string[];
  records(user: DirectUser): ContractRecords;
  /** Times at which a market's tokens were not backed, and vaults that still hold anything. */
  unbacked(): readonly string[];
  close(): void;
}

/** What the chain has on record of a user. */
export interface ContractRecords {
  readonly activity: readonly PaidEntry[];
  readonly trades: readonly VenueTrade[];
  /** By asset: USDC, and the tokens of what has not lost. */
  readonly balances: ReadonlyMap<string, number>;
}

const LATENCY_MS = 20;
const COIN_LAMPORTS = 5_000_000_000n;
const UNFIT_CATEGORIES: readonly string[] = ['Crypto', 'Sports'];
/**
 * Opens the venue with faults and chance of its own: what it does takes nothing from the chance of
 * the other.
 */
export function openContractDay(
  clock: Clock,
  seed: number,
  shared: Pick<SharedModel, 'prices' | 'quotes' | 'infer'>,
): ContractDay {
  const faults = createFaultBoard(createSeededRandom(`${seed}:contract faults`));
  const ends = createSeededRandom(`${seed}:contract ends`);
  const direct = createDirectVenue({
    seed,
    shared: { ...shared, clock, faults },
    latencyMs: LATENCY_MS,
  });
  const { model, rails, settlement, verified } = direct.venue;
  const backing = watchBacking(direct);
  const closings = followClosings(direct);
  const made = (): readonly Listing[] =>
    model
      .events()
      .flatMap(({ markets }) => markets)
      .filter((listing) => settlement.isMade(listing));
  return {
    inReach: {
      id: VENUE_B,
      transport: direct.transport,
      solanaRpc: direct.urls.rpcUrl,
      settings: settingsAt(direct.urls),
    },
    direct,
    model,
    faults,
    know({ solanaAddress }) {
      direct.faucet.giveLamports(address(solanaAddress), COIN_LAMPORTS);
      verified.add(solanaAddress);
    },
    give({ solanaAddress }, micros) {
      const given = direct.faucet.giveUsdc(address(solanaAddress), BigInt(micros));
      assert(given.kind === 'landed', 'the faucet gives');
    },
    end(marketId) {
      const listing = model.market(marketId);
      if (listing !== null && model.state(listing).result === null)
        model.script(listing, { result: ends.integer(2) === 0 ? 'yes' : 'no' });
    },
    marketEndsAtMs: () =>
      model
        .events()
        .flatMap(({ markets }) => markets.map(({ ticker, closeMs }) => [ticker, closeMs] as const)),
    unfitToFarm: () =>
      model
        .events()
        .flatMap(({ markets }) => markets)
        .filter((listing) => UNFIT_CATEGORIES.includes(model.seriesOf(listing).category))
        .map(({ ticker }) => ticker),
    records(user) {
      const wallet = address(user.solanaAddress);
      const tokens = made().flatMap((listing) =>
        (['yes', 'no'] as const)
          .filter((side) => (model.state(listing).result ?? side) === side)
          .map((side) => rails.of(listing).mints[side]),
      );
      return {
        activity: givenTo(direct, wallet),
        trades: closings.of(wallet),
        balances: new Map([
          ['usdc:solana', heldOf(direct.chain, wallet, USDC)],
          ...tokens.map(
            (token) =>
              [
                token.address as string,
                heldOf(direct.chain, wallet, { mint: token.address, program: token.program }),
              ] as const,
          ),
        ]),
      };
    },
    unbacked: () => [
      ...backing,
      ...made().flatMap((listing) => {
        const { vault } = settlement.backing(listing);
        return vault === 0 ? [] : [`the vault of ${listing.ticker} still holds ${vault}`];
      }),
    ],
    close: () => direct.close(),
  };
}

/** What others sent a wallet: transactions of no order. */
function givenTo({ chain }: DirectVenue, wallet: Address): readonly PaidEntry[] {
  return [...chain.transactionsOf(wallet)].flatMap((transaction) => {
    const micros = tokenChange(transaction, wallet, USDC.mint);
    return transaction.error !== null || micros === 0 || noteOf(transaction) !== null
      ? []
      : [
          {
            kind: micros > 0 ? ('DEPOSIT' as const) : ('WITHDRAWAL' as const),
            tokenId: null,
            usdcMicros: Math.abs(micros),
            cashAccount: 'usdc:solana' as const,
          },
        ];
  });
}

/** Remembers closings that gave something, those that a fork has taken back among them. */
function followClosings({ chain, venue }: DirectVenue): {
  of(wallet: Address): readonly VenueTrade[];
} {
  const openings = new Map<string, { readonly signature: string; readonly wallet: string }>();
  const closings = new Map<string, string>();
  const { address: router } = venue.settlement.router;
  chain.onLanded((transaction) => {
    if (transaction.error !== null || !transaction.accountKeys.includes(router)) return;
    const opened = openedIn(transaction);
    if (opened !== null)
      openings.set(opened, {
        signature: transaction.signature,
        wallet: transaction.accountKeys[0] ?? '',
      });
    const [verb, id = ''] = noteOf(transaction)?.split(':') ?? [];
    if (verb === 'fill') closings.set(transaction.signature, id);
  });
  return {
    of: (wallet) =>
      [...closings].flatMap(([tradeId, id]) => {
        const opening = openings.get(id);
        return opening?.wallet !== wallet
          ? []
          : [
              {
                tradeId: asId<TradeId>(tradeId),
                status: chain.transaction(tradeId) === null ? 'FAILED' : 'CONFIRMED',
                takerOrderId: asId<OrderId>(opening.signature),
                makers: [],
              },
            ];
      }),
  };
}

/** What a transaction of an order says that it is; null for any other. */
function noteOf(transaction: LandedTransaction): string | null {
  return memosOf(transaction).find((note) => /^(order|fill|revert):/.test(note)) ?? null;
}

function settingsAt({ usdcMint, ...urls }: DirectVenue['urls']): unknown {
  const settings = venueSettings({}, { runs: 'test' })({ venues: { [VENUE_B]: urls } });
  return { ...Object(settings[VENUE_B]), usdcMint };
}
