import { ASSESSOR } from '../../../config/limits/farming.ts';
import type { Assessment } from '../../domain/farming/assessment.ts';
import { plainText } from '../../domain/plain-text.ts';
import { formatDecimal } from '../../domain/units.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { RiskAssessor, RiskQuestion } from '../../ports/risk-assessor.ts';
import type { Key } from '../../ports/store.ts';
import type { FarmCandidate } from './candidates.ts';
import { ASSESSMENT_AGES, ASSESSMENTS } from './tables.ts';

/** Risk assessments of markets: one a market for all users, kept durably for ASSESSOR.keptMs. */
export interface Assessments {
  /** Never rejects. What is known is given at once; who cannot be asked leaves a gap. */
  of(candidate: FarmCandidate): Promise<Assessment>;
}

/**
 * Makes the assessments. A question is asked once however many want it, at most ASSESSOR.atOnce at
 * a time; after ASSESSOR.failuresMaximum failures in a row the assessor rests for ASSESSOR.restMs,
 * and then one question tries.
 */
export function createAssessments({
  assessor,
  store,
  clock,
  log,
  metrics,
}: Pick<Runtime, 'store' | 'clock' | 'log' | 'metrics'> & {
  readonly assessor: RiskAssessor | null;
}): Assessments {
  const asked = new Map<string, Promise<Assessment>>();
  const turns = createPacedQueue();
  let failures = 0;
  let restsUntilMs = Number.NEGATIVE_INFINITY;

  async function ask(candidate: FarmCandidate, judge: RiskAssessor): Promise<Assessment> {
    const release = await turns.take();
    if (release === null) return gap('resting');
    try {
      if (failures >= ASSESSOR.failuresMaximum) {
        if (clock.nowMs() < restsUntilMs) return gap('resting');
        // One question tries; the others go on without until it has been answered.
        restsUntilMs = clock.nowMs() + ASSESSOR.restMs;
      }
      const assessment = await judge.assess(questionOf(candidate));
      settle(assessment);
      if (assessment.kind !== 'none') await keep(candidate, assessment);
      return assessment;
    } finally {
      release();
    }
  }

  function settle(assessment: Assessment): void {
    metrics.count('farm_assessments_total', {
      outcome: assessment.kind === 'none' ? assessment.gap : assessment.kind,
    });
    // A feed that has no assessor answers so: that is no failure.
    if (assessment.kind !== 'none' || assessment.gap === 'missing') {
      failures = 0;
      return;
    }
    failures += 1;
    if (failures < ASSESSOR.failuresMaximum) return;
    restsUntilMs = clock.nowMs() + ASSESSOR.restMs;
    log.info({ failures, gap: assessment.gap, restMs: ASSESSOR.restMs }, 'assessor.rests');
  }

  async function keep(
    candidate: FarmCandidate,
    { kind, reason }: Exclude<Assessment, { kind: 'none' }>,
  ): Promise<void> {
    const nowMs = clock.nowMs();
    const key = keyOf(candidate);
    await store.write((tx) => {
      for (const old of tx.range(ASSESSMENT_AGES, { limit: ASSESSOR.prunedPerVerdict })) {
        const [atMs, ...name] = old.key;
        if (Number(atMs) + ASSESSOR.keptMs > nowMs) break;
        tx.remove(ASSESSMENT_AGES, old.key);
        if (tx.get(ASSESSMENTS, name)?.value.atMs === atMs) tx.remove(ASSESSMENTS, name);
      }
      tx.put(ASSESSMENTS, key, { verdict: kind, reason, atMs: nowMs });
      tx.put(ASSESSMENT_AGES, [nowMs, ...key], { marketId: candidate.listing.market.marketId });
    });
  }

  return {
    async of(candidate) {
      if (assessor === null) return gap('missing');
      const kept = store.get(ASSESSMENTS, keyOf(candidate))?.value;
      if (kept !== undefined && kept.atMs + ASSESSOR.keptMs > clock.nowMs())
        return { kind: kept.verdict, reason: kept.reason };
      const name = keyOf(candidate).join(' ');
      const running = asked.get(name);
      if (running !== undefined) return running;
      const answer = ask(candidate, assessor)
        .catch((error: unknown) => {
          log.error({ marketId: candidate.listing.market.marketId, error }, 'assessor.failed');
          return gap('unreachable');
        })
        .finally(() => asked.delete(name));
      asked.set(name, answer);
      return answer;
    },
  };
}

function gap(why: Extract<Assessment, { kind: 'none' }>['gap']): Assessment {
  return { kind: 'none', gap: why };
}

function keyOf({ listing: { market }, outcome }: FarmCandidate): Key {
  return [market.marketId, String(outcome)];
}

/** The question about a market: its texts without what cannot be seen, cut to size. */
export function questionOf({ listing, outcome }: FarmCandidate): RiskQuestion {
  const { market, listedTicks, description } = listing;
  return {
    question: plainText(market.question, ASSESSOR.questionChars),
    description: plainText(description, ASSESSOR.descriptionChars),
    outcome: plainText(market.outcomes[outcome].label, ASSESSOR.questionChars),
    probabilityPercent: formatDecimal(listedTicks?.[outcome] ?? 0, 2),
    endsAtMs: market.endsAtMs,
  };
}

/** Turns for ASSESSOR.atOnce at a time; null where too many wait already. */
function createPacedQueue(): { take(): Promise<(() => void) | null> } {
  const waiting: (() => void)[] = [];
  let busy = 0;
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) busy -= 1;
    else next();
  };
  return {
    take() {
      if (busy < ASSESSOR.atOnce) {
        busy += 1;
        return Promise.resolve(release);
      }
      if (waiting.length >= ASSESSOR.waitingMaximum) return Promise.resolve(null);
      return new Promise((resolve) => waiting.push(() => resolve(release)));
    },
  };
}
