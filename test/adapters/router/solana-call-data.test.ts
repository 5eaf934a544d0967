import { describe, expect, it } from 'vitest';
import { ACROSS_PROGRAM, readSolanaOffer } from '../../../src/adapters/router/solana-call-data.ts';
import {
  faultsOfOffer,
  type AskedSwap,
  type OfferedSwap,
} from '../../../src/domain/swap-checks.ts';
import { memo } from '../../../src/sandbox/chains/solana/instructions.ts';
import { solanaKey } from '../../../src/sandbox/chains/solana/keys.ts';
import { transactionBytes } from '../../../src/sandbox/chains/solana/transactions.ts';
import {
  addressFrom,
  deposit,
  type DepositTerms,
} from '../../../src/sandbox/router/solana-instructions.ts';

const USER = solanaKey('a user').address;
const STRANGER = solanaKey('a stranger').address;
const WALLET = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a';
const OTHER = '0xbad0000000000000000000000000000000000000';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const WSOL = 'So11111111111111111111111111111111111111112';
const ARBITRUM_WETH = '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1';
const word = (hex: string): Uint8Array => Buffer.from(hex.slice(2).padStart(64, '0'), 'hex');
const BLOCKHASH = addressFrom(new Uint8Array(32).fill(7));

const TERMS: DepositTerms = {
  depositor: USER,
  recipient: word(WALLET),
  inputToken: USDC as DepositTerms['inputToken'], // an address, written down
  outputToken: word(ARBITRUM_WETH),
  inputAmount: 25_000_000n,
  outputAmount: 12_400_000_000_000_000n,
  destinationChainId: 42_161,
  quotedAt: 1,
  deadline: 2,
};

type Instructions = Parameters<typeof transactionBytes>[0]['instructions'];

function offered(instructions: Instructions, feePayer = USER) {
  const bytes = transactionBytes({ feePayer, blockhash: BLOCKHASH, instructions, signers: [] });
  return readSolanaOffer(Buffer.from(bytes).toString('base64'));
}

const ASKED: AskedSwap = {
  fromChain: 'SOLANA',
  toChain: 'ARBITRUM',
  sellToken: USDC,
  buyToken: null,
  sellDecimals: 6,
  buyDecimals: 18,
  amount: 25_000_000n,
  sender: USER,
  receiver: WALLET,
  slippageBps: 50,
  acceptUnpriced: true,
};

function faults(read: ReturnType<typeof offered>, programs: readonly string[] = KNOWN) {
  const offer: OfferedSwap = {
    ...ASKED,
    out: 12_400_000_000_000_000n,
    minimumOut: 12_400_000_000_000_000n,
    spender: '',
    ...read,
  };
  return faultsOfOffer(ASKED, offer, {
    targets: [],
    programs,
    lossMaximumBps: 500,
    sellPrice: null,
    buyPrice: null,
  });
}
const KNOWN = [ACROSS_PROGRAM, 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'];

describe('a transaction of Solana that the router offers', () => {
  it('says whom the bridge pays on the other chain, and may be signed where that is its user', () => {
    const read = offered(deposit(TERMS));
    expect(read.call).toEqual({
      toChain: 'ARBITRUM',
      sellToken: USDC,
      buyToken: null,
      amount: 25_000_000n,
      minimumOut: 12_400_000_000_000_000n,
      receiver: WALLET,
      refundTo: USER,
      callsOn: false,
    });
    expect(faults(read)).toEqual([]);
  });

  it('sells the coin where it deposits its wrapped form', () => {
    const inputToken = WSOL as DepositTerms['inputToken'];
    expect(offered(deposit({ ...TERMS, inputToken })).call?.sellToken).toBeNull();
  });

  it.each([
    ['another recipient', { recipient: word(OTHER) }],
    ['a recipient of more than twenty bytes', { recipient: new Uint8Array(32).fill(9) }],
    ['another account to give back to', { depositor: STRANGER }],
    ['another chain', { destinationChainId: 8_453 }],
    ['a chain we do not know', { destinationChainId: 10 }],
    ['another token bought', { outputToken: word(OTHER) }],
    ['another token sold', { inputToken: WSOL as DepositTerms['inputToken'] }],
    ['another amount', { inputAmount: 25_000_001n }],
    ['less promised', { outputAmount: 12_399_999_999_999_999n }],
  ] as const)('is refused with %s in its call', (_name, changed) => {
    expect(faults(offered(deposit({ ...TERMS, ...changed }))).length).toBeGreaterThan(0);
  });

  it('is refused with two deposits, none, or one cut short', () => {
    const one = deposit(TERMS);
    const [right, call] = one;
    const short = { ...call, data: call?.data?.slice(0, 200) };
    for (const instructions of [[...one, ...one], [right], [short], []])
      expect(faults(offered(instructions as Instructions))).toContain(
        'it calls what we cannot read',
      );
  });

  it('is refused where another account pays or must sign, and where it calls what is not listed', () => {
    expect(faults(offered(deposit(TERMS), STRANGER))).toEqual([
      'its transaction is for another wallet',
      'its transaction wants more signatures than yours',
    ]);
    expect(faults(offered([...deposit(TERMS), memo('and more')]))).toEqual([
      'it calls a program that is not on our list',
    ]);
    expect(faults(readSolanaOffer('AAAA')).length).toBeGreaterThan(0);
  });
});
