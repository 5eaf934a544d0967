import { ask, EMPTY_IS_GOOD, NO_DATA, type Board, type ValueWord } from '../panel.ts';

/** What a first panel counts where the service shows nothing. */
const UNSEEN = 1_000;
/** A figure of something that runs, none where the service shows nothing. */
const whileUp = (expr: string): string => `(${expr}) and on () max(predictd_start_time_seconds)`;
/** A sum of what is wrong, or that nothing can be seen. */
const judged = (sum: string): string => `(${sum}) or vector(${UNSEEN})`;

/** Answers of the first panel of a row: what is wrong counts ten, what is to be checked one. */
function answers(good: string, middling: string, bad: string): readonly ValueWord[] {
  return [
    { from: 0, to: 0, text: good, colour: 'green' },
    { from: 1, to: 9, text: middling, colour: 'orange' },
    { from: 10, to: UNSEEN - 1, text: bad, colour: 'red' },
    { from: UNSEEN, to: UNSEEN, text: 'cannot be seen', colour: 'red' },
  ];
}

/** 1 for each venue that takes orders, 0 for one that does not. */
const TAKES =
  '(0 * max by (venue) (ALERTS{alertstate="firing",alertname=~"Predictd(VenueDown|VenueRestarting|VenueCancelOnly|OrderVersionMismatch)"}) or 1 - max by (venue) (predictd_venue_restricted_state))';
/** Labels that say what an alert is about. */
const SUBJECTS = ['venue', 'chain', 'feed', 'agent', 'asset', 'scope', 'kind'];
/** Puts what alerts are about into one label, with a colon behind it. */
const subject = (of: string): string =>
  SUBJECTS.reduce(
    (series, label) =>
      `label_replace(${series}, "subject", "${label === 'venue' ? '' : `${label} `}$1: ", "${label}", "(.+)")`,
    of,
  );
/** When each alert that fires began to be true, in ms. */
const firing = (severity: string): string =>
  `1000 * (ALERTS_FOR_STATE{alertname!="PredictdWatchdog",${severity}} and ignoring(alertstate) ALERTS{alertstate="firing"})`;
/** Share of the orders asked for that were refused. */
const REFUSED =
  'sum(increase(predictd_order_rejections_total[5m])) / clamp_min(sum(increase(predictd_order_rejections_total{reason!="refused_by_venue"}[5m])) + sum(increase(predictd_order_submissions_total[5m])), 1)';
const CLOCK = 'dateTimeAsIsoNoDateIfToday';
const NONE: ValueWord = { from: 0, to: 0, text: 'none', colour: 'green' };

