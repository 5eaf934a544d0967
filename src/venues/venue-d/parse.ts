import type { z } from 'zod';
import { MARKET_WORDS } from '../../../config/limits/market-text.ts';
import { VENUE_D } from '../../../config/limits/venue-d.ts';
import { plainDecimal, scaledDecimal } from '../../domain/decimal-text.ts';
import { plainText } from '../../domain/plain-text.ts';
import type { ViewedPosition } from '../../domain/viewed-position.ts';
import { rowSchema } from './schema.ts';

/** A network of the venue and the tokens that markets there are counted in. */
export interface Network {
  readonly chainId: number;
  readonly name: string;
  readonly tokens: readonly {
    readonly symbol: string;
    readonly address: string;
    readonly isDollar: boolean;
  }[];
}

type Row = z.output<typeof rowSchema>;

/**
 * Reads a row; null for one that is not held any more or is dust, `unreadable` for one whose shape,
 * numbers or state make no sense.
 */
export function readRow(
  given: unknown,
  networks: readonly Network[],
): ViewedPosition | null | 'unreadable' {
  const { data: row } = rowSchema.safeParse(given);
  if (row === undefined) return 'unreadable';
  const held = stateOf(row);
  if (held === null) return null;
  const shareMicros = microsOf(row.shares);
  const entryMicros = microsOf(row.price);
  const valueMicros = microsOf(row.value);
  const profitMicros = microsOf(row.profit);
  if (shareMicros === null || entryMicros === null || valueMicros === null || profitMicros === null)
    return 'unreadable';
  if (shareMicros < 0n || entryMicros < 0n || valueMicros < 0n) return 'unreadable';
  // A share pays one at most, and what it cost is no less than nothing.
  if (valueMicros > shareMicros + ROUNDING_MICROS || profitMicros > valueMicros + ROUNDING_MICROS)
    return 'unreadable';
  if (shareMicros < DUST_MICROS) return null;
  const network = networks.find(({ chainId }) => chainId === row.networkId);
  return {
    ...held,
    marketId: `${row.networkId}:${row.marketId}`,
    outcomeId: String(row.outcomeId),
    network: { chainId: row.networkId, name: network?.name ?? null },
    mechanism: row.executionMode === 1 ? 'order_book' : 'amm',
    question: words(row.marketTitle) || words(row.marketSlug) || `market ${row.marketId}`,
    outcomeLabel: words(row.outcomeTitle) || `outcome ${row.outcomeId}`,
    shareMicros,
    entryMicros,
    priceMicros: nearest(fineOf(row.value) * ONE, fineOf(row.shares)),
    currency: currencyOf(row, network),
    costMicros: (fineOf(row.shares) * fineOf(row.price)) / 10n ** 30n,
    valueMicros,
    profitMicros,
    endsAtMs: momentOf(row.expiresAt),
  };
}

const ONE = 1_000_000n;
/** Some figures come rounded to the cent (section 5.1). */
const ROUNDING_MICROS = 10_000n;
const DUST_MICROS = scaledDecimal(VENUE_D.sharesMinimum, 6) ?? 0n;

/** The state of a row; null for what is redeemed or sold, which stays in the list (section 11). */
function stateOf(row: Row): Pick<ViewedPosition, 'state' | 'isClaimable'> | null {
  const isPaid =
    row.claimed === true || row.winningsClaimed === true || row.voidedWinningsClaimed === true;
  if (isPaid) return null;
  switch (row.status) {
    case 'ongoing':
      return { state: 'open', isClaimable: false };
    case 'won':
      return { state: 'won', isClaimable: row.winningsToClaim === true };
    case 'lost':
      return { state: 'lost', isClaimable: false };
    case 'voided':
      return { state: 'voided', isClaimable: row.voidedWinningsToClaim === true };
    case 'claimed':
    case 'sold':
      return null;
  }
}

/**
 * Millionths of a figure, cut off below; null for what is no number. The venue writes doubles in
 * the digits they take, and those come back whole.
 */
function microsOf(figure: string | number): bigint | null {
  const plain = plainDecimal(figure, 6);
  if (plain === null) return null;
  const micros = scaledDecimal(plain.replace('-', ''), 6);
  return micros === null || !plain.startsWith('-') ? micros : -micros;
}

/** A figure of zero or more by all its digits: what is multiplied or divided is cut only then. */
function fineOf(figure: string | number): bigint {
  return scaledDecimal(String(figure), 18) ?? 0n;
}

/** Divides and rounds to the nearest: a double of 0.48 is as likely to be below it as above. */
function nearest(amount: bigint, by: bigint): bigint {
  return (amount * 2n + by) / (by * 2n);
}

function currencyOf({ token }: Row, network: Network | undefined): ViewedPosition['currency'] {
  const known = network?.tokens.find(
    ({ address }) => address.toLowerCase() === token.toLowerCase(),
  );
  return { symbol: known?.symbol ?? null, token, isDollar: known?.isDollar ?? false };
}

function words(text: string | null | undefined): string {
  return plainText(text ?? '', MARKET_WORDS.wordsMaximumChars);
}

/** A moment of UTC, with its zone or without (section 3); null for any other text. */
function momentOf(text: string | null | undefined): number | null {
  const found = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?Z?$/.exec(text ?? '');
  const atMs = found === null ? Number.NaN : Date.parse(`${found[1]}T${found[2]}Z`);
  return Number.isNaN(atMs) ? null : atMs;
}
