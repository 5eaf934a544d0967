import { AGENT_PROFILES } from '../../../domain/agent.ts';
import type { AssessmentGap } from '../../../domain/farming/assessment.ts';
import { AGENT_IDS } from '../../../domain/ids.ts';
import type { MetricSpec } from '../metric-spec.ts';
import { counterOf, gauge, membersOf } from '../metric-spec.ts';

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
  decisions_total: counterOf(
    { agent: AGENT_IDS, verdict: ['enter', 'skip', 'exit', 'hold'] },
    'Decisions agents made, by agent and verdict (enter, skip, exit, hold).',
  ),
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
