import { isSameOnChain } from './chain-address.ts';
import { worthMicros } from './token-amount.ts';
import type { TokenPrice } from './token-price.ts';
import type { Web3ChainId } from './web3-chains.ts';

/** What was asked for, as we know it. Null for a coin. */
export interface AskedSwap {
  readonly fromChain: Web3ChainId;
  readonly toChain: Web3ChainId;
  readonly sellToken: string | null;
  readonly buyToken: string | null;
  readonly sellDecimals: number;
  /** Of our own list or of the chain, never the router's word. */
  readonly buyDecimals: number;
  readonly amount: bigint;
  readonly sender: string;
  readonly receiver: string;
  readonly slippageBps: number;
  readonly acceptUnpriced: boolean;
}

/** What an offer's call does by its own words, read from its bytes. */
export interface RouteCall {
  /** Null for a chain we do not know. */
  readonly toChain: Web3ChainId | null;
  readonly sellToken: string | null;
  readonly buyToken: string | null;
  readonly amount: bigint;
  readonly minimumOut: bigint;
  readonly receiver: string;
  /** Who gets back what did not arrive; null where nothing can be under way. */
  readonly refundTo: string | null;
  /** Something else is called on the other side with what arrives. */
  readonly callsOn: boolean;
}

/** A transaction on an EVM chain, as the router wants it signed. */
export interface OfferedEvmTransaction {
  readonly kind: 'evm';
  /** Null for a chain we do not know. */
  readonly chain: Web3ChainId | null;
  readonly from: string;
  readonly to: string;
  readonly data: `0x${string}`;
  readonly valueWei: bigint;
}

/** A transaction on Solana, as the router wants it signed. */
export interface OfferedSolanaTransaction {
  readonly kind: 'solana';
  /** As it came: message and empty signatures. */
  readonly base64: string;
  /** Who pays its fee; the null address where it cannot be read. */
  readonly payer: string;
  /** How many it wants. */
  readonly signatures: number;
  readonly programs: readonly string[];
}

/** What the router offers, in the same words. */
export interface OfferedSwap {
  /** Null for a chain we do not know. */
  readonly fromChain: Web3ChainId | null;
  readonly toChain: Web3ChainId | null;
  readonly sellToken: string | null;
  readonly buyToken: string | null;
  readonly buyDecimals: number;
  readonly amount: bigint;
  readonly sender: string;
  readonly receiver: string;
  readonly out: bigint;
  readonly minimumOut: bigint;
  readonly spender: string;
  readonly transaction: OfferedEvmTransaction | OfferedSolanaTransaction;
  /** Null where its bytes are of no kind we can read, or say nothing that a trial does not. */
  readonly call: RouteCall | null;
}

/** What we hold an offer to. */
export interface SwapRules {
  /** Contracts that may be called and given rights. */
  readonly targets: readonly string[];
  /** Programs of Solana that may be called. */
  readonly programs: readonly string[];
  /** How far the least out may lie below what goes in, beyond the slippage that was asked for. */
  readonly lossMaximumBps: number;
  readonly sellPrice: TokenPrice | null;
  readonly buyPrice: TokenPrice | null;
}

/**
 * Says everything an offer does that was not asked for, or that loses too much; empty where it may
 * be signed.
 */
export function faultsOfOffer(
  asked: AskedSwap,
  offer: OfferedSwap,
  rules: SwapRules,
): readonly string[] {
  const least = (offer.out * BigInt(10_000 - asked.slippageBps)) / 10_000n;
  const checks: readonly Check[] = [
    [offer.fromChain !== asked.fromChain, 'it begins on another chain'],
    [offer.toChain !== asked.toChain, 'it ends on another chain'],
    [!isSameOnChain(offer.sellToken, asked.sellToken), 'it sells another token'],
    [!isSameOnChain(offer.buyToken, asked.buyToken), 'it buys another token'],
    [offer.buyDecimals !== asked.buyDecimals, 'it counts what is bought in other decimals'],
    [offer.amount !== asked.amount, 'it sells another amount'],
    [!isSameOnChain(offer.sender, asked.sender), 'it is for another wallet'],
    [!isSameOnChain(offer.receiver, asked.receiver), 'it pays another address'],
    [offer.minimumOut <= 0n, 'it promises nothing'],
    [offer.minimumOut > offer.out, 'it contradicts itself about what comes out'],
    [offer.minimumOut < least, 'it may give less than the slippage allows'],
  ];
  const faults = [
    ...faultsFound(checks),
    ...transactionFaults(asked, offer, rules),
    ...callFaults(asked, offer),
  ];
  const loss = lossFault(asked, offer, rules);
  return loss === null ? faults : [...faults, loss];
}

