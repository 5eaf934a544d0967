import { z } from 'zod';
import { VENUE_B_ORDER } from '../../../config/limits/venue-b.ts';
import type { BookLevel } from '../../domain/book.ts';
import { AppError } from '../../domain/errors.ts';
import { isResting, type OrderIntent } from '../../domain/order.ts';
import {
  MICROS_PER_UNIT,
  TICKS_PER_USD,
  formatPrice,
  mulDiv,
  type PriceTicks,
} from '../../domain/units.ts';
import type { BookSource } from '../../ports/venue-books.ts';
import { checked } from '../checked.ts';
import {
  failureOf,
  refusalText,
  type VenueAnswer,
  type VenueCall,
  type VenueClient,
} from './client.ts';
import { feeAtMost, largestFee } from './fees.ts';
import { wholeContracts } from './rules.ts';
import type { Sponsor } from './sponsor.ts';

/** What is asked for now. All in micros. */
export interface OrderSize {
  /** What is given at most: of USDC, the largest fee included, or of contracts. */
  readonly amountMicros: number;
  /** Contracts as the book is now. */
  readonly contracts: number;
  /** True where no more contracts than that are wanted, however cheap they become. */
  readonly isBounded: boolean;
  /**
   * The best price, and how far from the worst one it takes the order may end, in hundredths of a
   * percent.
   */
  readonly bestTicks: number;
  readonly slippageBps: number;
}

/** The venue's offer, with the transaction that takes it. */
export interface Quote {
  readonly transaction: string;
  readonly lastValidBlockHeight: number;
  readonly outMicros: number;
  readonly leastMicros: number;
  /**
   * SOL, in lamports, that the first buyer of a market pays for its tokens; 0 where they are there.
   */
  readonly makingLamports: number;
}

/** Whose order is asked for, and who pays the network for it: its owner, or a sponsor. */
export interface QuotePayer {
  readonly wallet: string;
  readonly sponsor: Pick<Sponsor, 'address' | 'exec'> | null;
}

export interface QuoteParts {
  readonly client: VenueClient;
  /** Books as they are asked for at that moment. */
  readonly books: Pick<BookSource, 'snapshot'>;
  readonly settlementMint: string;
}

const amount = z
  .union([z.string().regex(/^\d{1,15}$/), z.number()])
  .transform(Number)
  .pipe(z.int().nonnegative());

/** What is read of an answer to `/order` (venue_b.md section 9.1). */
const orderSchema = z.object({
  inputMint: z.string(),
  inAmount: amount,
  outputMint: z.string(),
  outAmount: amount,
  minOutAmount: amount.optional(),
  otherAmountThreshold: amount,
  executionMode: z.string(),
  revertMint: z.string().nullish(),
  transaction: z.string().max(4_096),
  lastValidBlockHeight: z.int().positive(),
  initPredictionMarketCost: z.number().nonnegative().nullish(),
  predictionMarketInitPayerMustSign: z.boolean().nullish(),
});

const refusalSchema = z.object({
  code: z.string(),
  details: z.looseObject({}).nullish(),
});

/**
 * Works out what of an intent is asked for now: as many whole contracts as the book has at its
 * price or better. Null where it has none.
 */
export function sizeOf(intent: OrderIntent, levels: readonly BookLevel[]): OrderSize | null {
  const { side, price, exact, spendMicros, receiveMicros } = intent;
  const isBuy = side === 'buy';
  const fitting = levels
    .filter((level) => (isBuy ? level.price <= price : level.price >= price))
    .toSorted((one, other) => (isBuy ? one.price - other.price : other.price - one.price));
  const isBounded = exact === 'receive' || !isBuy;
  const wanted = isBuy ? receiveMicros : spendMicros;
  const got = take(fitting, {
    contracts: isBounded ? wanted : null,
    money: isBuy ? spendMicros : null,
  });
  const [best] = fitting;
  if (got.contracts === 0 || best === undefined) return null;
  const shown = { contracts: got.contracts, isBounded, bestTicks: best.price };
  const ratio = isBuy ? price / got.worstTicks - 1 : 1 - price / got.worstTicks;
  const slippageBps = Math.min(
    VENUE_B_ORDER.slippageMaximumBps,
    Math.floor(Math.max(0, ratio) * 10_000 + 1e-6),
  );
  if (!isBuy) return { ...shown, slippageBps, amountMicros: got.contracts };
  const most = spendMicros + largestFee(spendMicros, price);
  // The venue buys what the money pays for: half a contract's price more lets prices rise a little
  // until it does, and one contract more than was asked for is bought only where they fall by as
  // much.
  const risen = Math.floor(moneyOf(MICROS_PER_UNIT, best.price) / 2);
  const bounded = Math.min(moneyOf(got.contracts, price), got.money + risen) + got.fee;
  const isAll = !isBounded && got.isShortOfMoney;
  return { ...shown, slippageBps, amountMicros: isAll ? most : Math.min(most, bounded) };
}

