/** Why there is no verdict on a market's risk. */
export type AssessmentGap = 'missing' | 'late' | 'refused' | 'nonsense' | 'unreachable' | 'resting';

/**
 * What is known of a market's risk. A verdict can only block: it names no market, side, size or
 * recipient.
 */
export type Assessment =
  | { readonly kind: 'allowed'; readonly reason: string }
  | { readonly kind: 'blocked'; readonly reason: string }
  | { readonly kind: 'none'; readonly gap: AssessmentGap };

/** What each gap means, for receipts. */
export const GAP_WORDS: Readonly<Record<AssessmentGap, string>> = {
  missing: 'no assessor is set up',
  late: 'the assessor did not answer in time',
  refused: 'the assessor refused to answer',
  nonsense: 'the assessor answered nonsense',
  unreachable: 'the assessor cannot be reached',
  resting: 'the assessor rests after failures',
};
