import { CHAINS, type Chain, type Holding } from './holdings.ts';

/** What the form of a swap holds: chains, tokens by ticker or address, and an amount as typed. */
export interface SwapForm {
  readonly fromChain: Chain;
  readonly toChain: Chain;
  readonly sell: string;
  readonly buy: string;
  readonly amount: string;
}

/** What the address of the page asks to buy; null for what it does not say. */
export interface AskedSwap {
  readonly toChain: string | null;
  readonly buy: string | null;
}

/** A chain where a coin and USDC may be bought, where the address asks for nothing. */
const USUAL: Chain = 'BASE';

/**
 * Returns what the form begins with: what is held of most worth is sold, first of all what is not
 * asked for, and bought is what is asked for, else ETH on Base, or USDC there by who sells that.
 */
export function firstSwap(holdings: readonly Holding[], asked: AskedSwap): SwapForm {
  const toChain = CHAINS.find((chain) => chain === asked.toChain) ?? USUAL;
  const isAsked = ({ chain, token }: Holding): boolean => chain === toChain && token === asked.buy;
  const held = largestOf(holdings.filter((each) => !isAsked(each)));
  const fromChain = held?.chain ?? 'POLYGON';
  const sell = held?.token ?? '';
  const isEth = fromChain === toChain && sell === 'ETH';
  return { fromChain, toChain, sell, buy: asked.buy ?? (isEth ? 'USDC' : 'ETH'), amount: '' };
}

/** What is sold from a chosen chain: the same where it is held there, else that of most worth. */
export function soldOn(holdings: readonly Holding[], fromChain: Chain, sell: string): string {
  const there = holdings.filter(({ chain }) => chain === fromChain);
  const isHeld = there.some(({ token, shown }) => [token, shown].includes(sell.trim()));
  return isHeld ? sell : (largestOf(there)?.token ?? '');
}

/** That of most worth; USDC where nothing has a price, else the first. */
function largestOf(holdings: readonly Holding[]): Holding | undefined {
  const [largest] = holdings
    .filter(({ valueUsd }) => valueUsd !== null)
    .toSorted((one, other) => Number(other.valueUsd) - Number(one.valueUsd));
  return largest ?? holdings.find(({ token }) => token === 'USDC') ?? holdings[0];
}
