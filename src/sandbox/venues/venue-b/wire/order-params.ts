import { isAddress, type Address } from '@solana/kit';
import type { Reply } from '../../../wire/http-server.ts';
import { refused } from './query.ts';

/** What `/order` was asked, once it makes sense. */
export interface OrderQuestion {
  readonly inputMint: Address;
  readonly outputMint: Address;
  readonly amount: number;
  /** Null asks for a quote alone. */
  readonly user: Address | null;
  /** Pays the network's fee in the user's place; null: the user does. */
  readonly sponsor: Address | null;
  /** Pays for the market's tokens in the user's place. */
  readonly initPayer: Address | null;
  readonly slippageBps: number;
  readonly outcomeSlippageBps: number;
  readonly priorityLamports: number;
}

type Refusal = Extract<Reply, { kind: 'json' }>;

/** What `auto` means. */
const AUTO = { slippageBps: 50, outcomeSlippageBps: 200, priorityLamports: 10_000 } as const;
const OUTCOME_SLIPPAGE_MAXIMUM = 5_000;
const PRIORITY: Readonly<Record<string, number>> = {
  auto: AUTO.priorityLamports,
  disabled: 0,
  medium: 5_000,
  high: 20_000,
  veryHigh: 100_000,
};
/** The most that is paid for priority, lamports: 0.005 SOL (venue_b.md section 9.1). */
const PRIORITY_MAXIMUM = 5_000_000;
/** Options of the venue that are not modelled here, and how they are refused. */
const UNPLAYED: Readonly<Record<string, string>> = {
  destinationWallet: 'invalid_destination_wallet',
  destinationTokenAccount: 'invalid_destination_token_account',
  revertWallet: 'invalid_revert_wallet',
  outcomeAccountRentRecipient: 'invalid_outcome_account_rent_recipient',
  platformFeeBps: 'invalid_platform_fee_bps',
  platformFeeScale: 'invalid_platform_fee_scale',
  feeAccount: 'invalid_fee_account',
};

/** Reads the query of `/order`, or refuses it with the venue's code (venue_b.md section 13). */
export function readOrderQuestion(query: URLSearchParams): OrderQuestion | Refusal {
  const mint = (name: 'inputMint' | 'outputMint'): string => query.get(name) ?? '';
  const [inputMint, outputMint] = [mint('inputMint'), mint('outputMint')];
  if (!isAddress(inputMint)) return refused(400, 'invalid_input_mint', 'Invalid input mint');
  if (!isAddress(outputMint)) return refused(400, 'invalid_output_mint', 'Invalid output mint');
  if (inputMint === outputMint)
    return refused(400, 'same_input_and_output_mint', 'Input and output mint are the same');
  const amount = query.get('amount') ?? '';
  if (!/^\d{1,15}$/.test(amount))
    return refused(
      400,
      'invalid_query',
      'Failed to deserialize query string: amount: invalid digit found in string',
    );
  if (Number(amount) === 0)
    return refused(400, 'requested_input_amount_is_zero', 'Requested input amount is zero');
  if (query.get('allowSyncExec') === 'false' && query.get('allowAsyncExec') === 'false')
    return refused(
      400,
      'cannot_disable_sync_and_async_execution',
      'Cannot disable sync and async execution',
    );
  if (query.get('allowAsyncExec') === 'false')
    return refused(400, 'route_not_found', 'Route not found');
  for (const [name, code] of Object.entries(UNPLAYED))
    if (query.has(name)) return refused(400, code, `${name} is not played by the sandbox`);
  const slippage = readSlippage(query);
  if ('kind' in slippage) return slippage;
  const wallets = readWallets(query);
  if ('kind' in wallets) return wallets;
  const priorityLamports = readPriority(query);
  if (typeof priorityLamports !== 'number') return priorityLamports;
  return {
    inputMint,
    outputMint,
    amount: Number(amount),
    ...wallets,
    ...slippage,
    priorityLamports,
  };
}

function readSlippage(
  query: URLSearchParams,
): Pick<OrderQuestion, 'slippageBps' | 'outcomeSlippageBps'> | Refusal {
  const read = (name: string, auto: number): number | null => {
    const text = query.get(name) ?? 'auto';
    if (text === 'auto') return auto;
    return /^\d{1,5}$/.test(text) && Number(text) <= 10_000 ? Number(text) : null;
  };
  const outcomeSlippageBps = read('predictionMarketSlippageBps', AUTO.outcomeSlippageBps);
  const slippageBps = read('slippageBps', Math.min(AUTO.slippageBps, outcomeSlippageBps ?? 0));
  if (slippageBps === null || outcomeSlippageBps === null)
    return refused(400, 'invalid_slippage_bps', 'Invalid slippage bps');
  if (outcomeSlippageBps > OUTCOME_SLIPPAGE_MAXIMUM)
    return refused(
      400,
      'prediction_slippage_bps_above_max',
      'Prediction market slippage bps above maximum',
    );
  if (outcomeSlippageBps < slippageBps)
    return refused(
      400,
      'prediction_slippage_bps_below_routing_slippage',
      'Prediction market slippage bps below routing slippage',
    );
  return { slippageBps, outcomeSlippageBps };
}

function readWallets(
  query: URLSearchParams,
): Pick<OrderQuestion, 'user' | 'sponsor' | 'initPayer'> | Refusal {
  const wallets = { user: null, sponsor: null, initPayer: null } as Record<
    'user' | 'sponsor' | 'initPayer',
    Address | null
  >;
  for (const [field, name, code] of [
    ['user', 'userPublicKey', 'invalid_user_public_key'],
    ['sponsor', 'sponsor', 'invalid_sponsor'],
    ['initPayer', 'predictionMarketInitPayer', 'invalid_prediction_market_init_payer'],
  ] as const) {
    const text = query.get(name);
    if (text === null) continue;
    if (!isAddress(text)) return refused(400, code, `Invalid ${name}`);
    wallets[field] = text;
  }
  return wallets.sponsor !== null && wallets.initPayer !== null
    ? refused(
        400,
        'both_sponsor_and_prediction_market_init_payer_specified',
        'Both sponsor and prediction market init payer specified',
      )
    : wallets;
}

function readPriority(query: URLSearchParams): number | Refusal {
  const lamports = query.get('prioritizationFeeLamports');
  if (lamports !== null && query.has('computeUnitPriceMicroLamports'))
    return refused(400, 'both_priority_fee_params_specified', 'Both priority fee params specified');
  const named = PRIORITY[lamports ?? 'auto'];
  if (named !== undefined) return named;
  return /^\d{1,12}$/.test(lamports ?? '')
    ? Math.min(PRIORITY_MAXIMUM, Number(lamports))
    : refused(
        400,
        'invalid_query',
        'Failed to deserialize query string: prioritizationFeeLamports',
      );
}
