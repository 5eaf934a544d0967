import { encodeFunctionData } from 'viem';
import type { Hex } from 'viem';
import { CHAIN_VENUE } from '../../../config/sandbox-settlement-limits.ts';
import type { MarketId } from '../../domain/ids.ts';
import { MULTICALL3, VENUE_A_CHAIN } from '../chain/chain-addresses.ts';
import { CONDITIONAL_TOKENS_ABI, EXCHANGE_ABI } from '../chain/contract-abis.ts';
import type { DeployedChain } from '../chain/deploy-venue-a.ts';
import type { VenueModel } from '../models/exchange.ts';
import type { ExchangeMarket } from '../models/exchange-types.ts';
import { exchangeOf } from './match-parts.ts';

/** Keeps the chain's conditions as the venue's markets are: prepared and tradable once listed, paid out once resolved. */
export interface ConditionKeeper {
  /** True once the market's tokens can be traded on the chain. */
  isTradable(marketId: MarketId): boolean;
  /** Goes once through what is still to be done; the chain itself says what is, so it may be cut short and repeated. Errors: those of the node. */
  look(): Promise<void>;
  stop(): void;
}

/** Watches a venue's markets. `questionIdOf` gives the question a market's condition is about. */
export function keepConditions(chain: DeployedChain, exchange: VenueModel, questionIdOf: (market: ExchangeMarket) => string): ConditionKeeper {
  const todo = new Set<MarketId>(exchange.markets().map(({ marketId }) => marketId));
  const tradable = new Set<MarketId>();
  const stop = exchange.subscribe((event) => {
    if (event.kind === 'market_listed') todo.add(event.market.marketId);
    if (event.kind === 'market_resolved') todo.add(event.marketId);
  });
  return {
    isTradable: (marketId) => tradable.has(marketId),
    stop,
    async look() {
      const batch = [...todo].slice(0, CHAIN_VENUE.marketsPerLook).flatMap((marketId) => exchange.market(marketId) ?? []);
      const standings = await standingOf(chain, batch);
      await Promise.all(batch.map(async (market, index) => {
        const { marketId } = market;
        const payout = exchange.payout(marketId);
        await bring(chain, { market, payout, questionId: questionIdOf(market) as Hex, standing: standings[index] ?? NOTHING }); // a hash: market-ids.ts made it
        tradable.add(marketId);
        // One that ended meanwhile comes again.
        if (payout !== null || exchange.payout(marketId) === null) todo.delete(marketId);
      }));
      for (const marketId of todo) if (exchange.market(marketId) === null) todo.delete(marketId);
    },
  };
}

interface Standing {
  readonly isPrepared: boolean;
  readonly isListed: boolean;
  readonly isReported: boolean;
}

const NOTHING: Standing = { isPrepared: false, isListed: false, isReported: false };

async function standingOf({ node: { client } }: DeployedChain, markets: readonly ExchangeMarket[]): Promise<readonly Standing[]> {
  if (markets.length === 0) return [];
  const contract = { address: VENUE_A_CHAIN.conditionalTokens, abi: CONDITIONAL_TOKENS_ABI } as const;
  const [slots, payouts, outcomes] = await Promise.all([
    client.multicall({ multicallAddress: MULTICALL3, allowFailure: false, contracts: markets.map((market) => ({ ...contract, functionName: 'getOutcomeSlotCount' as const, args: [conditionOf(market)] as const })) }),
    client.multicall({ multicallAddress: MULTICALL3, allowFailure: false, contracts: markets.map((market) => ({ ...contract, functionName: 'payoutDenominator' as const, args: [conditionOf(market)] as const })) }),
    client.multicall({ multicallAddress: MULTICALL3, contracts: markets.map((market) => ({ address: exchangeOf(market), abi: EXCHANGE_ABI, functionName: 'outcomeOf' as const, args: [BigInt(market.tokens[0])] as const })) }),
  ]);
  return markets.map((_, index) => ({ isPrepared: (slots[index] ?? 0n) > 0n, isReported: (payouts[index] ?? 0n) > 0n, isListed: outcomes[index]?.status === 'success' }));
}

async function bring({ sender }: DeployedChain, wanted: { readonly market: ExchangeMarket; readonly questionId: Hex; readonly payout: readonly [number, number] | null; readonly standing: Standing }): Promise<void> {
  const { market, questionId, payout, standing } = wanted;
  const oracle = sender('oracle');
  const to = VENUE_A_CHAIN.conditionalTokens;
  const calls = [
    ...(standing.isPrepared ? [] : [{ to, data: encodeFunctionData({ abi: CONDITIONAL_TOKENS_ABI, functionName: 'prepareCondition', args: [oracle.address, questionId, 2n] }) }]),
    ...(standing.isListed ? [] : [{ to: exchangeOf(market), data: encodeFunctionData({ abi: EXCHANGE_ABI, functionName: 'listPair', args: [conditionOf(market)] }) }]),
    ...(standing.isReported || payout === null ? [] : [{ to, data: encodeFunctionData({ abi: CONDITIONAL_TOKENS_ABI, functionName: 'reportPayouts', args: [questionId, [BigInt(payout[0]), BigInt(payout[1])]] }) }]),
  ];
  for (const call of calls) await oracle.send(call);
}

function conditionOf({ marketId }: ExchangeMarket): Hex {
  return marketId as string as Hex; // market-ids.ts made it: a condition id
}
