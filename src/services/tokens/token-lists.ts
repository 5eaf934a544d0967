import { TOKEN_LISTS, TOKEN_WARNINGS } from '../../../config/limits/tokens.ts';
import { AppError } from '../../domain/errors.ts';
import { WRAPPED_COINS, knownTokenAt } from '../../domain/known-tokens.ts';
import {
  judgeListings,
  usd,
  type JudgedListing,
  type TokenListing,
} from '../../domain/token-listing.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Timer } from '../../ports/clock.ts';
import type { TokenData, TokenDataUrgency } from '../../ports/token-data.ts';
import { within } from './within.ts';

/** A ranking users see. */
export type TokenRanking = 'trending' | 'top_gainers' | 'top_volume';

/** A ranking over some chains, and of when each chain's part is. */
interface RankedTokens {
  readonly tokens: readonly JudgedListing[];
  /** Null for a chain that could not be read in time. */
  readonly chains: readonly { readonly chain: Web3ChainId; readonly readAtMs: number | null }[];
}

/** Rankings of tokens, kept fresh while a client reads them. */
export interface TokenLists {
  /**
   * Answers from what is kept; waits a moment for chains not asked for lately, and goes
   * without those that do not come. Errors: `token_data_unavailable` where no chain came.
   */
  rank(ranking: TokenRanking, chains: readonly Web3ChainId[]): Promise<RankedTokens>;
  /** Stops keeping lists fresh. */
  stop(): void;
}

interface Part {
  readonly chain: Web3ChainId;
  readonly ranking: 'trending' | 'volume';
  readonly page: number;
}

interface Kept {
  readonly part: Part;
  askedForAtMs: number;
  triedAtMs: number;
  read: { readonly listings: readonly TokenListing[]; readonly atMs: number } | null;
  running: Promise<void> | null;
}

const PAGE_SIZE = 20;

