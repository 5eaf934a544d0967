import { AppError } from '../../../src/domain/errors.ts';
import { asId, type SwapId, type TransactionId, type UserId } from '../../../src/domain/ids.ts';
import type { SwapRecord } from '../../../src/domain/swap.ts';
import type { SwapGas } from '../../../src/services/swaps/swap-gas.ts';
import type { SwapQuote } from '../../../src/services/swaps/swap-quotes.ts';
import type { Swaps } from '../../../src/services/swaps/swaps.ts';

const NOW_MS = 1_700_000_000_000;
const WALLET = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';
const USDC = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359';
const DIAMOND = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE';

/** Id of the one quote, and of the one swap. */
export const QUOTE_ID = 'quo_00000000000000000000000001';
export const SWAP_ID = asId<SwapId>('swp_00000000000000000000000001');

const sell = { chain: 'POLYGON', address: USDC, symbol: 'USDC', decimals: 6 } as const;
const buy = { chain: 'BASE', address: null, symbol: 'ETH', decimals: 18 } as const;

/** A quote of 25 USDC on Polygon for ETH on Base. */
export function aSwapQuote(parts: Partial<SwapQuote> = {}): SwapQuote {
  return {
    quoteId: QUOTE_ID,
    userId: asId<UserId>('usr_1'),
    asked: {
      fromChain: 'POLYGON',
      toChain: 'BASE',
      sellToken: USDC,
      buyToken: null,
      sellDecimals: 6,
      buyDecimals: 18,
      amount: 25_000_000n,
      sender: WALLET,
      receiver: WALLET,
      slippageBps: 50,
      acceptUnpriced: false,
    },
    sell,
    buy,
    offer: {
      tool: 'across',
      fromChain: 'POLYGON',
      toChain: 'BASE',
      sellToken: USDC,
      buyToken: null,
      buyDecimals: 18,
      amount: 25_000_000n,
      sender: WALLET,
      receiver: WALLET,
      out: 12_462_500_000_000_000n,
      minimumOut: 12_400_187_500_000_000n,
      spender: DIAMOND,
      seconds: 30,
      fees: [{ name: 'Bridge fee', usd: '0.075' }],
      gas: 500_000n,
      transaction: {
        kind: 'evm',
        chain: 'POLYGON',
        from: WALLET,
        to: DIAMOND,
        data: '0x12345678',
        valueWei: 0n,
      },
      call: {
        toChain: 'BASE',
        sellToken: USDC,
        buyToken: null,
        amount: 25_000_000n,
        minimumOut: 12_400_187_500_000_000n,
        receiver: WALLET,
        refundTo: WALLET,
        callsOn: false,
      },
    },
    worstLossMicros: 199_625,
    impactBps: 30,
    gas: GAS,
    expiresAtMs: NOW_MS + 60_000,
    ...parts,
  };
}

/** A swap that is done. */
export function aSwap(parts: Partial<SwapRecord> = {}): SwapRecord {
  return {
    swapId: SWAP_ID,
    userId: asId<UserId>('usr_1'),
    sell,
    buy,
    amount: '25000000',
    expectedOut: '12462500000000000',
    minimumOut: '12400187500000000',
    tool: 'across',
    worstLossMicros: 199_625,
    state: 'completed',
    approvalId: null,
    transactionId: asId<TransactionId>('txn_00000000000000000000000001'),
    cashAccount: null,
    sentHash: `0x${'ab'.repeat(32)}`,
    receivedHash: `0x${'cd'.repeat(32)}`,
    received: '12462500000000000',
    receivedToken: null,
    reason: null,
    createdAtMs: NOW_MS,
    updatedAtMs: NOW_MS,
    ...parts,
  };
}

/** 210,000 gas at 30 gwei. */
const GAS: SwapGas = {
  coin: { chain: 'POLYGON', address: null, symbol: 'MATIC', decimals: 18 },
  amount: 6_300_000_000_000_000n,
  maximum: 15_120_000_000_000_000n,
  micros: 3_031,
  source: 'trial',
};

/** Swaps of whoever executes the one quote. */
export function createFakeSwaps(): Pick<Swaps, 'quote' | 'estimate' | 'execute' | 'get' | 'list'> {
  const made = new Set<UserId>();
  return {
    quote: async () => aSwapQuote(),
    async estimate(_userId, { quoteId, isFresh, keyId }) {
      assertQuote(quoteId);
      return {
        quote: aSwapQuote(),
        gas: GAS,
        counted: { soldMicros: 25_000_000, outMicros: 25_000_000 },
        dayLeftMicros: isFresh ? 475_000_000 : 0,
        needsFreshSignIn: !isFresh,
        keyOrderMicros: null,
        keyDayLeftMicros: keyId === undefined ? null : 75_000_000,
        refusal: isFresh
          ? null
          : { code: 'fresh_sign_in_required', message: 'sign in', isRetryable: false },
      };
    },
    async execute(userId, { quoteId }) {
      assertQuote(quoteId);
      made.add(userId);
      return aSwap();
    },
    get: (userId, swapId) => (swapId === SWAP_ID && made.has(userId) ? aSwap() : null),
    list: (userId) => ({ data: made.has(userId) ? [aSwap()] : [], nextCursor: null }),
  };
}

function assertQuote(quoteId: string): void {
  if (quoteId !== QUOTE_ID) throw new AppError('not_found', `quote ${quoteId} not found`);
}
