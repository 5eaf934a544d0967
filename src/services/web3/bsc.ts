import { TOKEN_WARNINGS } from '../../../config/limits/tokens.ts';
import { WALLET_VIEW } from '../../../config/limits/wallet-view.ts';
import { scaledDecimal } from '../../domain/decimal-text.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address } from '../../domain/ids.ts';
import { coinOrKnownToken, knownTokenAt, WRAPPED_COINS } from '../../domain/known-tokens.ts';
import { judgeName, type JudgedName } from '../../domain/token-listing.ts';
import type { TokenPrice } from '../../domain/token-price.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EvmAccounts, EvmFees } from '../../ports/evm-account.ts';
import type { EvmChain } from '../../ports/evm.ts';
import type { PairExchange, PairPool, PoolPath, TokenFacts } from '../../ports/pair-exchange.ts';
import { assertOtherToken } from '../tokens/same-token.ts';
import type { TokenPrices } from '../tokens/token-prices.ts';

/** A token of BNB Smart Chain: what it says of itself, cleaned and judged. */
export interface BscToken extends JudgedName, Pick<TokenFacts, 'decimals' | 'totalSupply'> {
  readonly address: Address;
  readonly price: TokenPrice | null;
}

/**
 * What PancakeSwap would give now. Swaps themselves go through the router: there is one way to
 * execute.
 */
interface BscQuote {
  readonly sell: BscToken;
  readonly buy: BscToken;
  readonly amount: bigint;
  readonly best: PoolPath;
  readonly others: readonly PoolPath[];
  /**
   * What is lost against the price of a thousandth of the amount, in hundredths of a percent; null
   * where that is unknown.
   */
  readonly impactBps: number | null;
  readonly blockNumber: number;
}

/**
 * Reads of BNB Smart Chain. Errors of every call: `chain_unavailable`, `not_found` for no token.
 */
export interface BscReads {
  /** Errors: also `invalid_request` for no amount or one token twice, `no_route`. */
  quote(sell: string, buy: string, amount: string): Promise<BscQuote>;
  /** Errors: also `invalid_request`. */
  pools(
    one: string,
    other: string,
  ): Promise<{
    readonly tokens: readonly [BscToken, BscToken];
    readonly pools: readonly PairPool[];
  }>;
  token(name: string): Promise<BscToken>;
  gas(): Promise<{
    readonly fees: EvmFees;
    readonly blockNumber: number;
    readonly coinPrice: TokenPrice | null;
    readonly readAtMs: number;
  }>;
}

const IMPACT_PARTS = 1_000n;

/** Makes the reads. */
export function createBscReads({
  nodes,
  prices,
  clock,
}: {
  /** Null where there is no node of the chain. */
  readonly nodes: {
    readonly evm: Pick<EvmChain, 'head'>;
    readonly accounts: Pick<EvmAccounts, 'fees'>;
    readonly exchange: PairExchange;
  } | null;
  readonly prices: TokenPrices;
  readonly clock: Clock;
}): BscReads {
  const open = () => {
    if (nodes !== null) return nodes;
    throw new AppError('chain_unavailable', 'this service has no node of BSC');
  };

  async function token(name: string): Promise<BscToken> {
    const address = addressOf(name);
    const facts = await open().exchange.token(address);
    if (facts === null) throw new AppError('not_found', `there is no token at ${name} on BSC`);
    await prices.warm([{ chain: 'BSC', address }], WALLET_VIEW.priceWaitMs);
    const known = knownTokenAt('BSC', address);
    const { symbol, name: title, decimals, totalSupply } = facts;
    return {
      address,
      decimals,
      totalSupply,
      price: prices.last('BSC', address),
      ...judgeName(
        { chain: 'BSC', address, symbol: known?.symbol ?? symbol, name: title },
        TOKEN_WARNINGS,
      ),
    };
  }

  return {
    token,
    async quote(sellName, buyName, amountText) {
      const { exchange, evm } = open();
      assertTwo(sellName, buyName, '/tokenOut');
      const [sell, buy] = await Promise.all([token(sellName), token(buyName)]);
      const amount = scaledDecimal(amountText, sell.decimals) ?? 0n;
      if (amount <= 0n || (amountText.split('.')[1] ?? '').length > sell.decimals)
        throw new AppError('invalid_request', 'amount: no amount of this token', {
          fields: [{ path: '/amount', message: `above zero, at most ${sell.decimals} decimals` }],
        });
      const [paths, { blockNumber }] = await Promise.all([
        exchange.quotes(sell.address, buy.address, amount),
        evm.head(),
      ]);
      const [best, ...others] = paths;
      if (best === undefined)
        throw new AppError('no_route', `no pool on BSC leads from ${sell.symbol} to ${buy.symbol}`);
      const part = amount / IMPACT_PARTS;
      const small = part === 0n ? [] : await exchange.quotes(sell.address, buy.address, part);
      const fair = small.find(
        ({ kind, path }) => kind === best.kind && path.join() === best.path.join(),
      );
      return { sell, buy, amount, best, others, impactBps: impact(best, fair), blockNumber };
    },
    async pools(one, other) {
      assertTwo(one, other, '/tokenB');
      const tokens = await Promise.all([token(one), token(other)]);
      const [first, second] = tokens;
      return { tokens, pools: await open().exchange.pools(first.address, second.address) };
    },
    async gas() {
      const { accounts, evm } = open();
      await prices.warm([{ chain: 'BSC', address: null }], WALLET_VIEW.priceWaitMs);
      const [fees, { blockNumber }] = await Promise.all([accounts.fees(), evm.head()]);
      return {
        fees,
        blockNumber,
        coinPrice: prices.newest('BSC', null),
        readAtMs: clock.nowMs(),
      };
    },
  };
}

function impact(best: PoolPath, fair: PoolPath | undefined): number | null {
  if (fair === undefined || fair.out === 0n) return null;
  const whole = fair.out * IMPACT_PARTS;
  return whole <= best.out ? 0 : Number(((whole - best.out) * 10_000n) / whole);
}

/** The coin and its wrapped form are one token in the pools. Errors: those of `addressOf`. */
function assertTwo(one: string, other: string, path: `/${string}`): void {
  const at = (name: string) => ({ chain: 'BSC', address: addressOf(name) }) as const;
  assertOtherToken(at(one), at(other), path);
}

/** A coin means its wrapped form. Errors: `not_found` for a ticker that is not ours. */
function addressOf(name: string): Address {
  const found = coinOrKnownToken('BSC', name);
  if (found === undefined)
    throw new AppError('not_found', `${name} is no listed ticker on BSC: name it by its address`);
  return asId<Address>(found ?? WRAPPED_COINS.BSC);
}
