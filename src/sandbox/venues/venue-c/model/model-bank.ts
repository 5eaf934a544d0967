import { asId, type Address, type TokenId } from '../../../../domain/ids.ts';
import type { Clock, Timer } from '../../../../ports/clock.ts';
import { Accounts, type AccountName, type Posting } from '../../../exchange/accounts.ts';
import { createHash } from 'node:crypto';
import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import { legPostings } from '../../../exchange/leg-postings.ts';
import type { RecordStore } from '../../../storage/record-store.ts';
import type { Bank, SettlementNews } from './bank.ts';
import type { VenueMarket } from './market.ts';
import { MAKER_ID, type TradePart, type VenueTrade } from './order.ts';

/** What an account has, as it is kept: plain JSON. */
export interface KeptHolding {
  readonly account: string;
  readonly holding: string;
  readonly micros: number;
}

/** A bank in the venue's own books, with play money. */
export interface ModelBank extends Bank {
  give(account: string, micros: number): void;
}

const FEES: AccountName = 'venue:fees';
const ESCROW: AccountName = 'venue:escrow';
const NO_END = Number.MAX_SAFE_INTEGER;

/** Opens the books; time settles what is matched. */
export function openModelBank(
  clock: Clock,
  marketOf: (slug: string) => VenueMarket | null,
  kept: RecordStore<KeptHolding>,
): ModelBank {
  const accounts = new Accounts();
  accounts.load(
    kept.all().map(({ account, holding, micros }) => ({ account, holding, balance: micros })),
  );
  const timers = new Set<Timer>();
  let version = 0;
  let hear: (news: SettlementNews) => void = () => undefined;

  function post(postings: readonly Posting[]): void {
    accounts.post(postings);
    version += 1;
    for (const { account, holding } of postings) {
      const micros = accounts.balance(account, holding);
      const key = `${account} ${holding}`;
      if (micros === 0) kept.remove(key);
      else kept.put(key, { account, holding, micros });
    }
  }

  function after(delayMs: number, run: () => void): void {
    const timer = clock.after(delayMs, () => {
      timers.delete(timer);
      run();
    });
    timers.add(timer);
  }

  const say = (trade: VenueTrade, status: SettlementNews['status'], attempt = 0): void =>
    hear({
      tradeId: trade.tradeId,
      status,
      txHash: status === 'FAILED' ? null : hashOf(trade, attempt),
    });

  function mine(trade: VenueTrade, market: VenueMarket, attempt: number): void {
    post(postingsOf(trade, market));
    say(trade, 'MINED', attempt);
    after(POOL_VENUE.confirmedAfterMs - POOL_VENUE.minedAfterMs, () =>
      say(trade, 'CONFIRMED', attempt),
    );
  }

  return {
    version: () => version,
    async read(account, { tokens }) {
      const name = account as AccountName; // an address
      const [yes, no] = tokens;
      return {
        usdc: accounts.balance(name, 'usdc'),
        usdcAllowed: NO_END,
        shares: [accounts.balance(name, yes), accounts.balance(name, no)],
        areSharesAllowed: true,
      };
    },
    settle(trade) {
      const market = marketOf(trade.slug);
      if (trade.status === 'MINED') return after(0, () => say(trade, 'CONFIRMED'));
      if (market === null) return after(0, () => say(trade, 'FAILED'));
      after(POOL_VENUE.minedAfterMs, () => {
        if (trade.course === 'settles') return mine(trade, market, 0);
        say(trade, 'RETRYING');
        after(POOL_VENUE.minedAfterMs, () =>
          trade.course === 'fails' ? say(trade, 'FAILED') : mine(trade, market, 1),
        );
      });
    },
    onNews(listener) {
      hear = listener;
    },
    pay({ tokens }, payouts) {
      for (const [outcome, tokenId] of tokens.entries()) {
        const payout = payouts[outcome] ?? 0;
        for (const { account, balance } of accounts.holders(tokenId)) {
          const paid = Math.floor((balance * payout) / 1_000_000);
          post([
            { account, holding: tokenId, micros: -balance },
            { account, holding: 'usdc', micros: paid },
            { account: ESCROW, holding: 'usdc', micros: -paid },
          ]);
        }
      }
    },
    async stop() {
      for (const timer of timers) timer.cancel();
      kept.close();
    },
    give(account, micros) {
      post([{ account: account as AccountName, holding: 'usdc', micros }]); // an address
    },
  };
}

/** The market maker may owe: it is as rich as it has to be. */
function postingsOf(trade: VenueTrade, { tokens }: VenueMarket): readonly Posting[] {
  const { taker, makers, feeShares, feeUsdc } = trade;
  const token = (outcome: 0 | 1): TokenId => tokens[outcome];
  const party = ({ account, side, outcome, ownerId }: TradePart) => ({
    account: ownerId === MAKER_ID ? ('venue:maker' as const) : asId<Address>(account),
    side,
    tokenId: token(outcome),
  });
  const legs = makers.flatMap((maker) =>
    legPostings({
      taker: party(taker),
      maker: party(maker),
      shares: maker.shares,
      usdc: maker.outcome === taker.outcome ? maker.usdc : maker.shares - maker.usdc,
      escrow: ESCROW,
    }),
  );
  const { account, tokenId } = party(taker);
  const fee = (holding: 'usdc' | TokenId, micros: number): readonly Posting[] =>
    micros === 0
      ? []
      : [
          { account, holding, micros: -micros },
          { account: FEES, holding, micros },
        ];
  return [...legs, ...fee(tokenId, feeShares), ...fee('usdc', feeUsdc)];
}

function hashOf({ tradeId }: VenueTrade, attempt: number): string {
  return `0x${createHash('sha256').update(`${tradeId}:${attempt}`).digest('hex')}`;
}
