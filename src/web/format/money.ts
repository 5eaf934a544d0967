/** A true minus sign: as wide as a digit, and never taken for a hyphen. */
const MINUS = '\u2212';

/**
 * The one rule for amounts: rounded to the nearest cent, halves away from zero, once: a total is
 * the exact sum of its parts and rounded as any amount, so that it is the same on every page.
 * Amounts below a cent but not zero show four places. Null is "–": unknown, never 0.
 */
export function usd(amount: string | null): string {
  if (amount === null) return '–';
  const isTiny = /^[-+]?0*\.00(0?[1-9]|[1-9])/.test(amount);
  const { isNegative, whole, decimals } = partsOf(rounded(amount, isTiny ? 4 : 2));
  const shown = isTiny ? decimals.replace(/00$/, '') : decimals;
  const isZero = whole === '0' && /^0*$/.test(shown);
  return `${isNegative && !isZero ? MINUS : ''}$${grouped(whole)}.${shown}`;
}

/**
 * Writes what can be spent at most, cut to the cent: it is typed back, and no user sends more than
 * there is.
 */
export function spendable(amount: string | null): string {
  return usd(amount === null ? null : cut(amount));
}

/** Writes the shares that can be sold at most, cut to two places for the same reason. */
export function sellable(amount: string | null): string {
  return shares(amount === null ? null : cut(amount));
}

/** Writes what a trade cost beside its price: dollars, or the shares the venue kept. */
export function feeOf({ usdc, kept }: { readonly usdc: string; readonly kept: string }): string {
  return Number(kept) === 0 ? usd(usdc) : `${shares(kept)} shares, ${usd(usdc)}`;
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
 * Writes the price of a token in USD: as an amount from a cent on, below it with the first four
 * digits that are not zero, rounded.
 */
export function tokenPrice(price: string | null): string {
  if (price === null) return '–';
  const { isNegative, whole, decimals } = partsOf(price);
  const zeros = /^0*/.exec(decimals)?.[0].length ?? 0;
  if (whole !== '0' || zeros < 2 || zeros === decimals.length) return usd(price);
  const shown = partsOf(rounded(price, zeros + 4)).decimals;
  return `${isNegative ? MINUS : ''}$0.${shown.replace(/0+$/, '')}`;
}

/**
 * Writes a value of a chart as decimal text that `usd` rounds: to the micro, which is exact where
 * it was computed from such text.
 */
export function decimalText(value: number): string {
  return value.toFixed(6);
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
 * Writes shares, rounded to two places; whole ones from 100 on without places. What is less than a
 * hundredth of one is written out, for `0.00` would say that nothing is held.
 */
export function shares(amount: string | null): string {
  if (amount === null) return '–';
  const exact = partsOf(amount);
  const sign = exact.isNegative ? MINUS : '';
  if (exact.whole === '0' && /^00\d*[1-9]/.test(exact.decimals))
    return `${sign}0.${exact.decimals.replace(/0+$/, '')}`;
  const { whole, decimals } = partsOf(rounded(amount, 2));
  const isLargeWhole = Number(whole) >= 100 && decimals === '00';
  return `${sign}${grouped(whole)}${isLargeWhole ? '' : `.${decimals}`}`;
}

/** Writes shares of a level of a book, where a column has many: whole ones without places. */
export function levelShares(amount: string | null): string {
  return shares(amount).replace(/\.00$/, '');
}

/**
 * Writes an amount of a token: six significant places at most. Cut, since it is typed back to be
 * sent, and a chain sends no more than there is.
 */
export function tokenAmount(amount: string | null): string {
  if (amount === null) return '–';
  const { isNegative, whole, decimals } = partsOf(amount);
  const kept = decimals.slice(0, Math.max(2, 6 - (whole === '0' ? 0 : whole.length)));
  const trimmed = kept.replace(/0+$/, '');
  return `${isNegative ? MINUS : ''}${grouped(whole)}${trimmed === '' ? '' : `.${trimmed}`}`;
}

/** Writes about how much of a chain's coin something takes: its first two digits. */
export function aboutCoin(amount: string): string {
  const value = Number(amount);
  if (value === 0) return '0';
  const places = Math.max(2, 1 - Math.floor(Math.log10(value)));
  return value.toFixed(places).replace(/\.?0+$/, '');
}

/** What the network took for a transaction, in its chain's coin and in dollars where known. */
export interface PaidGas {
  readonly amount: string;
  readonly symbol: string;
  readonly amountUsd: string | null;
}

/** Writes what the network took for a transaction, as `0.00021 ETH ($0.74)`. */
export function gasPaid({ amount, symbol, amountUsd }: PaidGas): string {
  const coins = `${aboutCoin(amount)} ${symbol}`;
  if (amountUsd === null) return coins;
  return `${coins} (${Number(amountUsd) < 0.01 ? 'less than $0.01' : usd(amountUsd)})`;
}

/** Writes a part from 0 to 1 as percent: `63 %`, with one place below 10 and above 90. */
export function percent(part: string | null): string {
  if (part === null) return '–';
  const value = Number(part) * 100;
  return `${value < 10 || value > 90 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)} %`;
}

/** Writes a change in percent with its sign: `+19.9 %`, `−0.7 %`; one place from 1 up, else two. */
export function changePercent(percent: string): string {
  const text = rounded(percent, Math.abs(Number(percent)) < 1 ? 2 : 1);
  if (Number(text) === 0) return '0 %';
  const size = text.replace(/^-/, '').replace(/\.?0+$/, '');
  return `${text.startsWith('-') ? MINUS : '+'}${size} %`;
}

/** Writes a price of a share in cents with up to two places: `63¢`, `96.5¢`. */
export function cents(price: string | null): string {
  if (price === null) return '–';
  const ticks = Math.round(Number(price) * 10_000);
  return `${ticks < 0 ? MINUS : ''}${(Math.abs(ticks) / 100).toString()}¢`;
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

/** Rounds decimal text to so many places, halves away from zero. */
function rounded(amount: string, places: number): string {
  const { isNegative, whole, decimals } = partsOf(amount);
  const padded = decimals.padEnd(places + 1, '0');
  const kept = BigInt(`${whole}${padded.slice(0, places)}`);
  const digits = String((padded[places] ?? '0') >= '5' ? kept + 1n : kept).padStart(
    places + 1,
    '0',
  );
  return `${isNegative ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** Cuts decimal text to two places; what would be nothing then stays as it is. */
function cut(amount: string): string {
  const kept = amount.replace(/(\.\d\d)\d+$/, '$1');
  return Number(kept) === 0 ? amount : kept;
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
