import { BRIDGE_MODEL } from '../../../../../config/limits/sandbox-chains.ts';

/** A token the bridge takes on one chain. */
export interface BridgeToken {
  readonly chainId: string;
  readonly chainName: string;
  readonly name: string;
  readonly symbol: string;
  readonly address: string;
  readonly decimals: number;
  readonly minimumUsd: number;
  /** Null for what is worth a dollar. */
  readonly pricedAs: 'BTC' | null;
}

/** Ids of chains that are no EVM chains, as the aggregator numbers them (web3.md section 1). */
export const NON_EVM = {
  solana: '1151111081099710',
  bitcoin: '20000000000001',
  tron: '728126428',
} as const;

const usdc = (
  chainId: string,
  chainName: string,
  address: string,
  minimumUsd: number,
  decimals = 6,
): BridgeToken => ({
  chainId,
  chainName,
  name: 'USD Coin',
  symbol: 'USDC',
  address,
  decimals,
  minimumUsd,
  pricedAs: null,
});

/**
 * What the bridge takes (venue_a.md section 13 for the minimums, web3.md section 1 for the tokens).
 */
export const BRIDGE_TOKENS: readonly BridgeToken[] = [
  usdc('1', 'Ethereum', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 7),
  usdc('137', 'Polygon', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 2),
  {
    ...usdc('137', 'Polygon', '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', 2),
    name: 'USD Coin (PoS)',
    symbol: 'USDC.e',
  },
  usdc('42161', 'Arbitrum', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 2),
  usdc('8453', 'Base', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 2),
  usdc('10', 'Optimism', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', 2),
  usdc('56', 'BNB Smart Chain', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 2, 18),
  usdc(NON_EVM.solana, 'Solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 2),
  {
    chainId: NON_EVM.bitcoin,
    chainName: 'Bitcoin',
    name: 'Bitcoin',
    symbol: 'BTC',
    address: 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqcrl7w9',
    decimals: 8,
    minimumUsd: 9,
    pricedAs: 'BTC',
  },
  {
    chainId: NON_EVM.tron,
    chainName: 'Tron',
    name: 'Tether USD',
    symbol: 'USDT',
    address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    decimals: 6,
    minimumUsd: 9,
    pricedAs: null,
  },
];

/** How far a transfer has come, in the bridge's words and order (venue_a.md section 13). */
export type BridgeState =
  | 'DEPOSIT_DETECTED'
  | 'PROCESSING'
  | 'ORIGIN_TX_CONFIRMED'
  | 'SUBMITTED'
  | 'COMPLETED'
  | 'FAILED';

/** A payment to a deposit address. Plain JSON. */
export interface BridgeTransfer {
  /** Names the payment on its own chain, so it is taken once. */
  readonly id: string;
  /** Address it was paid to. */
  readonly address: string;
  /** Wallet it is for. */
  readonly wallet: `0x${string}`;
  readonly chainId: string;
  readonly token: string;
  /** In the token's smallest unit. */
  readonly amount: string;
  /**
   * Collateral it brings, micros; null for what is not taken: another token, or less than the
   * least.
   */
  readonly creditMicros: string | null;
  readonly state: BridgeState;
  readonly creditHash: `0x${string}` | null;
  readonly seenAtMs: number;
}

/** What a poll knows about a transfer. */
export interface TransferFacts {
  /** Its payment can no longer be taken back. */
  readonly isOriginFinal: boolean;
  readonly credit: 'none' | 'open' | 'done' | 'failed';
}

/** True once a transfer changes no more. */
export function isTransferOver(state: BridgeState): boolean {
  return state === 'COMPLETED' || state === 'FAILED';
}

/**
 * The state after a poll: one step at most. What is not taken fails once its payment is final, and
 * stays where it was paid to.
 */
export function nextBridgeState(
  { state, creditMicros }: Pick<BridgeTransfer, 'state' | 'creditMicros'>,
  { isOriginFinal, credit }: TransferFacts,
): BridgeState {
  switch (state) {
    case 'DEPOSIT_DETECTED':
      return 'PROCESSING';
    case 'PROCESSING':
      return !isOriginFinal ? state : creditMicros === null ? 'FAILED' : 'ORIGIN_TX_CONFIRMED';
    case 'ORIGIN_TX_CONFIRMED':
      return credit === 'none' ? state : 'SUBMITTED';
    case 'SUBMITTED':
      return credit === 'done' ? 'COMPLETED' : credit === 'failed' ? 'FAILED' : state;
    case 'COMPLETED':
    case 'FAILED':
      return state;
  }
}

/**
 * Collateral for a payment, micros rounded down; null when the bridge does not take it.
 * `btcUsdMicros`: a whole bitcoin in millionths of a dollar.
 */
export function creditMicros(
  { chainId, token, amount }: Pick<BridgeTransfer, 'chainId' | 'token' | 'amount'>,
  btcUsdMicros: bigint,
): bigint | null {
  const known = BRIDGE_TOKENS.find(
    (each) => each.chainId === chainId && each.address.toLowerCase() === token.toLowerCase(),
  );
  if (known === undefined) return null;
  const micros =
    (BigInt(amount) * (known.pricedAs === null ? 1_000_000n : btcUsdMicros)) /
    10n ** BigInt(known.decimals);
  return micros < BigInt(known.minimumUsd) * 1_000_000n ||
    micros > BigInt(BRIDGE_MODEL.creditMaximumMicros)
    ? null
    : micros;
}

/** A transfer as `GET /status` tells it: no hash and no time before the bridge has taken it up. */
export function transferRow(
  { chainId, token, amount, state, creditHash, seenAtMs }: BridgeTransfer,
  collateral: string,
): Readonly<Record<string, unknown>> {
  return {
    fromChainId: chainId,
    fromTokenAddress: token,
    fromAmountBaseUnit: amount,
    toChainId: '137',
    toTokenAddress: collateral,
    status: state,
    ...(creditHash === null ? {} : { txHash: creditHash }),
    ...(state === 'DEPOSIT_DETECTED' ? {} : { createdTimeMs: seenAtMs }),
  };
}
