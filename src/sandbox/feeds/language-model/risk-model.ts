/** What the sandbox's language model makes of a market. */
export interface RiskVerdict {
  readonly verdict: 'allow' | 'block';
  readonly reason: string;
}

/** What it objects to, by the words it finds; the first that fits is its reason. */
const OBJECTIONS: readonly (readonly [RegExp, string])[] = [
  [
    /ignore (all )?(previous|prior) instructions|you are now|\bsystem:|send all|0x[0-9a-f]{40}/im,
    'The text gives instructions instead of asking a question.',
  ],
  [
    /sole discretion|may change the rules|subjective/i,
    'Who decides the outcome may decide as he likes.',
  ],
  [/disputed|unclear rules/i, 'The rules are in dispute.'],
];

/**
 * Judges the text of a market as a careful reader would: by words, so that the same text always
 * gets the same verdict.
 */
export function judgeRisk(text: string): RiskVerdict {
  const objection = OBJECTIONS.find(([pattern]) => pattern.test(text));
  return objection === undefined
    ? { verdict: 'allow', reason: 'The outcome is decided by a public fact.' }
    : { verdict: 'block', reason: objection[1] };
}
