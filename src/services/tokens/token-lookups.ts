import { TOKEN_LOOKUPS } from '../../../config/limits/lookups.ts';
import { TOKEN_LISTS, TOKEN_WARNINGS } from '../../../config/limits/tokens.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import {
  coinOrKnownToken,
  isCoinTicker,
  knownTokenAt,
  knownTokens,
  WRAPPED_COINS,
} from '../../domain/known-tokens.ts';
import {
  judgeListings,
  judgeName,
  usd,
  type JudgedListing,
  type JudgedName,
  type TokenListing,
} from '../../domain/token-listing.ts';
import { web3Chain, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RoutedToken, RouterTokens } from '../../ports/router.ts';
import type { TokenData, TokenDetails } from '../../ports/token-data.ts';
import { createLookups } from '../lookups.ts';
import { deepestOfEach } from './token-lists.ts';
import { within } from './within.ts';

/** What is known of one token. */
export interface TokenInfo {
  readonly token: JudgedListing;
  /** Pools it is the first token of, deepest first. */
  readonly pools: readonly JudgedListing[];
  /** Null where none are given, or the source did not answer: then `isPartial`. */
  readonly details: TokenDetails | null;
  readonly isPartial: boolean;
  readonly readAtMs: number;
}

/** A token of the router with what its texts say against it. */
export type RoutedListing = Omit<RoutedToken, 'symbol' | 'name'> &
  JudgedName & {
    /** False for a token its owner launched that the router does not list. */
    readonly isRouted: boolean;
  };

/** A token that a user launched here, which they find before any list has it. */
export type LaunchedToken = Pick<TokenListing, 'address' | 'symbol' | 'name'> & {
  readonly decimals: number;
};

/** Answers with the time they were read at. */
interface ReadAt<T> {
  readonly found: T;
  readonly readAtMs: number;
}

/** Tokens that users name. */
export interface TokenLookups {
  /**
   * Tokens whose name, ticker or address holds a text: known ones first, then the deepest. Errors:
   * `token_data_unavailable`, `rate_limited`, `overloaded`.
   */
  search(
    userId: UserId,
    query: { readonly text: string; readonly chains: readonly Web3ChainId[] },
  ): Promise<ReadAt<readonly JudgedListing[]>>;
  /** One token by address, or by a listed ticker. Errors: `not_found`, and those of a search. */
  info(
    userId: UserId,
    query: { readonly chain: Web3ChainId; readonly token: string },
  ): Promise<TokenInfo>;
  /**
   * One token as the router knows it. Errors: `not_found`, `router_unavailable`, `rate_limited`,
   * `overloaded`.
   */
  routed(
    userId: UserId,
    query: { readonly chain: Web3ChainId; readonly token: string },
  ): Promise<ReadAt<RoutedListing>>;
  /**
   * Tokens the router routes, most traded first. Errors: `router_unavailable`, `rate_limited`,
   * `overloaded`.
   */
  browseRouted(
    userId: UserId,
    query: { readonly chains: readonly Web3ChainId[]; readonly text: string },
  ): Promise<ReadAt<readonly RoutedListing[]>>;
}

/**
 * Makes the lookups; each user has a bounded share of them, and an answer is shared for a while.
 */
