import { ask, EMPTY_IS_GOOD, NO_DATA, UNUSED, type Board } from '../panel.ts';

const AGENT = 'agent=~"$agent"';

export const AGENTS: Board = {
  uid: 'predictd-agents',
  title: 'predictd: agents',
  description: 'What agents decide, what holds them back, and how near they are to their caps.',
  rows: [
    {
      title: 'Are they at work?',
      panels: [
        {
          title: 'Enabled',
          kind: 'lines',
          unit: 'short',
          description: 'Agents that are enabled, with real money and on paper.',
          queries: [
            ask(`sum by (agent, mode) (predictd_agent_enrolments{${AGENT}})`, '{{agent}} {{mode}}'),
          ],
          thresholds: { red: 100000 },
          empty: NO_DATA,
          runbook: 'PredictdAgentsHeldBack',
        },
        {
          title: 'Held back, by reason',
          kind: 'lines',
          unit: 'short',
          description: 'Enabled agents that do not decide because an input is missing.',
          queries: [
            ask(
              `sum by (agent, reason) (predictd_agent_enrolments_degraded{${AGENT}}) > 0`,
              '{{agent}} {{reason}}',
            ),
          ],
          thresholds: { orange: 1, red: 100 },
          empty: EMPTY_IS_GOOD,
          runbook: 'PredictdAgentsHeldBack',
        },
        {
          title: 'Users whose orders cannot be seen',
          kind: 'lines',
          unit: 'short',
          description: 'Their agents enter nothing until their channel is back. Normal: 0.',
          queries: [ask('sum by (reason) (predictd_stream_trouble_users)', '{{reason}}')],
          thresholds: { orange: 1, red: 10 },
          empty: NO_DATA,
          runbook: 'PredictdUsersUnseen',
        },
        {
          title: 'Decisions by verdict',
          kind: 'lines',
          unit: 'opm',
          description: 'Decisions a minute: enter, skip, exit, hold. Most are skip and hold.',
          queries: [
            ask(
              `60 * sum by (agent, verdict) (rate(predictd_decisions_total{${AGENT}}[$__rate_interval])) > 0`,
              '{{agent}} {{verdict}}',
            ),
          ],
          thresholds: { red: 6000 },
          empty: UNUSED,
          runbook: 'PredictdAgentsHeldBack',
        },
        {
          title: 'Why they do not enter',
          kind: 'lines',
          unit: 'opm',
          description:
            'First criterion that failed in decisions that skip. Which it is says what to check.',
          queries: [
            ask(
              `60 * sum by (agent, reason) (rate(predictd_decisions_total{verdict="skip",${AGENT}}[$__rate_interval])) > 0`,
              '{{agent}} {{reason}}',
            ),
          ],
          thresholds: { red: 6000 },
          empty: UNUSED,
          runbook: 'PredictdAgentsHeldBack',
        },
        {
          title: 'From tick to decision, p99',
          kind: 'lines',
          unit: 's',
          description:
            'From the moment an agent judges until its decision is made. Normal: milliseconds.',
          queries: [
            ask(
              `histogram_quantile(0.99, sum by (le, agent) (rate(predictd_decision_seconds_bucket{${AGENT}}[$__rate_interval])))`,
              '{{agent}}',
            ),
          ],
          thresholds: { orange: 0.25, red: 1 },
          empty: UNUSED,
          runbook: 'PredictdEventLoopBlocked',
        },
        {
          title: 'Breakers',
          kind: 'lines',
          unit: 'short',
          description: 'Breakers that hold entries back because trades fail to settle. Normal: 0.',
          queries: [ask('max by (scope) (predictd_settlement_breakers_open)', '{{scope}}')],
          thresholds: { red: 1 },
          empty: NO_DATA,
          runbook: 'PredictdSettlementBreakerOpen',
        },
        {
          title: 'Paid beyond paper, a share',
          kind: 'lines',
          unit: 'currencyUSD',
          description:
            'What a share cost for real beyond what the same order paid on paper, mean of 30 minutes.',
          queries: [
            ask(
              'sum(rate(predictd_paper_price_difference_usdc_sum[30m])) / sum(rate(predictd_paper_price_difference_usdc_count[30m]))',
              'a share',
            ),
          ],
          thresholds: { orange: 0.01, red: 0.05 },
          empty: UNUSED,
          runbook: 'PredictdAgentsHeldBack',
        },
      ],
    },
    {
      title: 'How near to their caps?',
      panels: [
        {
          title: 'Caps over everything',
          kind: 'lines',
          unit: 'percentunit',
          description:
            'The user nearest to each cap over everything at risk. At 1 nothing more is bought.',
          queries: [ask('max by (cap) (predictd_cap_used_ratio{agent="all"})', '{{cap}}')],
          thresholds: { orange: 0.8, red: 1 },
          empty: NO_DATA,
          runbook: 'PredictdOrdersRefused',
        },
        {
          title: 'Caps of farming agents',
          kind: 'lines',
          unit: 'percentunit',
          description: 'The user nearest to each cap of their own agent.',
          queries: [
            ask(
              `max by (agent, cap) (predictd_cap_used_ratio{agent!="all",${AGENT}})`,
              '{{agent}} {{cap}}',
            ),
          ],
          thresholds: { orange: 0.8, red: 1 },
          empty: UNUSED,
          runbook: 'PredictdOrdersRefused',
        },
        {
          title: 'Realised, USDC an hour',
          kind: 'lines',
          unit: 'currencyUSD',
          description:
            'What positions realised in an hour, profits less losses, with real money and on paper.',
          queries: [
            ask(
              `sum by (agent, mode) (increase(predictd_agent_realised_usdc_total{sign="profit",${AGENT}}[1h])) - sum by (agent, mode) (increase(predictd_agent_realised_usdc_total{sign="loss",${AGENT}}[1h]))`,
              '{{agent}} {{mode}}',
            ),
          ],
          thresholds: { orange: -10, red: -100, isLow: true },
          empty: UNUSED,
          runbook: 'PredictdAgentsHeldBack',
        },
        {
          title: 'Fees, USDC an hour',
          kind: 'lines',
          unit: 'currencyUSD',
          description: 'Fees that trades of agents paid in an hour.',
          queries: [
            ask(
              `sum by (agent, mode) (increase(predictd_agent_fees_usdc_total{${AGENT}}[1h]))`,
              '{{agent}} {{mode}}',
            ),
          ],
          thresholds: { orange: 100, red: 1000 },
          empty: UNUSED,
          runbook: 'PredictdAgentsHeldBack',
        },
        {
          title: 'Open, USDC',
          kind: 'lines',
          unit: 'currencyUSD',
          description: 'What positions held by agents have cost, over all users.',
          queries: [
            ask(`sum by (agent, mode) (predictd_agent_open_usdc{${AGENT}})`, '{{agent}} {{mode}}'),
          ],
          thresholds: { red: 1000000 },
          empty: NO_DATA,
          runbook: 'PredictdOrdersRefused',
        },
        {
          title: 'Refused, by cap',
          kind: 'lines',
          unit: 'opm',
          description:
            'Orders a minute that a cap refused, by the cap; key for the limits of an API key.',
          queries: [
            ask(
              '60 * sum by (cap) (rate(predictd_cap_refusals_total[$__rate_interval]))',
              '{{cap}}',
            ),
          ],
          thresholds: { orange: 10, red: 100 },
          empty: NO_DATA,
          runbook: 'PredictdOrdersRefused',
        },
        {
          title: 'Refused by a cap',
          kind: 'lines',
          unit: 'opm',
          description: 'Orders a minute that a cap refused. A few mean that the caps work.',
          queries: [
            ask(
              '60 * sum by (venue) (rate(predictd_order_rejections_total{reason="cap_exceeded"}[$__rate_interval]))',
              '{{venue}}',
            ),
          ],
          thresholds: { orange: 10, red: 100 },
          empty: NO_DATA,
          runbook: 'PredictdOrdersRefused',
        },
      ],
    },
    {
      title: 'Farming',
      panels: [
        {
          title: 'Candidates',
          kind: 'lines',
          unit: 'short',
          description: 'Markets the newest scan kept.',
          queries: [ask(`max by (agent) (predictd_farm_candidates_open{${AGENT}})`, '{{agent}}')],
          thresholds: { red: 100000 },
          empty: UNUSED,
          runbook: 'PredictdAgentsHeldBack',
        },
        {
          title: 'Scans that failed, 1 h',
          kind: 'lines',
          unit: 'short',
          description: 'Scans for markets that failed. Single ones are made up for by the next.',
          queries: [
            ask(
              `sum by (agent) (increase(predictd_farm_scans_failed_total{${AGENT}}[1h]))`,
              '{{agent}}',
            ),
          ],
          thresholds: { orange: 2, red: 10 },
          empty: NO_DATA,
          runbook: 'PredictdVenueDown',
        },
        {
          title: 'Risk assessor',
          kind: 'lines',
          unit: 'opm',
          description: 'Questions a minute by outcome. Without a verdict nothing is bought.',
          queries: [
            ask(
              '60 * sum by (outcome) (rate(predictd_farm_assessments_total[$__rate_interval])) > 0',
              '{{outcome}}',
            ),
          ],
          thresholds: { red: 600 },
          empty: UNUSED,
          runbook: 'PredictdAssessorDown',
        },
      ],
    },
  ],
};
