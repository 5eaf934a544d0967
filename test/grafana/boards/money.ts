import { ask, EMPTY_IS_GOOD, NO_DATA, UNUSED, type Board, type PanelSpec } from '../panel.ts';

function calls(title: string, metric: string, by: string, runbook: string): PanelSpec {
  return {
    title,
    kind: 'lines',
    unit: 'opm',
    description: 'Calls a minute by how they ended. Normal: answered, few failed.',
    queries: [
      ask(
        `60 * sum by (${by}, outcome) (rate(predictd_${metric}[$__rate_interval])) > 0`,
        `{{${by}}} {{outcome}}`,
      ),
    ],
    thresholds: { red: 6000 },
    empty: UNUSED,
    runbook,
  };
}

export const MONEY: Board = {
  uid: 'predictd-money',
  title: 'predictd: money and chains',
  description: 'Whose money is where, whether ledger and chain agree, and what is on its way.',
  rows: [
    {
      title: 'Does it add up?',
      panels: [
        {
          title: 'Ledger sum',
          kind: 'lines',
          unit: 'currencyUSD',
          description: 'Sum of all postings, as its distance from 0. It is 0.',
          queries: [ask('max(abs(predictd_ledger_imbalance_usdc))', 'off by')],
          thresholds: { red: 0.000001 },
          empty: NO_DATA,
          runbook: 'PredictdLedgerOutOfBalance',
        },
        {
          title: 'Ledger and chain differ',
          kind: 'lines',
          unit: 'short',
          description:
            'Users whose Safe or wallet holds other than the ledger explains. Normal: 0.',
          queries: [
            ask('max(predictd_money_mismatched_users)', 'Safes'),
            ask('max(predictd_wallets_mismatched_users)', 'wallets'),
          ],
          thresholds: { red: 1 },
          empty: NO_DATA,
          runbook: 'PredictdMoneyMismatched',
        },
        {
          title: 'By how much',
          kind: 'lines',
          unit: 'currencyUSD',
          description: 'All differences of dollars in Safes added. Normal: 0.',
          queries: [ask('max(predictd_money_mismatch_usdc)', 'dollars')],
          thresholds: { red: 0.01 },
          empty: NO_DATA,
          runbook: 'PredictdMoneyMismatched',
        },
        {
          title: 'Since the last checks',
          kind: 'lines',
          unit: 's',
          description:
            'Since the ledger was added up, since it was compared with the chain, since the sums below.',
          queries: [
            ask('time() - max(predictd_ledger_imbalance_checked_timestamp_seconds)', 'ledger'),
            ask('time() - max(predictd_money_reconciled_timestamp_seconds)', 'chain'),
            ask('time() - max(predictd_money_summed_timestamp_seconds)', 'sums'),
          ],
          thresholds: { orange: 300, red: 900 },
          empty: NO_DATA,
          runbook: 'PredictdReconcilerSilent',
        },
        {
          title: 'Users compared',
          kind: 'lines',
          unit: 'short',
          description:
            'Users whose Safe was compared in the last round. Falls where the chain does not answer.',
          queries: [ask('max(predictd_money_reconciled_users)', 'users')],
          thresholds: { red: 1000000 },
          empty: NO_DATA,
          runbook: 'PredictdReconcilerSilent',
        },
        {
          title: 'In dispute',
          kind: 'lines',
          unit: 'short',
          description: 'Accounts whose funds the venue does not find. Normal: 0.',
          queries: [ask('max(predictd_funds_disputes_open)', 'accounts')],
          thresholds: { orange: 1, red: 10 },
          empty: NO_DATA,
          runbook: 'PredictdFundsDisputed',
        },
      ],
    },
    {
      title: 'Where is it?',
      panels: [
        {
          title: 'Money by kind',
          kind: 'lines',
          unit: 'currencyUSD',
          description:
            'Of all users together: final cash, what is not final, set aside by open buys, on its way out, and positions at cost.',
          queries: [ask('sum by (kind) (predictd_money_usdc)', '{{kind}}')],
          thresholds: { red: 100000000 },
          empty: NO_DATA,
          runbook: 'PredictdMoneyMismatched',
        },
        {
          title: 'Cash by account',
          kind: 'lines',
          unit: 'currencyUSD',
          description: 'Final cash in Safes, on Solana and on Base.',
          queries: [ask('sum by (account) (predictd_money_usdc{kind="cash"})', '{{account}}')],
          thresholds: { red: 100000000 },
          empty: NO_DATA,
          runbook: 'PredictdMoneyMismatched',
        },
        {
          title: 'Sponsor',
          kind: 'lines',
          unit: 'short',
          description: 'SOL the sponsor of orders has left.',
          queries: [ask('min by (venue) (predictd_venue_sponsor_lamports) / 1e9', '{{venue}} SOL')],
          thresholds: { orange: 1, red: 0.1, isLow: true },
          empty: UNUSED,
          runbook: 'PredictdSponsorLow',
        },
      ],
    },
    {
      title: 'What is on its way?',
      panels: [
        {
          title: 'Open transactions',
          kind: 'lines',
          unit: 'short',
          description:
            'Transactions that have not ended, by what they are for, and ended markets that are not paid out.',
          queries: [
            ask('sum by (kind) (predictd_transactions_open) > 0', '{{kind}}'),
            ask('sum(predictd_payouts_open) > 0', 'market not paid out'),
          ],
          thresholds: { orange: 50, red: 500 },
          empty: 'nothing is on its way',
          runbook: 'PredictdMoneyStuck',
        },
        {
          title: 'Oldest of each kind',
          kind: 'lines',
          unit: 's',
          description:
            'Age of the oldest transaction by what it is for, of what was won and is not paid, and of the oldest deposit. Normal: minutes.',
          queries: [
            ask('max by (kind) (predictd_transactions_oldest_seconds) > 0', '{{kind}}'),
            ask('max(predictd_payouts_oldest_seconds) > 0', 'payout'),
            ask('max(predictd_deposits_oldest_seconds) > 0', 'deposit'),
          ],
          thresholds: { orange: 900, red: 3600 },
          empty: 'nothing is on its way',
          runbook: 'PredictdMoneyStuck',
        },
        {
          title: 'Transactions that ended',
          kind: 'lines',
          unit: 'opm',
          description: 'Ends a minute by kind and how. Failed ones took nothing out of the ledger.',
          queries: [
            ask(
              '60 * sum by (kind, state) (rate(predictd_transactions_total[$__rate_interval])) > 0',
              '{{kind}} {{state}}',
            ),
          ],
          thresholds: { red: 600 },
          empty: UNUSED,
          runbook: 'PredictdMoneyStuck',
        },
        {
          title: 'Handed over to be sent',
          kind: 'lines',
          unit: 'opm',
          description:
            'By what carries it and its answer. Unknown ones are asked about at the chain.',
          queries: [
            ask(
              '60 * sum by (rail, outcome) (rate(predictd_transaction_sends_total[$__rate_interval])) > 0',
              '{{rail}} {{outcome}}',
            ),
          ],
          thresholds: { red: 600 },
          empty: UNUSED,
          runbook: 'PredictdMoneyStuck',
        },
        {
          title: 'Deposits',
          kind: 'lines',
          unit: 'short',
          description:
            'Deposits on their way, those the chain does not show, and addresses that are polled.',
          queries: [
            ask('max(predictd_deposits_open)', 'open'),
            ask('max(predictd_deposits_unproven)', 'unproven'),
            ask('max(predictd_deposit_addresses_watched)', 'addresses'),
          ],
          thresholds: { red: 10000 },
          empty: NO_DATA,
          runbook: 'PredictdDepositsUnproven',
        },
        {
          title: 'Queues at a stop',
          kind: 'lines',
          unit: 'short',
          description: 'Queues behind a transaction of an unknown kind. Normal: empty.',
          queries: [ask('max by (chain) (predictd_transaction_queues_stopped) > 0', '{{chain}}')],
          thresholds: { red: 1 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdTransactionQueueStopped',
        },
        {
          title: 'Swaps that ended',
          kind: 'lines',
          unit: 'opm',
          description: 'Swaps and bridges by how they ended; late: not within half an hour.',
          queries: [
            ask(
              '60 * sum by (state) (rate(predictd_swaps_total[$__rate_interval])) > 0',
              '{{state}}',
            ),
            ask('60 * sum(rate(predictd_swaps_late_total[$__rate_interval])) > 0', 'late'),
          ],
          thresholds: { red: 600 },
          empty: UNUSED,
          runbook: 'PredictdOffersRefused',
        },
        {
          title: 'Offers refused',
          kind: 'lines',
          unit: 'opm',
          description: 'Offers of the router that were not safe to sign. Normal: 0.',
          queries: [
            ask(
              '60 * sum by (stage) (rate(predictd_swap_offers_refused_total[$__rate_interval]))',
              '{{stage}}',
            ),
          ],
          thresholds: { orange: 0.1, red: 1 },
          empty: NO_DATA,
          runbook: 'PredictdOffersRefused',
        },
        {
          title: 'Deposits that ended',
          kind: 'lines',
          unit: 'opm',
          description: 'Deposits by how they ended.',
          queries: [
            ask(
              '60 * sum by (state) (rate(predictd_deposits_total[$__rate_interval])) > 0',
              '{{state}}',
            ),
          ],
          thresholds: { red: 600 },
          empty: UNUSED,
          runbook: 'PredictdDepositsUnproven',
        },
      ],
    },
    {
      title: 'Who carries it?',
      panels: [
        calls('Nodes of chains', 'chain_calls_total', 'chain', 'PredictdChainUnavailable'),
        calls('Relayer', 'relayer_calls_total', 'call', 'PredictdRelayerDown'),
        calls('Bridge', 'bridge_calls_total', 'call', 'PredictdBridgeDown'),
        calls('Router', 'router_calls_total', 'call', 'PredictdRouterDown'),
        calls('Token data', 'token_data_calls_total', 'source', 'PredictdTokenDataDown'),
        {
          title: 'Calls to nodes, p99',
          kind: 'lines',
          unit: 's',
          description: 'Time of a call to the node of a chain.',
          queries: [
            ask(
              'histogram_quantile(0.99, sum by (le, chain) (rate(predictd_chain_call_duration_seconds_bucket[$__rate_interval]))) > 0',
              '{{chain}}',
            ),
          ],
          thresholds: { orange: 1, red: 5 },
          empty: UNUSED,
          runbook: 'PredictdChainUnavailable',
        },
        {
          title: 'Newest block',
          kind: 'lines',
          unit: 's',
          description:
            'Age of the newest block a node showed when it was last asked. Much more than the pace of the chain: a node that lags.',
          queries: [ask('max by (chain) (predictd_chain_head_age_seconds)', '{{chain}}')],
          thresholds: { orange: 60, red: 600 },
          empty: UNUSED,
          runbook: 'PredictdChainUnavailable',
        },
        {
          title: 'Blocks taken back, missing nonces',
          kind: 'lines',
          unit: 'short',
          description:
            'Blocks with a transaction of this service that were taken back in 1 h, and nonces missing before one. Normal: 0.',
          queries: [
            ask(
              'sum by (chain) (increase(predictd_chain_forks_total[1h])) > 0',
              'taken back {{chain}}',
            ),
            ask('max by (chain) (predictd_nonce_gap) > 0', 'missing {{chain}}'),
          ],
          thresholds: { orange: 1, red: 10 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdMoneyStuck',
        },
        {
          title: 'Gas, an hour',
          kind: 'lines',
          unit: 'short',
          description:
            "What users' own accounts paid EVM networks in an hour, in the chain's own coin.",
          queries: [
            ask(
              'sum by (chain, kind) (increase(predictd_gas_spent_total[1h])) > 0',
              '{{chain}} {{kind}}',
            ),
          ],
          thresholds: { orange: 1, red: 10 },
          empty: UNUSED,
          runbook: 'PredictdMoneyStuck',
        },
        {
          title: 'Bridge, router and relayer, p99',
          kind: 'lines',
          unit: 's',
          description: 'Time of their calls. The relayer takes seconds, the others less than one.',
          queries: [
            ask(
              'histogram_quantile(0.99, sum by (le) (rate(predictd_bridge_call_duration_seconds_bucket[$__rate_interval]))) > 0',
              'bridge',
            ),
            ask(
              'histogram_quantile(0.99, sum by (le) (rate(predictd_router_call_duration_seconds_bucket[$__rate_interval]))) > 0',
              'router',
            ),
            ask(
              'histogram_quantile(0.99, sum by (le) (rate(predictd_relayer_call_duration_seconds_bucket[$__rate_interval]))) > 0',
              'relayer',
            ),
          ],
          thresholds: { orange: 5, red: 10 },
          empty: UNUSED,
          runbook: 'PredictdRelayerDown',
        },
        {
          title: 'Keys to rewrap',
          kind: 'lines',
          unit: 'short',
          description:
            'Data keys still sealed under the former master key. 0 ends a change of keys.',
          queries: [ask('max(predictd_data_keys_to_rewrap)', 'keys')],
          thresholds: { orange: 1, red: 1000000 },
          empty: NO_DATA,
          runbook: 'PredictdStoreUnavailable',
        },
      ],
    },
  ],
};