interface Taken {
  readonly contracts: number;
  readonly money: number;
  readonly fee: number;
  readonly worstTicks: number;
  /** The money ended before the levels did. */
  readonly isShortOfMoney: boolean;
}

/** Takes whole contracts of levels, best first, up to a number and to a sum; null is no bound. */
function take(
  levels: readonly BookLevel[],
  bound: { readonly contracts: number | null; readonly money: number | null },
): Taken {
  const taken = { contracts: 0, money: 0, fee: 0, worstTicks: 1, isShortOfMoney: false };
  for (const { price, size } of levels) {
    const each = moneyOf(MICROS_PER_UNIT, price);
    const here = Math.min(
      size,
      bound.contracts === null ? size : bound.contracts - taken.contracts,
    );
    const affordable =
      bound.money === null
        ? here
        : Math.floor((bound.money - taken.money) / each) * MICROS_PER_UNIT;
    const contracts = wholeContracts(Math.min(here, affordable));
    taken.isShortOfMoney ||= affordable < here;
    if (contracts <= 0) break;
    taken.contracts += contracts;
    taken.money += moneyOf(contracts, price);
    taken.fee += feeAtMost(contracts, price);
    taken.worstTicks = price;
  }
  return taken;
}

function moneyOf(contracts: number, ticks: number): number {
  return mulDiv(contracts, ticks, TICKS_PER_USD, 'ceil');
}

/**
 * Asks the venue for its offer for what of an intent can be traded now, and looks whether it is
 * what was asked for. Errors: `no_liquidity` without a counterparty at the price;
 * `venue_restricted`, `market_not_ready`, `rate_limited`, `venue_unavailable`, `overloaded`,
 * `venue_protocol`.
 */
export async function askQuote(
  parts: QuoteParts,
  intent: OrderIntent,
  payer: QuotePayer,
): Promise<Quote & { readonly amountMicros: number }> {
  if (intent.isRedemption === true) return redeem(parts, intent, payer);
  let size = await sizeNow(parts, intent);
  let { amountMicros } = size;
  for (let asked = 1; asked <= VENUE_B_ORDER.quotesMaximum; asked += 1) {
    const quote = await askOnce(parts, intent, { ...size, ...payer, amountMicros });
    // What slips is counted from the venue's price, which may have risen to ours while it was
    // asked: it would slip beyond ours then.
    const after = await sizeNow(parts, intent);
    if (after.slippageBps < size.slippageBps) {
      size = after;
      ({ amountMicros } = after);
      continue;
    }
    const beyond = intent.side === 'buy' && size.isBounded ? quote.outMicros - size.contracts : 0;
    if (beyond <= 0 || asked === VENUE_B_ORDER.quotesMaximum) return { ...quote, amountMicros };
    amountMicros -= moneyOf(beyond, size.bestTicks);
  }
  throw noCounterparty(intent);
}

/** What can be traded of an intent as the book is now. Errors: `no_liquidity`. */
async function sizeNow({ books }: QuoteParts, intent: OrderIntent): Promise<OrderSize> {
  const book = await books.snapshot(intent.tokenId);
  const levels = (intent.side === 'buy' ? book?.asks : book?.bids) ?? [];
  const size = sizeOf(intent, levels);
  if (size === null) throw noCounterparty(intent, levels);
  return size;
}

/** Winning contracts are given for a dollar each, all of them or none. */
async function redeem(
  parts: QuoteParts,
  intent: OrderIntent,
  payer: QuotePayer,
): Promise<Quote & { readonly amountMicros: number }> {
  const amountMicros = wholeContracts(intent.spendMicros);
  const quote = await askOnce(parts, intent, {
    amountMicros,
    contracts: amountMicros,
    isBounded: true,
    bestTicks: intent.price,
    slippageBps: 0,
    ...payer,
  });
  if (quote.leastMicros < amountMicros)
    throw new AppError('venue_protocol', 'the venue offers less than a dollar for a winner');
  return { ...quote, amountMicros };
}

