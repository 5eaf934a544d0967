import { getBase58Encoder, isAddress, type Address, type Instruction } from '@solana/kit';
import type { Random } from '../../../../ports/random.ts';
import type { SolanaChain } from '../../../chains/solana/chain.ts';
import { ok, type Call, type Reply, type VenueRoute } from '../../../wire/http-server.ts';
import {
  accountOf,
  computeBudget,
  ensureTokenAccount,
  memo,
  transferTokens,
  type Token,
} from '../../../chains/solana/instructions.ts';
import { nobodysAddress, type SolanaKey } from '../../../chains/solana/keys.ts';
import type { Orders } from '../chain/orders.ts';
import { USDC, type Settlement } from '../chain/settlement.ts';
import { memosOf, transactionBytes } from '../../../chains/solana/transactions.ts';
import type { Listing } from '../model/listing.ts';
import { readOrderQuestion, type OrderQuestion } from './order-params.ts';
import { quoteOrder, type Quote, type QuoteOptions } from './quote.ts';
import { refused } from './query.ts';

export interface TradeOptions extends QuoteOptions {
  readonly chain: SolanaChain;
  readonly orders: Orders;
  readonly settlement: Settlement;
  readonly random: Random;
  isVerified(wallet: string): boolean;
  /** Where a person proves who they are. */
  readonly proofPageUrl: string;
  /** Whether a market's tokens are said to exist; stated before they are made and kept. */
  isInitialized(listing: Listing): boolean;
  keep(listing: Listing): void;
}

/** Units an opening may use, the second with the market's tokens to be made. */
const UNITS = { usual: 120_000, making: 300_000 } as const;

/** The venue's routes of orders (venue_b.md section 9). */
export function tradeRoutes(options: TradeOptions): readonly VenueRoute[] {
  const get = (path: string, run: (call: Call) => Reply): VenueRoute => ({
    method: 'GET',
    path,
    run,
  });
  return [
    get('/order', ({ query }) => order(options, query)),
    get('/order-status', ({ query }) => status(options, query)),
    get('/prediction-market-init', ({ query }) => making(options, query)),
    get('/priority-fees', () =>
      ok({
        mediumMicroLamports: 16_667,
        highMicroLamports: 66_667,
        veryHighMicroLamports: 333_333,
      }),
    ),
    get('/venues', () => ok(['Prediction Markets'])),
    get('/tokens', () => ok([USDC.mint])),
    get('/tokens-with-decimals', () => ok([[USDC.mint, 6]])),
    get('/health-check', () => ok('ok')),
    get('/healthz', () => ok('ok')),
  ];
}

function order(options: TradeOptions, query: URLSearchParams): Reply {
  const { faults, chain } = options;
  const question = readOrderQuestion(query);
  if ('kind' in question) return question;
  const { user, inputMint } = question;
  if (faults.take('route-not-found') !== null) return routeNotFound();
  if (faults.take('stale-route') !== null)
    return refused(500, 'failed_to_compute_route', 'Failed to compute route', {
      contextSlot: chain.time.slot(),
      routingSlot: chain.time.slot() - 40,
    });
  const quote = quoteOrder(options, question);
  if (quote === null) return routeNotFound();
  if (user !== null && inputMint === USDC.mint && !options.isVerified(user))
    return refused(400, 'unverified_wallet_not_allowed', 'Wallet is not verified', {
      details: { deepLink: `${options.proofPageUrl}?wallet=${user}` },
    });
  return ok({
    ...quoteShape(options, question, quote),
    ...(user === null ? {} : opening(options, { ...question, user }, quote)),
  });
}

function routeNotFound(): Reply {
  return refused(400, 'route_not_found', 'Route not found');
}

function quoteShape(
  { chain, settlement, isInitialized }: TradeOptions,
  {
    inputMint,
    outputMint,
    amount,
    slippageBps,
    outcomeSlippageBps,
    priorityLamports,
    initPayer,
  }: OrderQuestion,
  { kind, listing, outAmount, minOutAmount }: Quote,
): Readonly<Record<string, unknown>> {
  const isMaking = kind === 'buy' && !isInitialized(listing);
  const units = isMaking ? UNITS.making : UNITS.usual;
  const microLamports = microLamportsOf(priorityLamports, units);
  return {
    inputMint,
    inAmount: String(amount),
    outputMint,
    outAmount: String(outAmount),
    otherAmountThreshold: String(minOutAmount),
    minOutAmount: String(minOutAmount),
    slippageBps,
    predictionMarketSlippageBps: outcomeSlippageBps,
    platformFee: null,
    priceImpactPct: '0',
    routePlan: [
      {
        venue: 'Prediction Markets',
        marketKey: listing.ticker,
        inputMint,
        outputMint,
        inAmount: String(amount),
        outAmount: String(outAmount),
      },
    ],
    contextSlot: chain.time.slot(),
    executionMode: 'async',
    revertMint: inputMint,
    computeUnitLimit: units,
    prioritizationFeeLamports: priorityLamports,
    prioritizationType: { computeBudget: { microLamports, estimatedMicroLamports: microLamports } },
    initPredictionMarketCost: isMaking
      ? settlement.making(listing, settlement.router.address).lamports
      : 0,
    predictionMarketInitPayerMustSign: isMaking && initPayer !== null,
    isNativePredictionMarketOutput: kind === 'buy',
    addressLookupTables: [],
  };
}

