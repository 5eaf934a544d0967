import { createSeededRandom } from '../../../adapters/random/seeded-random.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { SolanaChain } from '../../chains/solana/chain.ts';
import type { SolanaFaucet } from '../../chains/solana/faucet.ts';
import type { SharedModel } from '../../shared-model.ts';
import type { RecordStore } from '../../storage/record-store.ts';
import type { VenueRoute } from '../../wire/http-server.ts';
import type { Channel } from '../../wire/socket-server.ts';
import { startKeeper } from './chain/keeper.ts';
import { startKeptMarkets } from './chain/kept-markets.ts';
import { followOrders, type OrderTerms } from './chain/orders.ts';
import { createRails, type Rails } from './chain/rails.ts';
import { createSettlement, routerKey, type Settlement } from './chain/settlement.ts';
import type { Listing } from './model/listing.ts';
import { createMarketModel, type KeptMarket, type MarketModel } from './model/market-model.ts';
import { isMaintenance } from './model/tickers.ts';
import { createMetadataChannel } from './wire/metadata-socket.ts';
import { metadataRoutes } from './wire/metadata.ts';
import { createVerified, proofRoutes, type Verified, type VerifiedWallet } from './wire/proof.ts';
import { tradeRoutes } from './wire/trade.ts';

export interface ContractVenueParts {
  readonly seed: number;
  readonly shared: SharedModel;
  /** The chain's time and people's. */
  readonly wallClock: Clock;
  readonly solana: { readonly chain: SolanaChain; readonly faucet: SolanaFaucet };
  readonly records: {
    readonly orders: RecordStore<OrderTerms>;
    readonly markets: RecordStore<KeptMarket>;
    readonly verified: RecordStore<VerifiedWallet>;
  };
  /** Where the page of Proof is found, once it is. */
  readonly proofPageUrl: () => string;
  /** Factor of the fees; 1 unless stated, 0 trades without. */
  readonly feeScale?: number;
  /** True closes the clearing on Thursdays as the venue does; else the fault does. */
  readonly weeklyMaintenance?: boolean;
}

/** The venue without its listeners: its model, its routes, and who acts for it on the chain. */
export interface ContractVenue {
  readonly model: MarketModel;
  readonly rails: Rails;
  readonly settlement: Settlement;
  readonly verified: Verified;
  readonly routes: Readonly<Record<'metadata' | 'trade' | 'proof', readonly VenueRoute[]>>;
  readonly channel: Channel;
  /** Whether its clearing is under maintenance at present. */
  readonly isClosed: () => boolean;
  stop(): void;
}

/** Opens the venue on a chain, going on with what is open there. */
export function openContractVenue(parts: ContractVenueParts): ContractVenue {
  const { seed, shared, wallClock, solana, records, feeScale = 1 } = parts;
  const { clock, faults } = shared;
  const model = createMarketModel({ ...shared, seed }, records.markets.all());
  const rails = createRails(model, routerKey(seed).address);
  const settlement = createSettlement(solana, seed, rails);
  const kept = startKeptMarkets(model, settlement, records.markets);
  const orders = followOrders(solana.chain, settlement.router.address, records.orders);
  const isClosed = (): boolean =>
    faults.isArmed('clearing-maintenance') ||
    (parts.weeklyMaintenance === true && isMaintenance(clock.nowMs()));
  const isInitialized = (listing: Listing): boolean =>
    listing.isInitialized || settlement.isMade(listing);
  const quoting = { model, rails, faults, feeScale, isMaintenance: isClosed };
  const keeper = startKeeper({
    ...quoting,
    clock: wallClock,
    chain: solana.chain,
    orders,
    settlement,
  });
  const verified = createVerified(records.verified, { clock: wallClock, faults });
  return {
    model,
    rails,
    settlement,
    verified,
    routes: {
      metadata: metadataRoutes({ model, rails, isInitialized }),
      trade: tradeRoutes({
        ...quoting,
        chain: solana.chain,
        orders,
        settlement,
        // A restarted venue must not draw the ids of its former run again.
        random: createSeededRandom(`${seed}:contract orders:${wallClock.nowMs()}`),
        isVerified: (wallet) => verified.has(wallet),
        get proofPageUrl() {
          return parts.proofPageUrl();
        },
        isInitialized,
        keep: (listing) => kept.keep(listing),
      }),
      proof: proofRoutes({
        verified,
        faults,
        give: (wallet, gift) => give(solana, wallet, gift),
      }),
    },
    channel: createMetadataChannel(model, faults),
    isClosed,
    stop() {
      keeper.stop();
      orders.stop();
      kept.stop();
      model.stop();
    },
  };
}

function give(
  { faucet, chain }: { readonly faucet: SolanaFaucet; readonly chain: Pick<SolanaChain, 'keep'> },
  wallet: string,
  { lamports, usdcMicros }: { readonly lamports: bigint; readonly usdcMicros: bigint },
): boolean {
  // an address: the route has checked it
  const to = wallet as Parameters<SolanaFaucet['giveUsdc']>[0];
  const executed = [
    ...(lamports > 0n ? [faucet.giveLamports(to, lamports)] : []),
    ...(usdcMicros > 0n ? [faucet.giveUsdc(to, usdcMicros)] : []),
  ];
  // whoever is answered has it, whenever the sandbox is killed
  chain.keep();
  return executed.every((each) => each.kind === 'landed' && each.transaction.error === null);
}
