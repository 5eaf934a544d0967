import type { FarmListing } from './listing.ts';
import { readableText } from './readable-text.ts';

/** What a market is about, as far as farming cares. */
export type FarmCategory = 'crypto_price' | 'sports' | 'other';

/** A category and what showed it. */
export interface CategoryVerdict {
  readonly category: FarmCategory;
  /** The tag, fact or word, for the receipt; empty for `other`. */
  readonly because: string;
}

/** Tags and series under which the venue files games and tournaments; esports are sports to it. */
const SPORTS_TAGS: ReadonlySet<string> = new Set([
  'sports',
  'esports',
  'games',
  'soccer',
  'football',
  'basketball',
  'baseball',
  'hockey',
  'tennis',
  'golf',
  'cricket',
  'rugby',
  'mma',
  'ufc',
  'boxing',
  'wrestling',
  'cycling',
  'olympics',
  'formula1',
  'f1',
  'nascar',
  'nba',
  'wnba',
  'nfl',
  'nhl',
  'mlb',
  'mls',
  'ncaa',
  'cbb',
  'cfb',
  'epl',
  'ucl',
  'fifa-world-cup',
  'league-of-legends',
  'counter-strike',
  'dota-2',
  'valorant',
]);
/** Tags and series of prices of crypto assets. */
const CRYPTO_PRICE_TAGS: ReadonlySet<string> = new Set([
  'crypto-prices',
  'up-or-down',
  'hit-price',
  'multi-strikes',
  'token-sales-fdv',
]);
/** The venue's own kinds of fee say what a market is (venue_a.md section 5.3). */
const CRYPTO_FEE = /^crypto_/;
const SPORTS_FEE = /^sports_/;

const words = (...list: readonly string[]): RegExp =>
  new RegExp(`(?:^|[ .$])(${list.join('|')})(?=$|[ .])`);

/** Leagues, cups and bodies: one of them anywhere in the text means sports. */
const SPORTS_NAMES = words(
  'nba',
  'wnba',
  'nfl',
  'nhl',
  'mlb',
  'mls',
  'ncaa',
  'fifa',
  'uefa',
  'ufc',
  'mma',
  'nascar',
  'pga',
  'atp',
  'wta',
  'ipl',
  'efl',
  'lck',
  'lpl',
  'lec',
  'nlc',
  'f1',
  'formula 1',
  'formula one',
  'constructors champion',
  'grand prix',
  'motogp',
  'stanley cup',
  'super bowl',
  'world series',
  'march madness',
  'champions league',
  'europa league',
  'conference league',
  'premier league',
  'la liga',
  'bundesliga',
  'serie a',
  'serie b',
  'ligue 1',
  'ligue 2',
  'super lig',
  'eredivisie',
  'primeira liga',
  'world cup',
  'copa america',
  'ballon d or',
  'golden boot',
  'grand slam',
  'wimbledon',
  'roland garros',
  'french open',
  'australian open',
  'us open',
  'masters tournament',
  'ryder cup',
  'olympics',
  'olympic games',
  'pro football',
  'pro baseball',
  'pro basketball',
  'pro hockey',
  'college football',
  'college basketball',
  'esports',
  'e sports',
  'league of legends',
  'lol',
  'counter strike',
  'cs2',
  'dota 2',
  'valorant',
  'first stand',
  'tour de france',
  'heisman',
  'cy young',
  'quadruple double',
  'triple double',
  'clean sheets?',
  'calendar grand slam',
);
/** A turn of speech may run over half a title: the receipt shows its beginning. */
const BECAUSE_CHARS = 40;
/**
 * Turns of speech of seasons, games and transfers; only in questions and titles, where they mean
 * nothing else.
 */
const SPORTS_PHRASES =
  /(?:^| )(o u \d|spread .* \d|moneyline|vs\.? .* (?:o u|end in a draw|winner)|end in a draw|bo[135]\b|be relegated|top goal ?scorer|regular season games?|playoffs?|play for .* (?:next|in 20\d\d)|where will .* play (?:next|in 20\d\d)|players? (?:will )?be traded|be appointed as manager of|next .* manager|fight next|fight .* next|home runs?|touchdowns?|rebounds per game|coach of the year|sixth man|rookie of the year|win the .* (?:division|conference finals))(?= |$)/;
/** Assets whose price a market may be about. */
const CRYPTO_ASSETS = words(
  'bitcoin',
  'btc',
  'ethereum',
  'eth',
  'ether',
  'solana',
  'sol',
  'xrp',
  'ripple',
  'dogecoin',
  'doge',
  'bnb',
  'cardano',
  'hyperliquid',
  'hype',
  'litecoin',
  'chainlink',
  'zcash',
  'zec',
  'monero',
  'avalanche',
  'avax',
  'sui',
  'tron',
  'trx',
  'shib',
  'shiba inu',
  'pepe',
  'polkadot',
  'toncoin',
  'memecoins?',
  'altcoins?',
  'stablecoins?',
  'crypto',
  'cryptocurrenc(?:y|ies)',
  'tokens?',
);
/** Words of a price. */
const PRICE_WORDS = words(
  'price',
  'prices',
  'above',
  'below',
  'over',
  'under',
  'between',
  'less than',
  'greater than',
  'reach',
  'reaches',
  'hit',
  'hits',
  'dip',
  'dips',
  'crash',
  'flip',
  'flips',
  'flipped',
  'outperforms?',
  'best performance',
  'all time high',
  'all time low',
  'ath',
  'up or down',
  'market cap',
  'depeg',
  'trade at',
  '\\$\\d[\\d.]*[kmb]?',
);
/** Fully diluted value is the price of a token under another name. */
const FDV = words('fdv', 'fully diluted');

/**
 * Says whether a market is about the price of a crypto asset, about sports, or neither. The venue's
 * own filing decides first (fee kind, game facts, tags and series); where it says nothing, the
 * words of question, title and description do. Words can only exclude a market, so a text that lies
 * keeps itself out or changes nothing.
 */
export function categoryOf(listing: FarmListing): CategoryVerdict {
  return filed(listing) ?? spoken(listing) ?? { category: 'other', because: '' };
}

function filed({ categories, isGame, market }: FarmListing): CategoryVerdict | null {
  if (market.window !== null)
    return { category: 'crypto_price', because: 'recurring price window' };
  for (const name of categories) {
    if (CRYPTO_FEE.test(name) || CRYPTO_PRICE_TAGS.has(name))
      return { category: 'crypto_price', because: name };
    if (SPORTS_FEE.test(name) || SPORTS_TAGS.has(name))
      return { category: 'sports', because: name };
  }
  return isGame ? { category: 'sports', because: 'a game of the venue' } : null;
}

function spoken({
  market,
  eventTitle,
  description,
  categories,
}: FarmListing): CategoryVerdict | null {
  const head = readableText(`${market.question} . ${eventTitle} . ${categories.join(' . ')}`);
  const fdv = FDV.exec(head)?.[1];
  if (fdv !== undefined) return { category: 'crypto_price', because: fdv };
  const asset = CRYPTO_ASSETS.exec(head)?.[1];
  if (asset !== undefined && PRICE_WORDS.test(head))
    return { category: 'crypto_price', because: asset };
  const sport =
    SPORTS_NAMES.exec(head)?.[1] ??
    SPORTS_PHRASES.exec(head)?.[1] ??
    SPORTS_NAMES.exec(readableText(description))?.[1];
  return sport === undefined
    ? null
    : { category: 'sports', because: sport.slice(0, BECAUSE_CHARS) };
}
