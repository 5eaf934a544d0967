import type { DepositState } from '../../../domain/deposit.ts';
import type { SwapState } from '../../../domain/swap.ts';
import type { RailKind } from '../../../domain/transaction.ts';
import type { PurposeKind } from '../../../domain/transaction-purpose.ts';
import type { SendOutcome } from '../../../ports/transactions.ts';
import {
  counter,
  counterOf,
  gauge,
  histogram,
  membersOf,
  type MetricSpec,
} from '../metric-spec.ts';

/** Chains that are asked, by id. */
const CHAINS = ['1', '10', '56', '137', '8453', '42161', 'solana'];
const PURPOSES = membersOf<PurposeKind>({
  deploy: true,
  allowances: true,
  withdraw: true,
  redeem: true,
  transfer: true,
  wrap: true,
  registry: true,
  launch: true,
  swap_approval: true,
  swap: true,
  send: true,
  venue_call: true,
  venue_redemption: true,
});
const RAILS = membersOf<RailKind>({ safe: true, evm: true, solana: true });
const SENDS = membersOf<SendOutcome['kind']>({
  accepted: true,
  busy: true,
  stale: true,
  refused: true,
  unknown: true,
});
const SWAP_ENDS = membersOf<Exclude<SwapState, 'queued' | 'following'>>({
  completed: true,
  refunded: true,
  partial: true,
  failed: true,
  unproven: true,
});
const DEPOSIT_ENDS = membersOf<Extract<DepositState, 'completed' | 'failed' | 'vanished'>>({
  completed: true,
  failed: true,
  vanished: true,
});
const CALLED = ['answered', 'failed'];
/** How a call ends whose status is counted. */
const ANSWERS = ['2xx', '3xx', '4xx', '5xx', 'lost', 'unsent'];

/** The ledger, chains, and money on its way. */
export const MONEY_METRICS = {
  ledger_imbalance_usdc: gauge(
    'Sum of all postings of the ledger, which must be 0: any other value is money that came from nowhere or went nowhere.',
    [],
  ),
  ledger_imbalance_checked_timestamp_seconds: gauge(
    'When the newest sum over the whole ledger was taken, Unix time.',
    [],
  ),
  money_usdc: gauge(
    'USDC of all users together by cash account: cash (final), unsettled (in fills and holds that are not final), reserved (set aside by open buys), outgoing (on its way out), positions (what shares held have cost).',
    ['account', 'kind'],
  ),
  money_summed_timestamp_seconds: gauge(
    'When the newest sum over all users was complete, Unix time.',
    [],
  ),
  money_reconciled_users: gauge(
    'Users whose ledger was compared with the chain in the last round.',
    [],
  ),
  money_reconciled_timestamp_seconds: gauge(
    'When the newest round that compared the ledger with the chain ended, Unix time.',
    [],
  ),
  money_mismatched_users: gauge('Users whose ledger is not what the chain says; 0, always.', []),
  money_mismatch_usdc: gauge(
    'What the chain has less or more than the ledger of these users explains, all differences of dollars added.',
    [],
  ),
  wallets_mismatched_users: gauge(
    'Users whose own wallets differ from the ledger by what no transaction explains; 0, always.',
    [],
  ),
  funds_disputes_open: gauge(
    'Accounts whose funds the venue does not find though the ledger has them.',
    [],
  ),
  transactions_open: gauge('Transactions on chains that have not ended, by what they are for.', [
    'kind',
  ]),
  transactions_oldest_seconds: gauge(
    'Age of the oldest transaction that has not ended, by what it is for; 0 without one.',
    ['kind'],
  ),
  transactions_total: counterOf(
    { kind: PURPOSES, state: ['done', 'failed'] },
    'Transactions on chains (deployments, withdrawals, transfers, redemptions) that ended, by kind and how.',
  ),
  transaction_queues_stopped: gauge(
    'Queues of transactions that stand still, since what their first transaction means is not known.',
    ['chain'],
  ),
  transaction_sends_total: counterOf(
    { rail: RAILS, outcome: SENDS },
    'Times a transaction was handed over to be sent, by what carries it and how that answered.',
  ),
  chain_calls_total: counterOf(
    { chain: CHAINS, outcome: ['answered', 'reverted', 'failed'] },
    'Calls to nodes of chains, by chain id and how they ended.',
  ),
  chain_call_duration_seconds: histogram('Time of a call to the node of a chain.', ['chain']),
  chain_head_age_seconds: gauge(
    'Age of the newest block the node of a chain showed when it was last asked; of Solana since it was first seen.',
    ['chain'],
  ),
  chain_forks_total: counterOf(
    { chain: CHAINS },
    'Times a block with a transaction of this service was taken back.',
  ),
  nonce_gap: gauge(
    'Nonces that are missing before a transaction of this service can land, of the account that lacks most; 0, but for moments.',
    ['chain'],
  ),
  gas_spent_total: counterOf(
    { chain: CHAINS.filter((chain) => chain !== 'solana'), kind: PURPOSES },
    "What users' own accounts paid EVM networks for transactions, in the chain's own coin, by what they were for.",
  ),
  bridge_call_duration_seconds: histogram('Time of a call to the bridge.', ['call']),
  router_call_duration_seconds: histogram('Time of a call to the router.', ['call']),
  relayer_call_duration_seconds: histogram('Time of a call to the relayer.', ['call']),
  bridge_calls_total: counterOf(
    { call: ['assets', 'deposit', 'status'], outcome: CALLED },
    'HTTP calls to the bridge, by call and how they ended.',
  ),
  token_data_calls_total: counterOf(
    { source: ['gecko_terminal', 'dex_screener', 'indexer'], outcome: CALLED },
    'HTTP calls to sources of token data, by source and how they ended.',
  ),
  router_calls_total: counterOf(
    { call: ['quote', 'status', 'tokens', 'token'], outcome: CALLED },
    'HTTP calls to the swap and bridge router, by call and how they ended.',
  ),
  relayer_calls_total: counterOf(
    { call: ['submit', 'lookup'], outcome: ANSWERS },
    'HTTP calls to the relayer of Safe transactions, by call and how they ended.',
  ),
  swaps_total: counterOf({ state: SWAP_ENDS }, 'Swaps and bridges that ended, by how.'),
  swaps_late_total: counter('Swaps and bridges that had not ended after half an hour.', []),
  swap_offers_refused_total: counterOf(
    { stage: ['quote', 'execution'] },
    'Offers of the router that were not safe to sign, by where that was seen.',
  ),
  payouts_open: gauge('Ended markets in which a user has won and is not paid yet.', []),
  payouts_oldest_seconds: gauge(
    'How long ago the first ended of the markets ended that have not paid all who won; 0 without one.',
    [],
  ),
  deposits_open: gauge('Deposits the bridge has reported and that have not ended.', []),
  deposits_oldest_seconds: gauge(
    'Age of the oldest deposit the bridge has reported and that has not ended; 0 without one.',
    [],
  ),
  deposits_unproven: gauge(
    'Deposits the bridge says it has paid and the chain does not show; 0, always.',
    [],
  ),
  deposits_total: counterOf({ state: DEPOSIT_ENDS }, 'Deposits that ended, by how.'),
  deposits_dropped_total: counter(
    'Payments that were not kept because their deposit address had too many.',
    [],
  ),
  deposit_addresses_watched: gauge('Deposit addresses the bridge is asked about now.', []),
} as const satisfies Readonly<Record<string, MetricSpec>>;
