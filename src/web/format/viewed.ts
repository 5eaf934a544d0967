import { cents, directionOf, shares, signedUsd, usd } from './money.ts';

/** What an amount at a view-only venue is counted in. */
interface Currency {
  readonly symbol: string | null;
  readonly isDollar: boolean;
}

/** Writes an amount in its own currency: `$1.20`, `600 PTS`; `units` of a token without a name. */
export function amountIn(currency: Currency, amount: string): string {
  return currency.isDollar ? usd(amount) : `${shares(amount)} ${nameOf(currency)}`;
}

/** Writes a result in the same way, with its sign. */
export function resultIn(currency: Currency, amount: string): string {
  if (currency.isDollar) return signedUsd(amount);
  return `${directionOf(amount) === 'up' ? '+' : ''}${amountIn(currency, amount)}`;
}

/** Writes the price of a share: in cents, or in parts of another currency. */
export function priceIn(currency: Currency, price: string): string {
  return currency.isDollar ? cents(price) : shares(price);
}

/** Says an amount exactly, with its currency. */
export function exactIn(currency: Currency, amount: string): string {
  return `${amount} ${nameOf(currency)}`;
}

function nameOf({ symbol }: Currency): string {
  return symbol ?? 'units';
}