export const OVERVIEW: Board = {
  uid: 'predictd-overview',
  title: 'predictd: overview',
  description:
    'Is money safe? Is trading on? What is late? Since when? The first panel of each row answers in a word.',
  rows: [
    {
      title: 'Is money safe?',
      panels: [
        {
          title: 'Is money safe?',
          kind: 'stat',
          unit: 'none',
          description:
            'NO: the ledger does not add up, a chain differs from it, another program trades with keys of users, or neither was checked for 15 minutes. Check: an account is in dispute, a deposit is unproven, a chain cannot be read, or an alert about money fires.',
          queries: [
            ask(
              judged(
                '10 * (max(abs(predictd_ledger_imbalance_usdc)) > bool 0) + 10 * (max(predictd_money_mismatched_users) > bool 0) + 10 * (max(predictd_wallets_mismatched_users) > bool 0) + 10 * (time() - max(predictd_ledger_imbalance_checked_timestamp_seconds) > bool 900) + 10 * (time() - max(predictd_money_reconciled_timestamp_seconds) > bool 900) + 10 * (sum(increase(predictd_foreign_orders_total[5m])) > bool 0) + (max(predictd_funds_disputes_open) > bool 0) + (max(predictd_deposits_unproven) > bool 0) + (count(ALERTS{alertstate="firing",alertname="PredictdChainUnavailable"}) > bool 0 or vector(0)) + (count(ALERTS{alertstate="firing",area="money"}) > bool 0 or vector(0))',
              ),
              'money',
            ),
          ],
          thresholds: { orange: 1, red: 10 },
          words: answers('yes', 'check', 'NO'),
          empty: NO_DATA,
          runbook: 'PredictdMoneyMismatched',
        },
        {
          title: 'Ledger sum',
          kind: 'stat',
          unit: 'currencyUSD',
          description: 'All postings added up, every minute. It is 0, or the books are wrong.',
          queries: [ask('max(abs(predictd_ledger_imbalance_usdc))', 'off by')],
          thresholds: { red: 0.000001 },
          words: [{ ...NONE, text: '0: it adds up' }],
          empty: NO_DATA,
          runbook: 'PredictdLedgerOutOfBalance',
        },
        {
          title: 'Users whose chain differs',
          kind: 'stat',
          unit: 'short',
          description:
            'Users whose Safe or wallet holds other than the ledger explains, seen several times in a row. Normal: none.',
          queries: [
            ask(
              'max(predictd_money_mismatched_users) + max(predictd_wallets_mismatched_users)',
              'users',
            ),
          ],
          thresholds: { red: 1 },
          words: [NONE],
          empty: NO_DATA,
          runbook: 'PredictdMoneyMismatched',
        },
        {
          title: 'Last compared with the chain',
          kind: 'stat',
          unit: 's',
          description: 'Since the newest round over all users ended. Normal: a minute or two.',
          queries: [ask('time() - max(predictd_money_reconciled_timestamp_seconds)', 'ago')],
          thresholds: { orange: 300, red: 900 },
          empty: NO_DATA,
          runbook: 'PredictdReconcilerSilent',
        },
        {
          title: 'In dispute, unproven',
          kind: 'stat',
          unit: 'short',
          description:
            'Accounts whose funds the venue does not find, and deposits the bridge says it paid and the chain does not show. Normal: none.',
          queries: [
            ask('max(predictd_funds_disputes_open)', 'in dispute'),
            ask('max(predictd_deposits_unproven)', 'unproven'),
          ],
          thresholds: { orange: 1, red: 10 },
          words: [NONE],
          empty: NO_DATA,
          runbook: 'PredictdFundsDisputed',
        },
        {
          title: 'Oldest money on its way',
          kind: 'stat',
          unit: 's',
          description:
            'Age of the oldest withdrawal, claim, swap or other transaction, of what was won and is not paid, and of the oldest deposit. Normal: minutes.',
          queries: [
            ask('max(predictd_transactions_oldest_seconds)', 'transaction'),
            ask('max(predictd_payouts_oldest_seconds)', 'payout'),
            ask('max(predictd_deposits_oldest_seconds)', 'deposit'),
          ],
          thresholds: { orange: 900, red: 3600 },
          words: [NONE],
          empty: NO_DATA,
          runbook: 'PredictdMoneyStuck',
        },
      ],
    },
    {
      title: 'Is trading on?',
      panels: [
        {
          title: 'Is trading on?',
          kind: 'stat',
          unit: 'none',
          description:
            'NO: the operator has stopped it, no venue takes orders, or an order is unknown for two minutes. In part: a venue, some agents or some users are held back, half of the orders is refused, or an alert about trading fires.',
          queries: [
            ask(
              judged(
                `10 * (sum(predictd_trading_stops_open{scope="all"}) > bool 0) + 10 * (max(${TAKES}) < bool 1) + 10 * (max(predictd_orders_unknown_oldest_seconds) > bool 120) + (max(predictd_venue_restricted_state) > bool 0) + (sum(predictd_settlement_breakers_open) > bool 0) + (sum(max by (agent) (predictd_agent_enrolments_degraded) or vector(0)) > bool 0) + (sum(predictd_stream_trouble_users) > bool 0) + (count(ALERTS{alertstate="firing",area="trading"}) > bool 0 or vector(0)) + (${REFUSED} > bool 0.5)`,
              ),
              'trading',
            ),
          ],
          thresholds: { orange: 1, red: 10 },
          words: answers('yes', 'in part', 'NO'),
          empty: NO_DATA,
          runbook: 'PredictdVenueRestricted',
        },
        {
          title: 'Venue takes orders',
          kind: 'stat',
          unit: 'none',
          description:
            'Whether each venue takes orders from where the service runs, and no alert says that it is down, restarts, is cancel-only or takes another form.',
          queries: [ask(TAKES, '{{venue}}')],
          thresholds: { red: 1, isLow: true },
          words: [
            { from: 1, to: 1, text: 'yes', colour: 'green' },
            { from: 0, to: 0, text: 'NO', colour: 'red' },
          ],
          empty: NO_DATA,
          runbook: 'PredictdVenueRestricted',
        },
        {
          title: 'Stops and breakers',
          kind: 'stat',
          unit: 'short',
          description:
            'Stops the operator has set, and breakers that hold agents back because trades fail to settle. Normal: none.',
          queries: [
            ask('sum(predictd_trading_stops_open)', 'stops'),
            ask('sum(predictd_settlement_breakers_open)', 'breakers'),
          ],
          thresholds: { orange: 1, red: 10 },
          words: [NONE],
          empty: NO_DATA,
          runbook: 'PredictdSettlementBreakerOpen',
        },
        {
          title: 'Agents held back',
          kind: 'stat',
          unit: 'short',
          description:
            'Enabled agents that do not decide because an input is missing, and users whose orders cannot be seen. Normal: none, for seconds a few.',
          queries: [
            ask(
              whileUp('sum(max by (agent) (predictd_agent_enrolments_degraded)) or vector(0)'),
              'agents',
            ),
            ask('sum(predictd_stream_trouble_users)', 'users'),
          ],
          thresholds: { orange: 1, red: 100 },
          words: [NONE],
          empty: NO_DATA,
          runbook: 'PredictdAgentsHeldBack',
        },
        {
          title: 'Oldest unknown order',
          kind: 'stat',
          unit: 's',
          description:
            'How long the oldest order has been without an answer of its venue. Its market takes no further order of that user meanwhile. Normal: none.',
          queries: [ask('max by (venue) (predictd_orders_unknown_oldest_seconds)', '{{venue}}')],
          thresholds: { orange: 10, red: 120 },
          words: [NONE],
          empty: NO_DATA,
          runbook: 'PredictdOrdersUnknown',
        },
        {
          title: 'Orders refused, 5 min',
          kind: 'stat',
          unit: 'percentunit',
          description:
            'Share of the orders asked for that were refused, here or by the venue. Normal: a few in a hundred.',
          queries: [ask(whileUp(REFUSED), 'refused')],
          thresholds: { orange: 0.05, red: 0.2 },
          empty: NO_DATA,
          runbook: 'PredictdOrdersRefused',
        },
      ],
    },
    {
      title: 'What is late?',
      panels: [
        {
          title: 'Is anything late?',
          kind: 'stat',
          unit: 'none',
          description:
            'YES: a price feed is a minute old, a tenth of the books may not be traded on, the store falls behind, the event loop is held up, or a chain cannot be reached. A little: a figure of this row is orange or red for moments, or bridge, router or relayer do not answer.',
          queries: [
            ask(
              judged(
                '10 * (max(predictd_feed_age_seconds{feed!="inference"}) > bool 60) + (max(predictd_feed_age_seconds{feed!="inference"}) > bool 10) + 10 * (sum(predictd_books_trusted) < bool 0.9 * sum(predictd_books_watched)) + (sum(predictd_books_silent{over="30s"}) > bool 0) + 10 * (max(predictd_store_catch_ups_failed) > bool 0) + 10 * (sum(rate(predictd_event_loop_delay_seconds_bucket{le="0.25"}[2m])) < bool 0.5 * sum(rate(predictd_event_loop_delay_seconds_count[2m]))) + (histogram_quantile(0.99, sum by (le) (rate(predictd_event_loop_delay_seconds_bucket[5m]))) > bool 1) + (histogram_quantile(0.99, sum by (le) (rate(predictd_store_commit_seconds_bucket[5m]))) > bool 0.5) + 10 * (count(ALERTS{alertstate="firing",area="transfers",severity="critical"}) > bool 0 or vector(0)) + (count(ALERTS{alertstate="firing",area="transfers"}) > bool 0 or vector(0))',
              ),
              'late',
            ),
          ],
          thresholds: { orange: 1, red: 10 },
          words: answers('no', 'a little', 'YES'),
          empty: NO_DATA,
          runbook: 'PredictdFeedStale',
        },
        {
          title: 'Oldest feed',
          kind: 'stat',
          unit: 's',
          description: 'Age of the oldest price feed that ticks. Normal: under 3 s.',
          queries: [ask('max(predictd_feed_age_seconds{feed!="inference"})', 'old')],
          thresholds: { orange: 10, red: 60 },
          empty: NO_DATA,
          runbook: 'PredictdFeedStale',
        },
        {
          title: 'Books that may be traded on',
          kind: 'stat',
          unit: 'percentunit',
          description:
            'Share of the watched books that are trusted, by venue. Normal: all, but for seconds at a change of rounds.',
          queries: [
            ask(
              'sum by (venue) (predictd_books_trusted) / (sum by (venue) (predictd_books_watched) > 0)',
              '{{venue}}',
            ),
          ],
          thresholds: { orange: 0.99, red: 0.9, isLow: true },
          empty: NO_DATA,
          runbook: 'PredictdBooksUntrusted',
        },
        {
          title: 'Order answered, p99',
          kind: 'stat',
          unit: 's',
          description:
            'From the bytes of an order to the answer of its venue, in the last 5 minutes. Empty without an order.',
          queries: [
            ask(
              whileUp(
                'histogram_quantile(0.99, sum by (le) (rate(predictd_order_stage_seconds_bucket{stage="ack"}[5m])))',
              ),
              'p99',
            ),
          ],
          thresholds: { orange: 1, red: 2.5 },
          empty: 'no orders in 5 min',
          runbook: 'PredictdVenueDown',
        },
        {
          title: 'Commit, p99',
          kind: 'stat',
          unit: 's',
          description:
            'Until a change is safe on disk, in the last 5 minutes. Normal: below 20 ms on an own disk.',
          queries: [
            ask(
              whileUp(
                'histogram_quantile(0.99, sum by (le) (rate(predictd_store_commit_seconds_bucket[5m])))',
              ),
              'p99',
            ),
          ],
          thresholds: { orange: 0.5, red: 2 },
          empty: NO_DATA,
          runbook: 'PredictdStoreFallsBehind',
        },
        {
          title: 'Event loop, p99',
          kind: 'stat',
          unit: 's',
          description: 'The longest delay of each 2 s, p99 of the last 5 minutes. Normal: 50 ms.',
          queries: [
            ask(
              whileUp(
                'histogram_quantile(0.99, sum by (le) (rate(predictd_event_loop_delay_seconds_bucket[5m])))',
              ),
              'p99',
            ),
          ],
          thresholds: { orange: 0.5, red: 1 },
          empty: NO_DATA,
          runbook: 'PredictdEventLoopBlocked',
        },
      ],
    },
    {
      title: 'Since when?',
      panels: [
        {
          title: 'Firing since',
          kind: 'stat',
          unit: 's',
          description:
            'Age of the oldest alert that fires, the watchdog apart, and the time of day (UTC) at which it began.',
          queries: [
            ask(
              'time() - min(ALERTS_FOR_STATE{alertname!="PredictdWatchdog"} and ignoring(alertstate) ALERTS{alertstate="firing"})',
              'oldest alert',
            ),
            ask(`min(${firing('severity!="none"')})`, 'UTC', { unit: CLOCK }),
          ],
          thresholds: { orange: 0, red: 0.1 },
          empty: 'nothing fires',
          runbook: 'PredictdWatchdog',
        },
        {
          title: 'Alerts firing',
          kind: 'stat',
          unit: 'short',
          description: 'Alerts that fire now. Normal: none.',
          queries: [
            ask('count(ALERTS{alertstate="firing",severity="critical"}) or vector(0)', 'critical', {
              colour: 'red',
            }),
            ask('count(ALERTS{alertstate="firing",severity="warning"}) or vector(0)', 'warning', {
              colour: 'orange',
            }),
          ],
          thresholds: { orange: 1, red: 3 },
          words: [NONE],
          empty: NO_DATA,
          runbook: 'PredictdWatchdog',
        },
        {
          title: 'Up since',
          kind: 'stat',
          unit: 's',
          description: 'Age of the newest start. Orders in motion were asked about then.',
          queries: [
            ask('time() - max(predictd_start_time_seconds)', 'up for'),
            ask('1000 * max(predictd_start_time_seconds)', 'UTC', { unit: CLOCK }),
          ],
          thresholds: { orange: 300, red: 60, isLow: true },
          empty: NO_DATA,
          runbook: 'PredictdCrashLoop',
        },
        {
          title: 'What next?',
          kind: 'list',
          unit: CLOCK,
          description:
            'Since when each alert fires (UTC), the first step, and what it is about; critical ones first and in red. The runbook says the rest. Normal: nothing.',
          queries: [
            ask(
              `sort(max by (alertname, subject, step) (${subject(firing('severity="critical"'))}))`,
              '{{subject}}{{step}} · {{alertname}}',
              { colour: 'red' },
            ),
            ask(
              `sort(max by (alertname, subject, step) (${subject(firing('severity!~"critical|none"'))}))`,
              '{{subject}}{{step}} · {{alertname}}',
              { colour: 'orange' },
            ),
            ask(
              'vector(1000 * time()) unless on () max(predictd_start_time_seconds)',
              'No data: check that the service runs, and that Prometheus reaches it',
              { colour: 'red' },
            ),
          ],
          thresholds: { orange: 0, red: 600 },
          empty: 'nothing: no alert fires',
          runbook: 'PredictdWatchdog',
        },
        {
          title: 'Which alert fired when',
          kind: 'timeline',
          unit: 'none',
          description: 'Each alert while it fired, the watchdog apart. Normal: empty.',
          queries: [
            ask(
              'max by (alertname) (ALERTS{alertstate="firing",alertname!="PredictdWatchdog"})',
              '{{alertname}}',
            ),
          ],
          thresholds: { red: 1 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdWatchdog',
          width: 24,
          height: 5,
        },
        {
          title: 'Orders by state they came to',
          kind: 'lines',
          unit: 'opm',
          description: 'Changes of state a minute. Unknown and rejected are near 0.',
          queries: [
            ask('60 * sum by (state) (rate(predictd_orders_total[$__rate_interval]))', '{{state}}'),
          ],
          thresholds: { red: 600 },
          empty: NO_DATA,
          runbook: 'PredictdOrdersRefused',
          width: 12,
        },
        {
          title: 'Age of feeds',
          kind: 'lines',
          unit: 's',
          description: 'Seconds since the newest value of each feed that ticks.',
          queries: [
            ask('max by (feed) (predictd_feed_age_seconds{feed!="inference"})', '{{feed}}'),
          ],
          thresholds: { orange: 10, red: 60 },
          empty: NO_DATA,
          runbook: 'PredictdFeedStale',
          width: 12,
        },
      ],
    },
  ],
};
