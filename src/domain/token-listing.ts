import { knownTokenAt, KNOWN_SYMBOLS } from './known-tokens.ts';
import type { Web3ChainId } from './web3-chains.ts';

/**
 * A token as sources of token data tell of it by its deepest pool. Texts are theirs: data, never
 * authority.
 */
export interface TokenListing {
  readonly chain: Web3ChainId;
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number | null;
  /** Dollars for one whole token, plain digits; null where unknown, never zero. */
  readonly priceUsd: string | null;
  readonly change24hPercent: string | null;
  readonly volume24hUsd: string | null;
  readonly liquidityUsd: string | null;
  readonly marketCapUsd: string | null;
  readonly fdvUsd: string | null;
  readonly pairAddress: string | null;
  readonly pairCreatedAtMs: number | null;
}

/**
 * What speaks against a token: it goes by the ticker of another one; its deepest pool is shallow;
 * that pool is young; its name holds what names do not: addresses of pages, invisible letters,
 * whole sentences.
 */
export type TokenWarning = 'look_alike' | 'low_liquidity' | 'fresh' | 'odd_name';

/** A listing with what we think of it. */
export interface JudgedListing extends TokenListing {
  /** True for a token of our own list, by its address. */
  readonly isKnown: boolean;
  readonly warnings: readonly TokenWarning[];
}

/** Where warnings begin. */
export interface ListingBounds {
  readonly liquidityMinimumUsd: number;
  readonly freshMs: number;
  /**
   * A token of the same ticker with so many times less liquidity than the deepest is taken for its
   * imitation.
   */
  readonly imitationRatio: number;
  readonly nameMaximumChars: number;
  readonly symbolMaximumChars: number;
}

/**
 * Marks listings by what is known of all of them; texts come out cleaned of what no name holds and
 * cut to their bounds.
 */
export function judgeListings(
  listings: readonly TokenListing[],
  bounds: ListingBounds,
  nowMs: number,
): readonly JudgedListing[] {
  const deepest = new Map<string, TokenListing>();
  for (const listing of listings) {
    const ticker = tickerSkeleton(listing.symbol);
    const before = deepest.get(ticker);
    if (before === undefined || usd(listing.liquidityUsd) > usd(before.liquidityUsd))
      deepest.set(ticker, listing);
  }
  return listings.map((listing) => {
    const rival = deepest.get(tickerSkeleton(listing.symbol));
    const { isKnown, symbol, name, warnings } = judgeName(listing, bounds);
    const market: readonly (TokenWarning | false)[] = [
      !isKnown &&
        !warnings.includes('look_alike') &&
        isShadow(listing, rival, bounds) &&
        'look_alike',
      !isKnown && usd(listing.liquidityUsd) < bounds.liquidityMinimumUsd && 'low_liquidity',
      !isKnown &&
        (listing.pairCreatedAtMs === null || nowMs - listing.pairCreatedAtMs < bounds.freshMs) &&
        'fresh',
    ];
    return {
      ...listing,
      decimals: knownTokenAt(listing.chain, listing.address)?.decimals ?? listing.decimals,
      symbol,
      name,
      isKnown,
      warnings: [...warnings, ...market.filter((mark) => mark !== false)],
    };
  });
}

/** A token's texts as they may be shown, and what they alone say against it. */
export type JudgedName = Pick<JudgedListing, 'symbol' | 'name' | 'isKnown' | 'warnings'>;

/** Judges a token by its address and its texts, where nothing is known of its market. */
export function judgeName(
  token: Pick<TokenListing, 'chain' | 'address' | 'symbol' | 'name'>,
  { symbolMaximumChars, nameMaximumChars }: ListingBounds,
): JudgedName {
  const isKnown = knownTokenAt(token.chain, token.address) !== null;
  const symbol = cleaned(token.symbol, symbolMaximumChars);
  const name = cleaned(token.name, nameMaximumChars);
  const isConfusable = !isKnown && KNOWN_SKELETONS.has(tickerSkeleton(token.symbol));
  const isOdd =
    symbol !== token.symbol || name !== token.name || LINK.test(token.name) || LINK.test(symbol);
  return {
    symbol,
    name,
    isKnown,
    warnings: [
      ...(isConfusable ? ['look_alike' as const] : []),
      ...(isOdd ? ['odd_name' as const] : []),
    ],
  };
}

function isShadow(
  listing: TokenListing,
  rival: TokenListing | undefined,
  { imitationRatio }: ListingBounds,
): boolean {
  return (
    rival !== undefined &&
    (rival.address !== listing.address || rival.chain !== listing.chain) &&
    usd(listing.liquidityUsd) * imitationRatio < usd(rival.liquidityUsd)
  );
}

/** Page addresses, and the addresses money is sent to. */
const LINK = /https?:|www\.|\.(com|org|net|io|xyz|app|finance)\b|0x[0-9a-f]{8}/i;

/** Removes control, format and private characters and joined blanks, and cuts what is too long. */
function cleaned(text: string, maximumChars: number): string {
  const plain = text.replace(/\p{C}/gu, '').replace(/\s+/g, ' ').trim();
  const letters = [...plain];
  return letters.length <= maximumChars ? plain : `${letters.slice(0, maximumChars - 1).join('')}…`;
}

/**
 * Returns a ticker as the eye reads it: letters of other alphabets that resemble Latin ones are
 * those.
 */
export function tickerSkeleton(symbol: string): string {
  return [...symbol.normalize('NFKC').toUpperCase()]
    .map((letter) => HOMOGLYPHS[letter] ?? letter)
    .join('')
    .replace(/[^A-Z0-9]/g, '');
}

/**
 * Capital letters of the Cyrillic and Greek alphabets that are drawn as Latin ones (Unicode
 * confusables, the single-letter rows).
 */
const HOMOGLYPHS: Readonly<Record<string, string>> = Object.fromEntries([
  ...[...'АВЕЅІЈКМНОРСТХУԚԜ'].map((letter, at) => [letter, 'ABESIJKMHOPCTXYQW'[at] ?? ''] as const),
  ...[...'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ'].map((letter, at) => [letter, 'ABEZHIKMNOPTYX'[at] ?? ''] as const),
  ['$', 'S'] as const,
]);

const KNOWN_SKELETONS: ReadonlySet<string> = new Set(KNOWN_SYMBOLS.map(tickerSkeleton));

/** A figure as a number, for comparing alone: 0 where it is unknown. */
export function usd(text: string | null): number {
  return Number(text);
}