function transactionFaults(
  asked: AskedSwap,
  { transaction, spender }: OfferedSwap,
  { targets, programs }: SwapRules,
): readonly string[] {
  if (transaction.kind === 'solana')
    return faultsFound([
      [asked.fromChain !== 'SOLANA', 'its transaction is for another chain'],
      [transaction.payer !== asked.sender, 'its transaction is for another wallet'],
      [transaction.signatures !== 1, 'its transaction wants more signatures than yours'],
      [
        transaction.programs.some((program) => !programs.includes(program)),
        'it calls a program that is not on our list',
      ],
    ]);
  const isTarget = (address: string): boolean => targets.some((one) => isSameOnChain(one, address));
  return faultsFound([
    [transaction.chain !== asked.fromChain, 'its transaction is for another chain'],
    [asked.fromChain === 'SOLANA', 'its transaction is for another chain'],
    [!isSameOnChain(transaction.from, asked.sender), 'its transaction is for another wallet'],
    [!isTarget(transaction.to), 'it calls a contract that is not on our list'],
    [!isTarget(spender), 'it wants rights for a contract that is not on our list'],
    [
      transaction.valueWei !== (asked.sellToken === null ? asked.amount : 0n),
      'it sends another value',
    ],
  ]);
}

/**
 * Holds the call itself to what was asked for: of a bridge nothing else says what becomes of the
 * money on the other side, which no trial on this one can show.
 */
function callFaults(asked: AskedSwap, { call, minimumOut }: OfferedSwap): readonly string[] {
  // what stays on Solana a trial shows as a whole
  if (call === null && asked.fromChain === 'SOLANA' && asked.toChain === 'SOLANA') return [];
  if (call === null) return ['it calls what we cannot read'];
  return faultsFound([
    [call.toChain !== asked.toChain, 'its call ends on another chain'],
    [!isSameOnChain(call.receiver, asked.receiver), 'its call pays another address'],
    [
      call.refundTo !== null && !isSameOnChain(call.refundTo, asked.sender),
      'its call refunds another address',
    ],
    [!isSameOnChain(call.sellToken, asked.sellToken), 'its call sells another token'],
    [!isSameOnChain(call.buyToken, asked.buyToken), 'its call buys another token'],
    [call.amount !== asked.amount, 'its call sells another amount'],
    [call.minimumOut < minimumOut, 'its call may give less than is promised'],
    [call.callsOn, 'its call goes on to another contract'],
  ]);
}

function lossFault(
  asked: AskedSwap,
  { minimumOut }: OfferedSwap,
  { sellPrice, buyPrice, lossMaximumBps }: SwapRules,
): string | null {
  if (sellPrice === null || buyPrice === null)
    return asked.acceptUnpriced
      ? null
      : 'the price of one of the tokens is unknown here, and so is its worth: acceptUnpriced says that you know';
  const given = worthMicros(asked.amount, asked.sellDecimals, sellPrice.priceE18);
  const got = worthMicros(minimumOut, asked.buyDecimals, buyPrice.priceE18);
  const allowedBps = lossMaximumBps + asked.slippageBps;
  return got * 10_000n < given * BigInt(10_000 - allowedBps)
    ? `at our prices it may lose more than ${allowedBps / 100} %, the slippage you allow included`
    : null;
}

