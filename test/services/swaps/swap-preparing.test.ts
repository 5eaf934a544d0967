import { describe, expect, it } from 'vitest';
import { asId, type SolanaAddress } from '../../../src/domain/ids.ts';
import type { SolanaSwapNodes } from '../../../src/services/swaps/swap-proof.ts';
import type { SwapQuote } from '../../../src/services/swaps/swap-quotes.ts';
import { prepareSwap } from '../../../src/services/swaps/swap-preparing.ts';
import { aSwapQuote } from '../../support/fakes/fake-swaps.ts';
import { createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkwyTDt1v';
const WALLET = asId<SolanaAddress>('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin');

function aSolanaQuote(): SwapQuote {
  const { asked, sell, offer, ...quote } = aSwapQuote();
  return {
    ...quote,
    asked: { ...asked, fromChain: 'SOLANA', toChain: 'SOLANA', sellToken: MINT, sender: WALLET },
    sell: { ...sell, chain: 'SOLANA', address: MINT },
    offer: {
      ...offer,
      transaction: { kind: 'solana', base64: '', payer: WALLET, signatures: 1, programs: [] },
    },
  };
}

/** A wallet that has enough of what is sold, and `left` of it once the trial is made. */
function nodesWhere(left: bigint): SolanaSwapNodes {
  let held = aSolanaQuote().asked.amount;
  const unused = () => Promise.reject(new Error('not asked for here'));
  return {
    kind: 'solana',
    solana: {
      lamports: async () => 1_000_000_000n,
      tokenAccounts: async () => [{ account: WALLET, mint: MINT, amount: held, decimals: 6 }],
      tokenDecimals: unused,
      change: unused,
      taken: unused,
    },
    offered: {
      async bounded() {
        held = left;
        return { kind: 'refused', fault: 'would take 50000000 of the token given' };
      },
      fee: unused,
    },
  };
}

describe('a swap on Solana that a trial refuses', () => {
  const deps = { targets: [], log: createKeptLog(), metrics: createKeptMetrics() };

  it('is short of funds where another one has taken the money meanwhile', async () => {
    await expect(prepareSwap(deps, nodesWhere(10_000_000n), aSolanaQuote())).rejects.toMatchObject({
      code: 'insufficient_funds',
      message: 'your wallet holds at most 10 USDC on SOLANA',
    });
  });

  it('is an unsafe offer where the money is still there', async () => {
    const { amount } = aSolanaQuote().asked;
    await expect(prepareSwap(deps, nodesWhere(amount), aSolanaQuote())).rejects.toMatchObject({
      code: 'quote_refused',
    });
  });
});
