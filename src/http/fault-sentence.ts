import type { z } from 'zod';

/** Nouns of what the validator expects. */
const NOUNS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
  record: 'an object',
};

/** What a bound counts, by the kind of value it bounds. */
const COUNTED: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

type RawIssue = z.core.$ZodRawIssue;

/**
 * Returns the sentence a caller reads for a fault the schema found and has no sentence of its own
 * for: what the field must be, with bound and unit. The validator's own words stay inside. Give it
 * to `safeParse` as its `error`.
 */
export function faultSentence(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `is missing: ${nounOf(issue.expected)}`
        : `must be ${nounOf(issue.expected)}`;
    case 'invalid_value':
      return `${issue.input === undefined ? 'is missing: ' : 'must be '}${choiceOf(issue.values)}`;
    case 'too_small':
      return issue.origin === 'string' && Number(issue.minimum) === 1
        ? 'must not be empty'
        : `must be ${boundOf(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least')}`;
    case 'too_big':
      return `must be ${boundOf(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return 'has none of the forms this call takes';
    default:
      return 'has not the form it must have';
  }
}

function nounOf(expected: string): string {
  return NOUNS[expected] ?? 'of another kind';
}

function choiceOf(values: readonly unknown[]): string {
  const names = values.map(String);
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} or ${last}`;
}

function boundOf(
  { origin }: { readonly origin: string },
  bound: number | bigint,
  how: string,
): string {
  const counted = COUNTED[origin];
  if (counted === undefined) return `${how} ${bound}`;
  return `${how} ${bound} ${Number(bound) === 1 ? counted[0] : counted[1]}${origin === 'array' ? '' : ' long'}`;
}