async function askOnce(
  { client, settlementMint }: QuoteParts,
  intent: OrderIntent,
  { amountMicros, slippageBps, wallet, sponsor, contracts }: OrderSize & QuotePayer,
): Promise<Quote> {
  const [inputMint, outputMint] =
    intent.side === 'buy' ? [settlementMint, intent.tokenId] : [intent.tokenId, settlementMint];
  const call: VenueCall = {
    family: 'quote',
    path: '/order',
    query: {
      inputMint,
      outputMint,
      amount: String(amountMicros),
      userPublicKey: wallet,
      ...sponsorWords(sponsor),
      slippageBps: '0',
      predictionMarketSlippageBps: String(slippageBps),
      prioritizationFeeLamports: String(VENUE_B_ORDER.priorityLamports),
    },
  };
  const answer = await client.call(call);
  if (answer.status !== 200) throw refusalOf(call, answer, intent);
  const offer = checked(orderSchema, answer.value, 'the offer');
  const least = offer.minOutAmount ?? offer.otherAmountThreshold;
  const isAsked =
    offer.inputMint === inputMint &&
    offer.outputMint === outputMint &&
    offer.inAmount <= amountMicros &&
    offer.executionMode === 'async' &&
    offer.predictionMarketInitPayerMustSign !== true &&
    (offer.revertMint ?? inputMint) === inputMint;
  if (!isAsked) throw new AppError('venue_protocol', 'the offer is another than was asked for');
  if (offer.outAmount <= 0 || least < leastOf(intent, contracts, slippageBps))
    throw noCounterparty(intent);
  return {
    transaction: offer.transaction,
    lastValidBlockHeight: offer.lastValidBlockHeight,
    outMicros: offer.outAmount,
    leastMicros: least,
    makingLamports: offer.initPredictionMarketCost ?? 0,
  };
}

function sponsorWords(sponsor: QuotePayer['sponsor']): Readonly<Record<string, string>> {
  if (sponsor === null) return {};
  const { address, exec } = sponsor;
  return { sponsor: address, ...(exec === null ? {} : { sponsorExec: String(exec) }) };
}

/** The least an offer may bring: what slips, one contract, and of a sale the fee, are let go. */
function leastOf({ side, price }: OrderIntent, contracts: number, slippageBps: number): number {
  const slipped = Math.floor((contracts * (10_000 - slippageBps)) / 10_000);
  if (side === 'buy') return Math.min(MICROS_PER_UNIT, slipped);
  return Math.max(0, moneyOf(contracts, price) - feeAtMost(contracts, price) - MICROS_PER_UNIT);
}

/** What a refusal means (venue_b.md section 13). */
function refusalOf(call: VenueCall, answer: VenueAnswer, intent: OrderIntent): AppError {
  const failure = failureOf(call, answer);
  const refusal = refusalSchema.safeParse(answer.value);
  const code = refusal.success ? refusal.data.code : '';
  if (code === 'unverified_wallet_not_allowed')
    return new AppError(
      'verification_required',
      'the venue does not know yet who this wallet belongs to: show it, and try again in a moment',
      { retryable: true },
    );
  if (code === 'wallet_restricted')
    return new AppError('forbidden', 'the venue does not trade with this wallet');
  // One word for many causes, maintenance and an empty top of the book among them.
  if (code === 'route_not_found' || code === 'zero_out_amount' || code === 'price_impact_too_high')
    return noCounterparty(intent);
  if (failure !== null) return failure;
  return new AppError('venue_protocol', `the venue refused: ${refusalText(answer.value)}`);
}

/** `levels` are the other side of the book where that is why; they say whether the price moved. */
function noCounterparty(intent: OrderIntent, levels: readonly BookLevel[] = []): AppError {
  const { marketId, outcome, side, price } = intent;
  const best = bestOf(side, levels);
  const isBeyond = best !== null && (side === 'buy' ? best > price : best < price);
  const moved =
    isBeyond && !isResting(intent)
      ? { movedPrice: { price: formatPrice(best), worstPrice: formatPrice(price) } }
      : {};
  const what = `${outcome === 0 ? 'Yes' : 'No'} of ${marketId}`;
  return new AppError(
    'no_liquidity',
    `no ${side === 'buy' ? 'sellers' : 'buyers'} of ${what} at ${formatPrice(price)} or better now, or the venue takes no orders`,
    { retryable: true, ...moved },
  );
}

function bestOf(side: OrderIntent['side'], levels: readonly BookLevel[]): PriceTicks | null {
  return levels.reduce<PriceTicks | null>((best, { price }) => {
    const isBetter = best === null || (side === 'buy' ? price < best : price > best);
    return isBetter ? price : best;
  }, null);
}