/**
 * Returns the worst loss of a swap in millionths of a dollar: what goes in less the least that
 * comes out; all of what goes in where the other side has no price, null where that has none
 * either.
 */
export function worstLossMicros(
  asked: Pick<AskedSwap, 'amount' | 'sellDecimals' | 'buyDecimals'>,
  minimumOut: bigint,
  { sellPrice, buyPrice }: Pick<SwapRules, 'sellPrice' | 'buyPrice'>,
): bigint | null {
  if (sellPrice === null) return null;
  const given = worthMicros(asked.amount, asked.sellDecimals, sellPrice.priceE18);
  if (buyPrice === null) return given;
  const got = worthMicros(minimumOut, asked.buyDecimals, buyPrice.priceE18);
  return given > got ? given - got : 0n;
}

/**
 * Returns how much less the expected amount is worth than what goes in, at our own prices, in
 * hundredths of a percent; below zero where it is worth more, null where a token has no price.
 */
export function impactBps(
  asked: Pick<AskedSwap, 'amount' | 'sellDecimals' | 'buyDecimals'>,
  out: bigint,
  { sellPrice, buyPrice }: Pick<SwapRules, 'sellPrice' | 'buyPrice'>,
): number | null {
  if (sellPrice === null || buyPrice === null) return null;
  const given = worthMicros(asked.amount, asked.sellDecimals, sellPrice.priceE18);
  const got = worthMicros(out, asked.buyDecimals, buyPrice.priceE18);
  return given === 0n ? null : Number(((given - got) * 10_000n) / given);
}

/** Returns what is sold in millionths of a dollar; null where it has no price. */
export function soldMicros(
  { amount, sellDecimals }: Pick<AskedSwap, 'amount' | 'sellDecimals'>,
  { sellPrice }: Pick<SwapRules, 'sellPrice'>,
): bigint | null {
  return sellPrice === null ? null : worthMicros(amount, sellDecimals, sellPrice.priceE18);
}

/** What a simulation shows, as far as it decides. */
export interface SimulatedMove {
  /** Null for the coin. */
  readonly token: string | null;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** Says what a simulation shows that was not asked for; empty where it does exactly that. */
export function faultsOfSimulation(
  asked: AskedSwap,
  { minimumOut }: Pick<OfferedSwap, 'minimumOut'>,
  seen: {
    readonly movements: readonly SimulatedMove[];
    readonly approvals: readonly {
      readonly token: string;
      readonly owner: string;
      readonly spender: string;
      readonly amount: bigint;
    }[];
    readonly targets: readonly string[];
  },
): readonly string[] {
  const isOwn = (address: string): boolean => isSameOnChain(address, asked.sender);
  const gone = (token: string | null): bigint =>
    seen.movements
      .filter((move) => isSameOnChain(move.token, token))
      .reduce(
        (sum, { from, to, amount }) =>
          sum + (isOwn(from) ? amount : 0n) - (isOwn(to) ? amount : 0n),
        0n,
      );
  const others = seen.movements.filter(
    ({ token, from }) => isOwn(from) && !isSameOnChain(token, asked.sellToken),
  );
  const isSameChain = asked.fromChain === asked.toChain;
  return faultsFound([
    [gone(asked.sellToken) !== asked.amount, 'it would draw another amount than is sold'],
    [others.length > 0, 'it would draw a token that is not sold'],
    [
      isSameChain && -gone(asked.buyToken) < minimumOut,
      'it would bring your wallet less than it promises',
    ],
    [
      seen.approvals.some(
        ({ owner, token, spender, amount }) =>
          isOwn(owner) &&
          (!isSameOnChain(token, asked.sellToken) ||
            !seen.targets.some((one) => isSameOnChain(one, spender)) ||
            amount > asked.amount),
      ),
      'it would give rights that were not asked for',
    ],
  ]);
}

type Check = readonly [isFaulty: boolean, fault: string];

function faultsFound(checks: readonly Check[]): readonly string[] {
  return checks.flatMap(([isFaulty, fault]) => (isFaulty ? [fault] : []));
}