/** The transaction that opens the order, its terms agreed. */
function opening(
  options: TradeOptions,
  question: OrderQuestion & { readonly user: Address },
  quote: Quote,
): { readonly transaction: string; readonly lastValidBlockHeight: number } {
  const { settlement, chain, orders, faults, random } = options;
  const { user, sponsor, amount, priorityLamports, inputMint, outputMint } = question;
  const { listing, side, kind, limitTicks } = quote;
  options.keep(listing);
  if (options.isInitialized(listing)) settlement.make(listing);
  const payer = sponsor ?? user;
  const made = settlement.making(listing, question.initPayer ?? payer);
  const outcome = settlement.outcome(listing, side);
  const [input, output]: readonly [Token, Token] =
    kind === 'buy' ? [USDC, outcome] : [outcome, USDC];
  const id = Buffer.from(random.bytes(8)).toString('hex');
  const units = made.instructions.length > 0 ? UNITS.making : UNITS.usual;
  const instructions: readonly Instruction[] = [
    ...computeBudget(units, microLamportsOf(priorityLamports, units)),
    ...made.instructions,
    ensureTokenAccount(payer, user, output),
    // Names the router, by whose address openings are found again.
    ensureTokenAccount(payer, settlement.router.address, input),
    transferTokens(input, {
      from: accountOf(user, input),
      to: accountOf(settlement.router.address, input),
      authority: user,
      amount,
    }),
    memo(`order:${id}`),
  ];
  const life = lifetime(
    chain,
    faults.take('expired-blockhash', { marketId: listing.ticker }) !== null,
  );
  orders.agree({
    id,
    user,
    kind,
    ticker: listing.ticker,
    side,
    inputMint,
    outputMint,
    amount,
    limitTicks,
    lastValidBlockHeight: life.lastValidBlockHeight,
  });
  return {
    transaction: encoded({ feePayer: payer, instructions, signers: made.signers, ...life }),
    lastValidBlockHeight: life.lastValidBlockHeight,
  };
}

function status({ chain, orders }: TradeOptions, query: URLSearchParams): Reply {
  const signature = query.get('signature') ?? query.get('orderAddress') ?? '';
  if (!isSignature(signature)) return refused(400, 'invalid_signature', 'Invalid signature');
  const order = orders.openedBy(signature);
  if (order === null) {
    const transaction = chain.transaction(signature);
    if (transaction !== null && transaction.error !== null && opensSome(transaction))
      return ok({ status: 'failed', inAmount: '0', outAmount: '0', fills: [], reverts: [] });
    const lastHeight = Number(query.get('lastValidBlockHeight') ?? Number.NaN);
    return transaction === null && chain.time.blockHeight() > lastHeight
      ? ok({ status: 'expired', inAmount: '0', outAmount: '0', fills: [], reverts: [] })
      : refused(404, 'not_found', 'Order not found');
  }
  const { terms, opening: landed, closed } = order;
  const end = closed === null ? null : chain.transaction(closed.signature);
  const word =
    chain.commitmentOf(landed) === 'processed'
      ? 'pending'
      : closed === null
        ? 'open'
        : end !== null && chain.commitmentOf(end) === 'processed'
          ? 'pendingClose'
          : 'closed';
  // What has happened is published once a kill of the node can no longer undo it.
  const outcome = word === 'closed' ? closed : null;
  return ok({
    status: word,
    inAmount: String(terms.amount),
    outAmount: String(outcome?.outAmount ?? 0),
    fills:
      outcome === null || outcome.outAmount === 0
        ? []
        : [
            {
              signature: outcome.signature,
              inputMint: terms.inputMint,
              inAmount: String(terms.amount - outcome.refunded),
              outputMint: terms.outputMint,
              outAmount: String(outcome.outAmount),
            },
          ],
    reverts:
      outcome === null || outcome.refunded === 0
        ? []
        : [
            {
              signature: outcome.signature,
              mint: terms.inputMint,
              amount: String(outcome.refunded),
            },
          ],
  });
}

/** The transaction that makes a market's tokens and nothing else (venue_b.md section 9.3). */
function making(options: TradeOptions, query: URLSearchParams): Reply {
  const { settlement, rails, chain } = options;
  const payer = query.get('payer') ?? '';
  const place = rails.place(query.get('outcomeMint') ?? '');
  if (!isAddress(payer)) return refused(400, 'invalid_user_public_key', 'Invalid payer');
  if (place === null || place.side === null)
    return refused(400, 'invalid_output_mint', 'Invalid outcome mint');
  options.keep(place.listing);
  if (options.isInitialized(place.listing)) settlement.make(place.listing);
  const { instructions, signers } = settlement.making(place.listing, payer);
  if (instructions.length === 0)
    return refused(400, 'already_initialized', 'Market is already initialized');
  const life = lifetime(chain, false);
  return ok({
    transaction: encoded({
      feePayer: payer,
      instructions: [...computeBudget(UNITS.making, 0), ...instructions],
      signers,
      ...life,
    }),
    lastValidBlockHeight: life.lastValidBlockHeight,
  });
}

/** A blockhash for a transaction, or an expired one. */
function lifetime(
  chain: SolanaChain,
  isExpired: boolean,
): { readonly blockhash: string; readonly lastValidBlockHeight: number } {
  return isExpired
    ? {
        blockhash: nobodysAddress(`expired ${chain.time.blockHeight()}`),
        lastValidBlockHeight: chain.time.blockHeight() - 1,
      }
    : chain.time.latestBlockhash('confirmed');
}

function encoded(draft: {
  readonly feePayer: Address;
  readonly blockhash: string;
  readonly instructions: readonly Instruction[];
  readonly signers: readonly SolanaKey[];
}): string {
  return Buffer.from(transactionBytes(draft)).toString('base64');
}

function microLamportsOf(lamports: number, units: number): number {
  return Math.floor((lamports * 1_000_000) / units);
}

function opensSome(transaction: Parameters<typeof memosOf>[0]): boolean {
  return memosOf(transaction).some((note) => note.startsWith('order:'));
}

function isSignature(text: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text)) return false;
  return getBase58Encoder().encode(text).length === 64;
}
