/** What rules of markets go on with, in words that fit every question. */
const PARAGRAPHS = [
  'This market resolves by what is officially announced. Should the announcement be corrected before the market is resolved, the corrected one counts; corrections made later are not taken into account.',
  'What counts is the state of things at the end of the last day, in the local time of the place in question. An event that begins before that moment and ends after it does not count unless the title says otherwise.',
  'If the event is postponed, the market stays open until the new date, but no longer than thirty days. If it is called off, or no new date is named within that time, the market resolves to "No".',
  'The primary source of resolution is information of the responsible authority. Where that is not available within two days, a consensus of credible reporting is used in its place.',
  'Partial, provisional or conditional results do not count as results. A statement of intention, a draft, a forecast or a leak is not an announcement, whoever makes it.',
  'Where a value lies exactly on a boundary named in the title, the upper range counts. Values are taken as published, without rounding, and in the unit in which the source publishes them first.',
  'Trading may be halted when the outcome has become known. Orders that rest in the book at that moment are cancelled; trades made before are kept, whatever was known to whom.',
  'Should the source cease to exist, change its method, or publish contradictory figures, the one that would have been used on the day the market was opened counts, as far as it can be found out.',
  'Questions about these rules are answered by the market team before the last day. An answer explains the rules and does not change them; where an answer and the rules differ, the rules count.',
] as const;
/**
 * How many of them a market has: rules recorded at the venues have 542 characters at the median,
 * and up to 1,876.
 */
const COUNTS = [1, 2, 2, 2, 2, 2, 3, 4, 9] as const;

/** Returns what follows the first rule of a market, a paragraph a line: the same for a name. */
export function furtherRules(name: string): string {
  const sum = [...name].reduce((all, letter) => all + (letter.codePointAt(0) ?? 0), 0);
  const count = COUNTS[sum % COUNTS.length] ?? 2;
  const from = count === PARAGRAPHS.length ? 0 : sum % (PARAGRAPHS.length - count + 1);
  return PARAGRAPHS.slice(from, from + count).join('\n');
}
