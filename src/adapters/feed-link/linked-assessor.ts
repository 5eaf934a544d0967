import { z } from 'zod';
import { isRetryable } from '../../domain/errors.ts';
import type { RiskAssessor } from '../../ports/risk-assessor.ts';
import type { FeedLink } from './feed-link.ts';

const verdict = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('allowed'), reason: z.string() }),
  z.strictObject({ kind: z.literal('blocked'), reason: z.string() }),
  z.strictObject({
    kind: z.literal('none'),
    gap: z.enum(['missing', 'late', 'refused', 'nonsense', 'unreachable', 'resting']),
  }),
]);

/** Has a feed ask the assessor it has; without an answer there is a gap, as without a verdict. */
export function linkedAssessor(link: FeedLink): RiskAssessor {
  return {
    async assess(question) {
      try {
        const answer = verdict.safeParse(await link.ask({ kind: 'assess', question }));
        return answer.success ? answer.data : { kind: 'none', gap: 'nonsense' };
      } catch (cause) {
        return { kind: 'none', gap: isRetryable(cause) ? 'unreachable' : 'missing' };
      }
    },
  };
}
