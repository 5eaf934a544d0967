/** Units that a key of the journal ends in, and how people write them; the longer ones first. */
const UNITS: readonly (readonly [ending: RegExp, words: string])[] = [
  [/AtMs$/, ' at, in ms'],
  [/PerMille$/, ', in thousandths'],
  [/Micros$/, ', in millionths'],
  [/Ticks$/, ', in hundredths of a cent'],
  [/E8$/, ', in hundred millionths of a dollar'],
  [/Usd$/, ', in USD'],
  [/Ms$/, ', in ms'],
];
/** Keys that say nothing to people beside what is in them. */
const LEFT_OUT: ReadonlySet<string> = new Set(['view', 'value']);
const OUTCOMES = ['first', 'second'] as const;

/**
 * Writes where a number is in what was recorded, in plain words: `view books 0 value bids 2 price`
 * is "Book of the first outcome: bid 3: price".
 */
export function keyWords(path: readonly string[]): string {
  const parts: string[] = [];
  for (const key of path) {
    const last = parts.at(-1);
    if (LEFT_OUT.has(key)) continue;
    if (/^\d+$/.test(key) && last !== undefined)
      parts[parts.length - 1] =
        last === 'books'
          ? `book of the ${OUTCOMES[Number(key)] ?? 'other'} outcome`
          : `${last.replace(/s$/, '')} ${Number(key) + 1}`;
    else parts.push(wordsOf(key));
  }
  const text = parts.join(': ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `exchangeAtStart` is "exchange at start", `receivedAtMs` "received at, in ms". */
function wordsOf(key: string): string {
  const unit = UNITS.find(([ending]) => ending.test(key));
  const name = unit === undefined ? key : key.replace(unit[0], '');
  const plain = name.replaceAll('_', ' ').replace(/([a-z\d])([A-Z])/g, '$1 $2');
  return `${plain.toLowerCase()}${unit?.[1] ?? ''}`.trim();
}
