import { AGENT_MODES, AGENT_PROFILES } from '../../../domain/agent.ts';
import { DECISION_REASONS } from '../../../domain/decision-reason.ts';
import type { AssessmentGap } from '../../../domain/farming/assessment.ts';
import { AGENT_IDS } from '../../../domain/ids.ts';
import {
  counter,
  counterOf,
  gauge,
  histogram,
  membersOf,
  startingAt,
  type MetricSpec,
} from '../metric-spec.ts';

const VERDICTS = ['enter', 'skip', 'exit', 'hold'];
const GAPS = membersOf<AssessmentGap>({
  missing: true,
  late: true,
  refused: true,
  nonsense: true,
  unreachable: true,
  resting: true,
});

/** Agents: what they decide, what holds them back, how near they are to their caps. */
export const AGENT_METRICS = {
  decisions_total: {
    ...startingAt(
      AGENT_IDS.flatMap((agent) => [
        ...VERDICTS.map((verdict) => ({ agent, verdict, reason: 'none' })),
        ...DECISION_REASONS.slice(1).map((reason) => ({ agent, verdict: 'skip', reason })),
      ]),
      counter(
        'Decisions agents made, by verdict (enter, skip, exit, hold) and the first criterion that failed; none where none did.',
        ['agent', 'verdict', 'reason'],
      ),
    ),
    seriesMaximum: 512,
  },
  decision_seconds: histogram(
    'From the moment an agent judges, its newest tick, until its decision is made.',
    ['agent'],
  ),
  agent_realised_usdc_total: counterOf(
    { agent: AGENT_IDS, mode: AGENT_MODES, sign: ['profit', 'loss'] },
    'USDC that positions of agents realised, profits and losses apart, with real money and on paper.',
  ),
  agent_fees_usdc_total: counterOf(
    { agent: AGENT_IDS, mode: AGENT_MODES },
    'USDC of fees that trades of agents paid.',
  ),
  agent_open_usdc: gauge('USDC that positions held by agents have cost, over all users.', [
    'agent',
    'mode',
  ]),
  agent_enrolments: gauge('Agents that are enabled, by what they trade with.', ['agent', 'mode']),
  agent_enrolments_degraded: gauge(
    'Enabled agents that do not decide because an input of their markets is missing.',
    ['agent', 'reason'],
  ),
  cap_used_ratio: gauge(
    'Share of a cap that is used up by the user who is nearest to it; of agent all for the caps over everything a user has at risk.',
    ['agent', 'cap'],
  ),
  farm_candidates_open: gauge(
    'Markets that the newest scan of a farming agent kept as candidates.',
    ['agent'],
  ),
  farm_scans_failed_total: counterOf(
    { agent: AGENT_IDS.filter((id) => AGENT_PROFILES[id].kind === 'farming') },
    'Scans for markets to farm that failed.',
  ),
  farm_assessments_total: counterOf(
    { outcome: ['allowed', 'blocked', ...GAPS] },
    'Questions to the risk assessor, by what came of them: a verdict, or why there was none.',
  ),
  paper_price_difference_usdc: {
    kind: 'histogram',
    help: 'Paid a share for real beyond what the same order paid on paper; below zero when real was cheaper.',
    labels: [],
    buckets: [-0.1, -0.05, -0.02, -0.01, -0.005, 0, 0.005, 0.01, 0.02, 0.05, 0.1],
  },
} as const satisfies Readonly<Record<string, MetricSpec>>;
