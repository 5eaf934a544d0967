import { BaseError, ContractFunctionRevertedError, encodeFunctionData, type Hex } from 'viem';
import { CHAIN_VENUE } from '../../../../../config/limits/sandbox-chains.ts';
import type { MarketId } from '../../../../domain/ids.ts';
import { VENUE_A_CHAIN } from '../chain/chain-addresses.ts';
import { CONDITIONAL_TOKENS_ABI } from '../../../chains/evm/contract-abis.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import type { ExchangeMarket, RetiredMarket } from '../../../engine/exchange-types.ts';
import type { ChainCleaner } from './clear-chain.ts';
import { exchangeOf } from './match-parts.ts';
import { EXCHANGE_ABI } from '../chain/exchange-orders.ts';
import type { DeployedChain } from '../../../chains/evm/deploy-chain.ts';

/**
 * Keeps the chain's conditions as the venue's markets are: prepared and tradable once listed, paid
 * out once resolved, gone once retired.
 */
export interface ConditionKeeper {
  /** True once the market's tokens can be traded on the chain. */
  isTradable(marketId: MarketId): boolean;
  /**
   * Goes once through what is still to be done at this newest block; the chain itself says what is,
   * so it may be cut short and repeated. Done is what stays so for CHAIN_VENUE.finalAfterBlocks: a
   * chain that goes back is reported again. Errors: those of the node.
   */
  update(head: number): Promise<void>;
  stop(): void;
}

/** Watches a venue's markets. */
export function keepConditions(
  chain: DeployedChain,
  exchange: Pick<VenueModel, 'markets' | 'market' | 'payout' | 'subscribe'>,
  {
    questionIdOf,
    cleaner,
  }: {
    /** Gives the question a market's condition is about. */
    readonly questionIdOf: (market: ExchangeMarket) => string;
    readonly cleaner: Pick<ChainCleaner, 'clearMarket'>;
  },
): ConditionKeeper {
  /**
   * Markets with something to do, and from which block on it counts as done; null while it is not.
   */
  const todo = new Map<MarketId, number | null>(
    exchange.markets().map(({ marketId }) => [marketId, null]),
  );
  const tradable = new Set<MarketId>();
  /** At most as many as were listed since the node last answered. */
  const retired: RetiredMarket[] = [];
  const stop = exchange.subscribe((event) => {
    if (event.kind === 'market_listed') todo.set(event.market.marketId, null);
    if (event.kind === 'market_resolved') todo.set(event.marketId, null);
    if (event.kind === 'market_retired') retired.push(event);
  });
  return {
    isTradable: (marketId) => tradable.has(marketId),
    stop,
    async update(head) {
      for (const marketId of todo.keys())
        if (exchange.market(marketId) === null) todo.delete(marketId);
      for (let next = retired[0]; next !== undefined; next = retired[0]) {
        await cleaner.clearMarket(next);
        tradable.delete(next.market.marketId);
        retired.shift();
      }
      const due = [...todo]
        .filter(([, finalFrom]) => finalFrom === null || finalFrom <= head)
        .slice(0, CHAIN_VENUE.marketsPerPoll);
      const batch = due.flatMap(([marketId]) => exchange.market(marketId) ?? []);
      const standings = await standingOf(chain, batch);
      await Promise.all(
        batch.map(async (market, index) => {
          const { marketId } = market;
          const payout = exchange.payout(marketId);
          const block = await bring(chain, {
            market,
            payout,
            questionId: questionIdOf(market) as Hex,
            standing: standings[index] ?? NOTHING,
          }); // a hash: outcome-ids.ts made it
          tradable.add(marketId);
          // One that ended meanwhile comes again.
          if (payout === null && exchange.payout(marketId) !== null) return;
          const finalFrom = todo.get(marketId) ?? null;
          if (block === null && finalFrom !== null) todo.delete(marketId);
          else todo.set(marketId, (block ?? head) + CHAIN_VENUE.finalAfterBlocks - 1);
        }),
      );
    },
  };
}

interface Standing {
  readonly isPrepared: boolean;
  readonly isListed: boolean;
  readonly isReported: boolean;
}

const NOTHING: Standing = { isPrepared: false, isListed: false, isReported: false };

function standingOf(
  { node: { client } }: DeployedChain,
  markets: readonly ExchangeMarket[],
): Promise<readonly Standing[]> {
  const address = VENUE_A_CHAIN.conditionalTokens;
  return Promise.all(
    markets.map(async (market) => {
      const [slots, payouts, isListed] = await Promise.all([
        client.readContract({
          address,
          abi: CONDITIONAL_TOKENS_ABI,
          functionName: 'getOutcomeSlotCount',
          args: [conditionOf(market)],
        }),
        client.readContract({
          address,
          abi: CONDITIONAL_TOKENS_ABI,
          functionName: 'payoutDenominator',
          args: [conditionOf(market)],
        }),
        client
          .readContract({
            address: exchangeOf(market),
            abi: EXCHANGE_ABI,
            functionName: 'outcomeOf',
            args: [BigInt(market.tokens[0])],
          })
          .then(() => true, isUnlisted),
      ]);
      return { isPrepared: slots > 0n, isReported: payouts > 0n, isListed };
    }),
  );
}

/** The exchange says of a token it does not know that it does not know it. */
function isUnlisted(error: unknown): false {
  if (
    error instanceof BaseError &&
    error.walk((step) => step instanceof ContractFunctionRevertedError) !== null
  )
    return false;
  throw error;
}

/** Does what is missing; gives the newest block that has some of it, null where nothing was. */
async function bring(
  { sender }: DeployedChain,
  wanted: {
    readonly market: ExchangeMarket;
    readonly questionId: Hex;
    readonly payout: readonly [number, number] | null;
    readonly standing: Standing;
  },
): Promise<number | null> {
  const { market, questionId, payout, standing } = wanted;
  const oracle = sender('oracle');
  const to = VENUE_A_CHAIN.conditionalTokens;
  const calls = [
    ...(standing.isPrepared
      ? []
      : [
          {
            to,
            data: encodeFunctionData({
              abi: CONDITIONAL_TOKENS_ABI,
              functionName: 'prepareCondition',
              args: [oracle.address, questionId, 2n],
            }),
          },
        ]),
    ...(standing.isListed
      ? []
      : [
          {
            to: exchangeOf(market),
            data: encodeFunctionData({
              abi: EXCHANGE_ABI,
              functionName: 'listPair',
              args: [conditionOf(market)],
            }),
          },
        ]),
    ...(standing.isReported || payout === null
      ? []
      : [
          {
            to,
            data: encodeFunctionData({
              abi: CONDITIONAL_TOKENS_ABI,
              functionName: 'reportPayouts',
              args: [questionId, [BigInt(payout[0]), BigInt(payout[1])]],
            }),
          },
        ]),
  ];
  let newest: number | null = null;
  for (const call of calls) newest = Number((await oracle.send(call)).blockNumber);
  return newest;
}

function conditionOf({ marketId }: ExchangeMarket): Hex {
  return marketId as string as Hex; // outcome-ids.ts made it: a condition id
}
