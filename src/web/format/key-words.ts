/** Units that a key of the journal ends in. */
const UNIT_ENDING = /(?:AtMs|PerMille|Micros|Ticks|E8|Usd|Ms)$/;
/** What keys are called that say too little by themselves. */
const CALLED: Readonly<Record<string, string>> = {
  endsWithinHours: 'ends within',
  minutes: 'length',
  usdc: 'cost',
  held: 'side held, 0 for the first',
  direction: 'side, 0 for the first',
  outcome: 'side, 0 for the first',
  exchange: 'exchange price',
  oracle: 'oracle price',
  exchangeAtStart: 'exchange price at the start',
  strike: 'price to beat',
};
/** Keys that say nothing to people beside what is in them. */
const LEFT_OUT: ReadonlySet<string> = new Set(['view', 'value', 'filters']);
const OUTCOMES = ['first', 'second'] as const;

/**
 * Writes where a number is in what was recorded, in plain words: `view books 0 value bids 2 price`
 * is "Book of the first outcome: bid 3: price".
 */
export function keyWords(path: readonly string[]): string {
  const parts: string[] = [];
  for (const key of path) {
    const last = parts.at(-1);
    if (LEFT_OUT.has(key) || (key === 'price' && last === CALLED['strike'])) continue;
    if (/^\d+$/.test(key) && last !== undefined)
      parts[parts.length - 1] =
        last === 'books'
          ? `book of the ${OUTCOMES[Number(key)] ?? 'other'} outcome`
          : `${last.replace(/s$/, '')} ${Number(key) + 1}`;
    else parts.push(key === 'atMs' && last === undefined ? 'decided at' : wordsOf(key));
  }
  const text = parts.join(': ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `receivedAtMs` is "received at": its unit is beside the figure. */
function wordsOf(key: string): string {
  const called = CALLED[key];
  if (called !== undefined) return called;
  const name = key.replace(UNIT_ENDING, (ending) => (ending === 'AtMs' ? 'At' : ''));
  return name
    .replaceAll('_', ' ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase();
}
