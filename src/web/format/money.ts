/** A true minus sign: as wide as a digit, and never taken for a hyphen. */
const MINUS = '\u2212';

/**
 * Writes decimal text as USD with two places, cut and never rounded up: what is shown is never more
 * than what is there. Amounts below a cent but not zero show four places. Null is "–": unknown,
 * never 0.
 */
export function usd(amount: string | null): string {
  if (amount === null) return '–';
  const { isNegative, whole, decimals } = partsOf(amount);
  const isTiny = whole === '0' && /^00(0?[1-9]|[1-9])/.test(decimals);
  const shown = decimals.padEnd(4, '0').slice(0, isTiny ? 4 : 2);
  const isZero = whole === '0' && /^0*$/.test(shown);
  return `${isNegative && !isZero ? MINUS : ''}$${grouped(whole)}.${shown}`;
}

/** Adds amounts of up to six decimals up, exactly; null where one is not known. */
export function sumOf(amounts: readonly (string | null)[]): string | null {
  let micros = 0n;
  for (const amount of amounts) {
    if (amount === null) return null;
    micros += microsOf(amount);
  }
  const digits = String(micros < 0n ? -micros : micros).padStart(7, '0');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/**
 * Says by how much a total as it is shown is above its parts as they are shown, since sums are made
 * before amounts are cut to the cent; null where they agree or one is not known.
 */
export function cutNote(total: string | null, parts: readonly (string | null)[]): string | null {
  const shown = sumOf(parts.map((part) => (part === null ? null : cut(part))));
  const all = sumOf(parts);
  if (total === null || shown === null || all === null || microsOf(all) !== microsOf(total))
    return null;
  const missing = (microsOf(cut(total)) - microsOf(shown)) / 10_000n;
  if (missing === 0n) return null;
  return `Amounts are added up before they are cut to the cent, so the total shows ${missing < 0n ? -missing : missing}¢ ${missing > 0n ? 'more' : 'less'} than its parts.`;
}

/**
 * Writes the price of a token in USD: as an amount from a cent on, below it with the first four
 * digits that are not zero, cut.
 */
export function tokenPrice(price: string | null): string {
  if (price === null) return '–';
  const { isNegative, whole, decimals } = partsOf(price);
  const zeros = /^0*/.exec(decimals)?.[0].length ?? 0;
  if (whole !== '0' || zeros < 2 || zeros === decimals.length) return usd(price);
  return `${isNegative ? MINUS : ''}$0.${decimals.slice(0, zeros + 4).replace(/0+$/, '')}`;
}

/** Writes a result with its sign, so that colour is never alone: `+$1.20`, `−$0.40`, `$0.00`. */
export function signedUsd(amount: string | null): string {
  const text = usd(amount);
  return amount === null || text.startsWith(MINUS) || /^\$[0.,]*$/.test(text) ? text : `+${text}`;
}

/** Which way a result went; zero and unknown go none. */
export function directionOf(amount: string | null): 'up' | 'down' | 'flat' {
  const value = Number(amount ?? 0);
  return value > 0 ? 'up' : value < 0 ? 'down' : 'flat';
}

/**
 * Writes shares: two places below 100, none above; cut. What is less than a hundredth of one is
 * written out, for `0.00` would say that nothing is held.
 */
export function shares(amount: string | null): string {
  if (amount === null) return '–';
  const { isNegative, whole, decimals } = partsOf(amount);
  const isRest = whole === '0' && /^00\d*[1-9]/.test(decimals);
  const text = isRest
    ? `0.${decimals.replace(/0+$/, '')}`
    : Number(whole) >= 100
      ? grouped(whole)
      : `${whole}.${decimals.padEnd(2, '0').slice(0, 2)}`;
  return `${isNegative ? MINUS : ''}${text}`;
}

/** Writes an amount of a token: six significant places at most, cut. */
export function tokenAmount(amount: string | null): string {
  if (amount === null) return '–';
  const { isNegative, whole, decimals } = partsOf(amount);
  const kept = decimals.slice(0, Math.max(2, 6 - (whole === '0' ? 0 : whole.length)));
  const trimmed = kept.replace(/0+$/, '');
  return `${isNegative ? MINUS : ''}${grouped(whole)}${trimmed === '' ? '' : `.${trimmed}`}`;
}

/** Writes a part from 0 to 1 as percent: `63 %`, with one place below 10 and above 90. */
export function percent(part: string | null): string {
  if (part === null) return '–';
  const value = Number(part) * 100;
  return `${value < 10 || value > 90 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)} %`;
}

/** Writes a price of a share in cents with up to two places: `63¢`, `96.5¢`. */
export function cents(price: string | null): string {
  if (price === null) return '–';
  const ticks = Math.round(Number(price) * 10_000);
  return `${(ticks / 100).toString()}¢`;
}

/**
 * Writes a chance from the best bid and ask: the middle while they are at most 5 cents apart, both
 * ends otherwise, since nothing trades at the middle of a wide book.
 */
export function chance(bid: string | null, ask: string | null): string {
  if (bid === null && ask === null) return '–';
  const low = Number(bid ?? 0) * 100;
  const high = Number(ask ?? 1) * 100;
  if (high - low > 5) return `${Math.round(low)}–${Math.round(high)} %`;
  return `${Math.round((low + high) / 2)} %`;
}

/** An amount as it is shown: without what is below a cent. */
function cut(amount: string): string {
  const { isNegative, whole, decimals } = partsOf(amount);
  return `${isNegative ? '-' : ''}${whole}.${decimals.slice(0, 2).padEnd(2, '0')}`;
}

function microsOf(amount: string): bigint {
  const { isNegative, whole, decimals } = partsOf(amount);
  const micros = BigInt(whole) * 1_000_000n + BigInt(decimals.slice(0, 6).padEnd(6, '0'));
  return isNegative ? -micros : micros;
}

function partsOf(amount: string): {
  readonly isNegative: boolean;
  readonly whole: string;
  readonly decimals: string;
} {
  const [whole = '0', decimals = ''] = amount.replace(/^[-+]/, '').split('.');
  return { isNegative: amount.startsWith('-'), whole: whole === '' ? '0' : whole, decimals };
}

function grouped(whole: string): string {
  return whole.replace(/\B(?=(\d{3})+$)/g, ',');
}
