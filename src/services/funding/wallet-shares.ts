import { BoundedMap } from '../../domain/bounded-map.ts';
import { WALLET } from '../../../config/limits/funds.ts';
import { cashAccountRow, type CashAccount } from '../../domain/cash.ts';
import type { TokenId, UserId } from '../../domain/ids.ts';
import { sharesArrivedEntry, sharesLeftEntry } from '../../domain/ledger-entries.ts';
import type { Market, OutcomeIndex } from '../../domain/market.ts';
import { foldMove } from '../../domain/position-fold.ts';
import { formatMicros, shareMicros } from '../../domain/units.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import type { WalletMovement } from '../../ports/venue.ts';
import type { Catalogue } from '../../ports/catalogue.ts';
import { audit } from '../audit.ts';
import { balanceOf, postToLedger, putPosition } from '../books/record-changes.ts';
import { isLacking } from '../books/restores.ts';
import { POSITIONS, RESOLUTIONS, TRADED_MARKETS } from '../books/tables.ts';
import {
  isQuiet,
  worst,
  type ReadKind,
  type WalletCashDeps,
  type WalletRest,
} from './wallet-cash.ts';
import { explain } from './wallet-history.ts';
import { markOf, moveMark, putMark } from './wallet-marks.ts';

/** Shares in users' own wallets, which their owners may move with a key of their own. */
export interface WalletShares {
  /**
   * Compares the outcome tokens of a user's wallet with the books and books what others' hands
   * has moved, each transaction once: positions grow by what came, at no cost, and shrink by what
   * went. Only while no own transaction is on its way there, and only what final transactions
   * explain. Resolves with what is left. Errors: `chain_unavailable`, `store_unavailable`, those of
   * the catalogue.
   */
  read(userId: UserId, how?: ReadKind): Promise<WalletRest>;
}

interface Place {
  readonly market: Market;
  readonly outcome: OutcomeIndex;
}

interface Difference extends Place {
  readonly userId: UserId;
  readonly tokenId: TokenId;
  readonly booked: number;
  readonly moved: readonly WalletMovement[];
  readonly newest: string | null;
}

/** Makes the comparison. */
export function createWalletShares(
  deps: WalletCashDeps & {
    readonly catalogue: Pick<Catalogue, 'marketOfToken' | 'resolution'>;
  },
): WalletShares {
  const { store, commit, wallet, catalogue, cashAccount, askAgain, log } = deps;
  const { chain } = cashAccountRow(cashAccount);
  /** Tokens that are of no market here, or of one whose end makes them worthless. */
  const ignored = new BoundedMap<string, true>(WALLET.tokensIgnoredMaximum);

  /** The market and the outcome of a token; null for an unknown one, or one worth nothing. */
  async function placeOf(userId: UserId, tokenId: TokenId): Promise<Place | null> {
    const position = store.get(POSITIONS, [userId, tokenId])?.value;
    const traded =
      position === undefined ? undefined : store.get(TRADED_MARKETS, [position.marketId])?.value;
    const market = traded ?? (await catalogue.marketOfToken(tokenId));
    const outcome = market?.outcomes.findIndex((one) => one.tokenId === tokenId) ?? -1;
    if (market === null || (outcome !== 0 && outcome !== 1)) {
      ignored.set(tokenId, true);
      return null;
    }
    const end =
      store.get(RESOLUTIONS, [market.marketId])?.value ??
      (market.closed ? await catalogue.resolution(market.marketId) : null);
    if (end !== null && end.payoutTicks[outcome] === 0) {
      ignored.set(tokenId, true);
      return null;
    }
    return { market, outcome };
  }

  /** What is left of the difference of one token; nothing where it is unknown here. */
  async function settle(userId: UserId, tokenId: TokenId, shown: number): Promise<WalletRest> {
    const booked = balanceOf(store, userId, tokenId).settled;
    const market = await placeOf(userId, tokenId);
    if (market === null) return shown > booked ? 'nothing' : 'unexplained';
    const since = markOf(store, { userId, asset: tokenId });
    const history = await wallet.history(userId, tokenId, since);
    if (history.kind === 'unsettled') return 'unsettled';
    if (history.kind === 'too_long') return 'unexplained';
    const { movements } = history;
    const place = { userId, chain, tokenId };
    const moved = await explain(store, place, { movements, difference: shown - booked, askAgain });
    if (moved === 'unsettled') return 'unsettled';
    if (moved === null) return 'unexplained';
    const difference = { ...market, userId, tokenId, booked, moved, newest: history.newest };
    if (await commit((tx) => book(deps, tx, difference)))
      for (const { micros, transactionHash } of moved) {
        const facts = { userId, tokenId, shares: micros, transactionHash };
        if (micros > 0) log.info(facts, 'funding.shares_arrived');
        else log.warn(facts, 'funding.shares_departed');
      }
    return 'nothing';
  }

  return {
    async read(userId, how) {
      if (!isQuiet(deps, store, userId)) return 'moving';
      const before = heldTokens(store, userId, cashAccount);
      const { tokens } = await wallet.holdings(userId, askedAbout(store, userId, before));
      const differing = [...new Set([...tokens.keys(), ...before])].filter((tokenId) => {
        const shown = tokens.get(tokenId) ?? 0;
        const booked = balanceOf(store, userId, tokenId).settled;
        return shown !== booked && !(shown > booked && ignored.get(tokenId) === true);
      });
      const isShort = isLacking(store, userId);
      if (differing.length > 0 && how !== 'adopting' && isShort) return 'unexplained';
      if (!isShort)
        for (const asset of before)
          if (!differing.includes(asset)) await moveMark(deps, { userId, asset });
      const left = new Set<WalletRest>();
      for (const tokenId of differing.slice(0, WALLET.tokensPerReading))
        left.add(await settle(userId, tokenId, tokens.get(tokenId) ?? 0));
      return worst(left);
    },
  };
}

