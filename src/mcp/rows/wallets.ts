import { z } from 'zod';
import type { JsonValue } from '../../domain/json-value.ts';
import type { Row } from '../tool.ts';
import { at, entriesOf, row, unless } from './row.ts';

const text = z.string();
const says = (description: string) => z.string().meta({ description });

/**
 * What the wallets hold: tokens of which there is nothing are left out, those of outcomes counted,
 * for they are positions, and chains of which something could not be read are named.
 */
export const balancesRow: Row = (answer) => {
  const wallets = entriesOf(at(answer, 'wallets'));
  const unread = wallets.filter((wallet) => entriesOf(at(wallet, 'errors')).length > 0);
  return {
    totalUsd: at(answer, 'totalUsd'),
    balances: wallets.flatMap((wallet) =>
      [at(wallet, 'native'), ...entriesOf(at(wallet, 'tokens'))]
        .filter((token) => isHeld(token) && at(token, 'outcome') === null)
        .map((token) => balanceOf(wallet, token)),
    ),
    outcomeTokens: unless(
      wallets
        .flatMap((wallet) => entriesOf(at(wallet, 'tokens')))
        .filter((token) => isHeld(token) && at(token, 'outcome') !== null).length,
      0,
    ),
    partial: unless(at(answer, 'partial'), false),
    unread: unread.length === 0 ? null : unread.map((wallet) => at(wallet, 'chain')),
  };
};

function isHeld(token: JsonValue): boolean {
  return unless(at(token, 'balance'), '0') !== null;
}

/**
 * Any token may be sent to a wallet: a token outside the known list is known by its address alone.
 */
function balanceOf(wallet: JsonValue, token: JsonValue): JsonValue {
  const warnings = entriesOf(at(token, 'warnings'));
  return {
    chain: at(wallet, 'chain'),
    wallet: unless(at(wallet, 'walletType'), 'EVM', 'SVM'),
    symbol: at(token, 'symbol'),
    address: at(token, 'symbol') === null ? at(token, 'address') : null,
    balance: at(token, 'balance'),
    valueUsd: at(token, 'valueUsd'),
    warnings: warnings.length === 0 ? null : warnings,
  };
}

/** Where a wallet is. */
export const addressRow: Row = row(['chain', 'walletType', 'address']);

/** A token with its market. */
export const tokenRow: Row = (token) => {
  const warnings = entriesOf(at(token, 'warnings'));
  return {
    ...row(['chain', 'address', 'symbol', 'name', 'priceUsd', 'change24hPercent'])(token),
    ...row(['volume24hUsd', 'liquidityUsd'])(token),
    known: unless(at(token, 'known'), false),
    warnings: warnings.length === 0 ? null : warnings,
  };
};

/** One token, with the deepest of its pools. */
export const tokenInfoRow: Row = (info, venue) => ({
  token: tokenRow(at(info, 'token'), venue),
  ...row(['description', 'holders', 'score', 'mintAuthority', 'freezeAuthority'])(info),
  marketCapUsd: at(info, 'token.marketCapUsd'),
  pools: entriesOf(at(info, 'pools')).map((pool) =>
    row(['pairAddress', 'priceUsd', 'liquidityUsd', 'volume24hUsd'])(pool),
  ),
  partial: unless(at(info, 'partial'), false),
});

function sideOf(side: JsonValue): JsonValue {
  return `${String(at(side, 'symbol'))} on ${String(at(side, 'chain'))}`;
}

/** A quote. */
export const quoteRow: Row = (quote) => ({
  ...row(['quoteId', 'expiresAtMs', 'amount'])(quote),
  sell: sideOf(at(quote, 'sell')),
  buy: sideOf(at(quote, 'buy')),
  ...row(['expectedOut', 'minimumOut', 'slippagePercent', 'worstLossUsd'])(quote),
  ...row(['priceImpactPercent', 'fees', 'seconds'])(quote),
  gas: gasOf(at(quote, 'gas')),
});

/** A swap as tools tell it. */
export const swapShape = z.object({
  swapId: text,
  state: says(
    'queued, following: under way, ask swap_status; completed, refunded, partial, failed, unproven: ended',
  ),
  sell: text,
  buy: text,
  amount: says('Of what is sold, in whole tokens'),
  expectedOut: says('Of what is bought, in whole tokens'),
  minimumOut: text,
  received: says('What arrived: of what was sold where it was refunded'),
  receivedToken: text,
  reason: text,
  updatedAtMs: z.int(),
});

/** How far a swap is. */
export const swapRow: Row = (swap) => ({
  ...row(Object.keys(swapShape.shape))(swap),
  sell: sideOf(at(swap, 'sell')),
  buy: sideOf(at(swap, 'buy')),
  receivedToken:
    at(swap, 'receivedSide') === null
      ? at(swap, 'receivedToken')
      : sideOf(at(swap, 'receivedSide')),
});

/** What executing a quote would do, as tools tell it. */
export const swapEstimateShape = z.object({
  amount: says('Of what is sold, in whole tokens'),
  minimumOut: says('The least that comes, in whole tokens'),
  worstLossUsd: text,
  fees: z.array(z.object({ name: text, amountUsd: text })),
  gas: z.object({ symbol: text, amount: says('In whole coins'), amountUsd: text }),
  countsUsd: says('What of it counts against the limits'),
  left: z
    .object({ dailyOutUsd: text, keyOrder: text, keyDay: text })
    .meta({ description: 'USD that the limits leave after it' }),
  refusal: z
    .object({ code: text, detail: text })
    .meta({ description: 'What it would be refused for now' }),
});

/** What executing a quote would do. */
export const swapEstimateRow: Row = (estimate) => ({
  ...row(['amount', 'minimumOut', 'worstLossUsd', 'fees'])(estimate),
  gas: gasOf(at(estimate, 'gas')),
  ...row(['countsUsd', 'left'])(estimate),
  refusal: refusalOf(estimate),
});

/** A launch as tools tell it. */
export const launchShape = z.object({
  launchId: text,
  state: says('queued: under way, ask launch_status; launched, failed: ended'),
  name: text,
  symbol: text,
  mint: says("The token's address"),
  costSol: text,
  costUsd: text,
  transactionHash: text,
  reason: text,
  updatedAtMs: z.int(),
});

/** How far a launch is. */
export const launchRow: Row = row(Object.keys(launchShape.shape));

/** What a launch would cost, as tools tell it. */
export const launchEstimateShape = z.object({
  costSol: says('What leaves the wallet at most, fees in it'),
  costUsd: text,
  walletSol: text,
  isEnough: z.boolean(),
  mayLaunchAtMs: z.int(),
  warnings: z.array(text),
  refusal: z
    .object({ code: text, detail: text })
    .meta({ description: 'What it would be refused for now' }),
});

/** What a launch would cost. */
export const launchEstimateRow: Row = (estimate) => ({
  ...row(['costSol', 'costUsd', 'walletSol', 'isEnough', 'mayLaunchAtMs', 'warnings'])(estimate),
  refusal: refusalOf(estimate),
});

function gasOf(gas: JsonValue): JsonValue {
  return gas === null ? null : row(['symbol', 'amount', 'amountUsd'])(gas);
}

function refusalOf(estimate: JsonValue): JsonValue {
  const refusal = at(estimate, 'refusal');
  return refusal === null ? null : row(['code', 'detail'])(refusal);
}