/** Makes the lists; nothing is asked before a client reads them. */
export function createTokenLists({
  data,
  clock,
  log,
}: Pick<Runtime, 'clock' | 'log'> & {
  readonly data: Pick<TokenData, 'pools'>;
}): TokenLists {
  const kept = new Map<string, Kept>();
  let timer: Timer | null = null;
  let isStopped = false;

  function keptOf(part: Part): Kept {
    const name = `${part.chain} ${part.ranking} ${part.page}`;
    const known = kept.get(name) ?? {
      part,
      askedForAtMs: 0,
      triedAtMs: Number.NEGATIVE_INFINITY,
      read: null,
      running: null,
    };
    kept.set(name, known);
    return known;
  }

  function read(entry: Kept, urgency: TokenDataUrgency): Promise<void> {
    entry.running ??= data
      .pools({ ...entry.part, urgency })
      .then(
        (listings) => void (entry.read = { listings, atMs: clock.nowMs() }),
        (error: unknown) => {
          if (!(error instanceof AppError)) throw error;
          log.debug({ chain: entry.part.chain, code: error.code }, 'token_list.unread');
        },
      )
      .finally(() => {
        entry.triedAtMs = clock.nowMs();
        entry.running = null;
      });
    return entry.running;
  }

  function refresh(): void {
    timer = null;
    const nowMs = clock.nowMs();
    for (const [name, { askedForAtMs }] of kept)
      if (nowMs - askedForAtMs > TOKEN_LISTS.shownMaximumMs) kept.delete(name);
    const due = [...kept.values()]
      .filter(
        ({ part, askedForAtMs, triedAtMs, running }) =>
          running === null &&
          nowMs - askedForAtMs <= TOKEN_LISTS.watchedMs &&
          nowMs - triedAtMs >= freshMs(part),
      )
      .sort((one, other) => one.triedAtMs - other.triedAtMs)[0];
    if (due !== undefined) void read(due, 'refresh');
    schedule();
  }

  function schedule(): void {
    if (timer === null && !isStopped && kept.size > 0)
      timer = clock.after(TOKEN_LISTS.refreshEveryMs, refresh);
  }

  /**
   * Parts of a chain's ranking: those it cannot do without, and deeper pages as far as the ones
   * before are full.
   */
  function partsOf(ranking: TokenRanking, chain: Web3ChainId): readonly Kept[] {
    const first = { chain, page: 1 } as const;
    if (ranking === 'trending') return [keptOf({ ...first, ranking: 'trending' })];
    const volume = keptOf({ ...first, ranking: 'volume' });
    if (ranking === 'top_volume') return [volume];
    const parts = [volume, keptOf({ ...first, ranking: 'trending' })];
    let last = volume;
    for (let page = 2; page <= TOKEN_LISTS.gainerPagesMaximum; page += 1) {
      if ((last.read?.listings.length ?? 0) < PAGE_SIZE) break;
      last = keptOf({ chain, ranking: 'volume', page });
      parts.push(last);
    }
    return parts;
  }

  function newest(entry: Kept): Kept['read'] {
    return entry.read !== null && clock.nowMs() - entry.read.atMs <= TOKEN_LISTS.shownMaximumMs
      ? entry.read
      : null;
  }

  return {
    async rank(ranking, chains) {
      const parts = chains.map((chain) => ({ chain, entries: partsOf(ranking, chain) }));
      const nowMs = clock.nowMs();
      for (const { entries } of parts) for (const entry of entries) entry.askedForAtMs = nowMs;
      schedule();
      const missing = parts.flatMap(({ entries }) =>
        entries.filter(
          ({ part, read: known, triedAtMs }) =>
            part.page === 1 && known === null && nowMs - triedAtMs > TOKEN_LISTS.refreshEveryMs,
        ),
      );
      if (missing.length > 0)
        await within(
          Promise.all(missing.map((entry) => read(entry, 'asked'))),
          clock,
          TOKEN_LISTS.coldWaitMs,
        );
      const found = parts.map(({ chain, entries }) => {
        const reads = entries.map(newest).filter((one) => one !== null);
        return {
          chain,
          readAtMs: reads.length === 0 ? null : Math.min(...reads.map(({ atMs }) => atMs)),
          listings: reads.flatMap(({ listings }) => listings),
        };
      });
      if (found.every(({ readAtMs }) => readAtMs === null))
        throw new AppError('token_data_unavailable', 'no chain could be read in time', {
          retryable: true,
        });
      const judged = judgeListings(
        deepestOfEach(found.flatMap(({ listings }) => listings)),
        TOKEN_WARNINGS,
        clock.nowMs(),
      );
      return {
        tokens: ranked(ranking, judged, clock.nowMs()),
        chains: found.map(({ chain, readAtMs }) => ({ chain, readAtMs })),
      };
    },
    stop() {
      isStopped = true;
      timer?.cancel();
    },
  };
}

function freshMs({ page }: Part): number {
  return page === 1 ? TOKEN_LISTS.freshMs : TOKEN_LISTS.deepFreshMs;
}

/** Keeps each token once, by its deepest pool, in the order first met. */
export function deepestOfEach(listings: readonly TokenListing[]): readonly TokenListing[] {
  const found = new Map<string, TokenListing>();
  for (const listing of listings) {
    const name = `${listing.chain} ${listing.address}`;
    const before = found.get(name);
    if (before === undefined || usd(listing.liquidityUsd) > usd(before.liquidityUsd))
      found.set(name, listing);
  }
  return [...found.values()];
}

function ranked(
  ranking: TokenRanking,
  tokens: readonly JudgedListing[],
  nowMs: number,
): readonly JudgedListing[] {
  if (ranking === 'trending') return tokens;
  if (ranking === 'top_volume')
    return [...tokens].sort((one, other) => usd(other.volume24hUsd) - usd(one.volume24hUsd));
  const { gainerLiquidityUsd, gainerVolumeUsd, gainerAgeMs } = TOKEN_LISTS;
  return tokens
    .filter(
      ({ chain, address, liquidityUsd, volume24hUsd, pairCreatedAtMs, change24hPercent }) =>
        usd(change24hPercent) > 0 &&
        usd(liquidityUsd) >= gainerLiquidityUsd &&
        usd(volume24hUsd) >= gainerVolumeUsd &&
        pairCreatedAtMs !== null &&
        nowMs - pairCreatedAtMs >= gainerAgeMs &&
        address.toLowerCase() !== WRAPPED_COINS[chain].toLowerCase() &&
        knownTokenAt(chain, address)?.isDollar !== true,
    )
    .sort((one, other) => usd(other.change24hPercent) - usd(one.change24hPercent));
}