function heldTokens(
  reader: StoreReader,
  userId: UserId,
  cashAccount: CashAccount,
): readonly TokenId[] {
  return reader
    .range(POSITIONS, { prefix: [userId] })
    .filter(({ value }) => value.cashAccount === cashAccount && value.shares > 0)
    .map(({ value }) => value.tokenId)
    .slice(0, WALLET.tokensMaximum);
}

/** Both outcomes of the markets that a user has shares of: a split brings the other one. */
function askedAbout(
  reader: StoreReader,
  userId: UserId,
  held: readonly TokenId[],
): readonly TokenId[] {
  const both = held.flatMap((tokenId) => {
    const marketId = reader.get(POSITIONS, [userId, tokenId])?.value.marketId;
    const market = marketId && reader.get(TRADED_MARKETS, [marketId])?.value;
    return market ? market.outcomes.map((outcome) => outcome.tokenId) : [];
  });
  return [...new Set([...held, ...both])];
}

/** Books a difference where the books still say what they said, and nothing has begun since. */
function book(
  deps: WalletCashDeps,
  tx: StoreWriter,
  { userId, tokenId, market, outcome, booked, moved, newest }: Difference,
): boolean {
  const { cashAccount } = deps;
  const { chain } = cashAccountRow(cashAccount);
  if (!isQuiet(deps, tx, userId) || balanceOf(tx, userId, tokenId).settled !== booked) return false;
  const { marketId } = market;
  const [nowMs, atMs] = [deps.clock.nowMs(), deps.marketClock.nowMs()];
  if (tx.get(TRADED_MARKETS, [marketId]) === null) tx.put(TRADED_MARKETS, [marketId], market);
  for (const { micros, transactionHash } of moved) {
    const transferId = `${chain}:${transactionHash}`;
    const shares = shareMicros(Math.abs(micros));
    const transfer = { userId, marketId, tokenId, shares, transferId, atMs };
    const entry = micros > 0 ? sharesArrivedEntry(transfer) : sharesLeftEntry(transfer);
    if (!postToLedger(tx, userId, entry, { transactionHash })) continue;
    const before = tx.get(POSITIONS, [userId, tokenId])?.value ?? null;
    const move = { userId, cashAccount, marketId, tokenId, outcome, shares: micros, atMs };
    putPosition(tx, before, foldMove(before, move, market), atMs);
    const came = `${formatMicros(shares)} of ${marketId} ${micros > 0 ? 'came to' : 'left'} the wallet`;
    audit(tx, {
      userId,
      atMs: nowMs,
      action: micros > 0 ? 'shares_arrived' : 'shares_gone',
      subject: transferId,
      detail: `${came} ${isLacking(tx, userId) ? 'and are adopted after a restore' : 'past this service'}`,
    });
  }
  putMark(tx, { userId, asset: tokenId }, { ...deps, newest });
  return true;
}