export function createTokenLookups({
  data,
  router,
  launchedBy,
  clock,
}: {
  readonly data: Pick<TokenData, 'search' | 'poolsOf' | 'details'>;
  readonly router: RouterTokens;
  /** Tokens a user has launched, all on Solana. */
  readonly launchedBy: (userId: UserId) => readonly LaunchedToken[];
  readonly clock: Clock;
}): TokenLookups {
  const lookups = createLookups(clock, TOKEN_LOOKUPS);
  const stamped = async <T>(found: Promise<T>): Promise<ReadAt<T>> => ({
    found: await found,
    readAtMs: clock.nowMs(),
  });

  /**
   * A source that tells no decimals is filled up by the router's list, in one question; what that
   * does not know, or does not tell in time, stays unknown.
   */
  async function withDecimals(
    rows: readonly TokenListing[],
    ask: () => Promise<readonly RoutedToken[]>,
  ): Promise<readonly TokenListing[]> {
    const isWanted = ({ chain, address, decimals }: TokenListing): boolean =>
      decimals === null && knownTokenAt(chain, address) === null;
    if (!rows.some(isWanted)) return rows;
    const asked = ask().catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      return [];
    });
    const stated = new Map(
      ((await within(asked, clock, TOKEN_LISTS.coldWaitMs)) ?? []).map(
        ({ chain, address, decimals }) => [`${chain} ${address}`, decimals],
      ),
    );
    return rows.map((row) => ({
      ...row,
      decimals: row.decimals ?? stated.get(`${row.chain} ${row.address}`) ?? null,
    }));
  }

  return {
    async search(userId, { text, chains }) {
      const { found, readAtMs } = await lookups.ask(
        { userId, name: `search ${text.toLowerCase()}` },
        () =>
          stamped(
            data.search(text).then((rows) =>
              withDecimals(rows, () => {
                const named = [...new Set(rows.map((row) => row.chain))];
                const search = { chains: named, search: text, limit: TOKEN_LISTS.routedMaximum };
                return router.tokens(search);
              }),
            ),
          ),
      );
      const own = launchedBy(userId)
        .filter((token) => holds(token, text) && !found.some(isAt(token)))
        .map(listingOf);
      const all = [...deepestOfEach(found), ...own];
      const judged = judgeListings(all, TOKEN_WARNINGS, clock.nowMs());
      return { readAtMs, found: bestFirst(judged.filter(({ chain }) => chains.includes(chain))) };
    },
    async info(userId, { chain, token }) {
      const address = addressOf(chain, token);
      const { found, readAtMs } = await lookups.ask(
        { userId, name: `pools ${chain} ${address}` },
        () =>
          stamped(
            data.poolsOf(chain, address).then((rows) =>
              withDecimals(rows, async () => {
                const routed = await router.token(chain, address);
                return routed === null ? [] : [routed];
              }),
            ),
          ),
      );
      const pools = judgeListings(found, TOKEN_WARNINGS, clock.nowMs());
      const [deepest] = pools;
      const own = launchedBy(userId).find((launched) => isAt(launched)({ chain, address }));
      if (deepest === undefined && own !== undefined) {
        const [listed] = judgeListings([listingOf(own)], TOKEN_WARNINGS, clock.nowMs());
        if (listed !== undefined)
          return { token: listed, pools: [], details: null, isPartial: true, readAtMs };
      }
      if (deepest === undefined)
        throw new AppError('not_found', `no pool of ${token} is known on ${chain}`);
      const asked = lookups
        .ask(
          { userId, name: `details ${chain} ${address}`, keptMs: TOKEN_LISTS.detailsKeptMs },
          async () => ({ known: await data.details(chain, address) }),
        )
        .catch((error: unknown) => {
          if (!(error instanceof AppError)) throw error;
          return null;
        });
      const details = await within(asked, clock, TOKEN_LISTS.coldWaitMs);
      return {
        token: deepest,
        pools,
        details: details?.known ?? null,
        isPartial: details === null,
        readAtMs,
      };
    },
    async routed(userId, { chain, token }) {
      const facts = web3Chain(chain);
      const isCoin = isCoinTicker(chain, token);
      const asked = isCoin ? (chain === 'POLYGON' ? 'POL' : facts.native.symbol) : token;
      const known = knownTokens(chain).find(({ symbol }) => sameTicker(symbol, asked));
      const { found, readAtMs } = await lookups.ask(
        { userId, name: `routed ${chain} ${asked}`, keptMs: TOKEN_LISTS.routedKeptMs },
        () => stamped(router.token(chain, known?.address ?? asked)),
      );
      const own = launchedBy(userId).find((launched) => isAt(launched)({ chain, address: asked }));
      if (found === null && own !== undefined) return { found: routeOf(own), readAtMs };
      if (found === null)
        throw new AppError('not_found', `the router knows no ${token} on ${chain}`);
      return { found: judgedRoute(found), readAtMs };
    },
    async browseRouted(userId, { chains, text }) {
      const { found, readAtMs } = await lookups.ask(
        {
          userId,
          name: `routes ${chains.join()} ${text.toLowerCase()}`,
          keptMs: TOKEN_LISTS.routedKeptMs,
        },
        () => stamped(router.tokens({ chains, search: text, limit: TOKEN_LISTS.routedMaximum })),
      );
      const own = chains.includes('SOLANA')
        ? launchedBy(userId).filter((token) => holds(token, text) && !found.some(isAt(token)))
        : [];
      return { found: [...own.map(routeOf), ...found.map(judgedRoute)], readAtMs };
    },
  };
}

/** Reports whether a text is in a launched token's ticker, name or address. */
function holds({ symbol, name, address }: LaunchedToken, text: string): boolean {
  const wanted = text.toLowerCase();
  return address === text || [symbol, name].some((words) => words.toLowerCase().includes(wanted));
}

function isAt({ address }: LaunchedToken) {
  return (place: Pick<RoutedToken, 'chain' | 'address'>): boolean =>
    place.chain === 'SOLANA' && place.address === address;
}

/** Nothing is known of its market. */
function listingOf(token: LaunchedToken): TokenListing {
  return {
    ...token,
    chain: 'SOLANA',
    priceUsd: null,
    change24hPercent: null,
    volume24hUsd: null,
    liquidityUsd: null,
    marketCapUsd: null,
    fdvUsd: null,
    pairAddress: null,
    pairCreatedAtMs: null,
  };
}

function routeOf(token: LaunchedToken): RoutedListing {
  const figures = { priceUsd: null, marketCapUsd: null, volume24hUsd: null };
  const routed = { ...token, ...figures, chain: 'SOLANA' } as const;
  return { ...judgedRoute(routed), isRouted: false };
}

function judgedRoute(token: RoutedToken): RoutedListing {
  if (token.address === null) return { ...token, isKnown: true, warnings: [], isRouted: true };
  const judged = judgeName({ ...token, address: token.address }, TOKEN_WARNINGS);
  return { ...token, ...judged, isRouted: true };
}

/**
 * Reads an address, or a listed ticker: a coin means its wrapped form. Errors: `not_found` for
 * another ticker.
 */
function addressOf(chain: Web3ChainId, token: string): string {
  const address = coinOrKnownToken(chain, token);
  if (address !== undefined) return address ?? WRAPPED_COINS[chain];
  throw new AppError(
    'not_found',
    `${token} is no listed ticker on ${chain}: search for it, and name it by its address`,
  );
}

function sameTicker(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function bestFirst(listings: readonly JudgedListing[]): readonly JudgedListing[] {
  return [...listings].sort(
    (one, other) =>
      Number(other.isKnown) - Number(one.isKnown) ||
      one.warnings.length - other.warnings.length ||
      usd(other.liquidityUsd) - usd(one.liquidityUsd),
  );
}
