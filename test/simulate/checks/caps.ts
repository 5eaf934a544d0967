import type { JournalEntry } from '../../../src/domain/events.ts';
import type { FillRecord } from '../../../src/domain/fill.ts';
import { isTerminal, type OrderIntent } from '../../../src/domain/order.ts';
import type { Resolution } from '../../../src/domain/market.ts';
import type { RiskCaps } from '../../../src/domain/reservation.ts';

interface OrderAtRisk {
  readonly intent: OrderIntent;
  isOpen: boolean;
  /** Money that left by its fills, fees included. */
  paid: number;
}

interface Held {
  readonly marketId: string;
  readonly outcome: 0 | 1;
  shares: number;
  cost: number;
}

interface Account {
  readonly orders: Map<string, OrderAtRisk>;
  readonly held: Map<string, Held>;
  readonly realisedByDay: Map<number, number>;
  /** What each sale gave back and gained, should it be taken back. */
  readonly sales: Map<string, { readonly released: number; readonly gained: number }>;
  own: RiskCaps;
}

const DAY_MS = 86_400_000;
/** Positions below a cent's worth of shares are dust that cannot be sold. */
const DUST_MICROS = 10_000;

/**
 * L5: buys that went beyond a cap, reckoned from the facts alone: intents, their ends, fills and
 * resolutions, never the service's counters. Fees that are set aside and not yet paid are left out,
 * and profits counted as early as they can be, so what is reckoned is never more than what was at
 * risk: an excess that is found is one.
 */
export function aboveCaps(journal: readonly JournalEntry[], operator: RiskCaps): readonly string[] {
  const accounts = new Map<string, Account>();
  const resolutions = new Map<string, Resolution>();
  const found: string[] = [];
  const accountOf = (userId: string): Account => {
    const account = accounts.get(userId) ?? {
      orders: new Map(),
      held: new Map(),
      realisedByDay: new Map(),
      sales: new Map(),
      own: {},
    };
    accounts.set(userId, account);
    return account;
  };
  for (const { seq, event } of journal) {
    switch (event.type) {
      case 'audit.recorded':
        if (event.action === 'limits_changed')
          accountOf(event.userId).own = readCaps(event.subject);
        break;
      case 'order.intended':
        if (event.intent.side === 'buy')
          found.push(
            ...excesses(accountOf(event.userId), event, operator).map(
              (words) => `${seq}: ${event.userId} ${words}`,
            ),
          );
        accountOf(event.userId).orders.set(event.intent.intentId, {
          intent: event.intent,
          isOpen: true,
          paid: 0,
        });
        break;
      case 'order.changed': {
        const order = accountOf(event.userId).orders.get(event.intentId);
        if (order !== undefined && isTerminal(event.to)) order.isOpen = false;
        break;
      }
      case 'fill.recorded':
        takeFill(accountOf(event.userId), event.fill);
        settleIfOver(accountOf(event.userId), event.fill.tokenId, resolutions, event.atMs);
        break;
      case 'fill.reversed':
        takeBack(accountOf(event.userId), `${event.tradeId} ${event.orderId}`, journal);
        break;
      case 'market.resolved':
        resolutions.set(event.marketId, event.resolution);
        for (const account of accounts.values())
          for (const tokenId of account.held.keys())
            settleIfOver(account, tokenId, resolutions, event.atMs);
        break;
    }
  }
  return found;
}

function excesses(
  account: Account,
  { intent, atMs }: { readonly intent: OrderIntent; readonly atMs: number },
  operator: RiskCaps,
): readonly string[] {
  const open = [...account.orders.values()].filter(
    ({ isOpen, intent: { side } }) => isOpen && side === 'buy',
  );
  const exposure =
    intent.spendMicros +
    open.reduce((sum, order) => sum + Math.max(0, order.intent.spendMicros - order.paid), 0) +
    [...account.held.values()].reduce((sum, { cost }) => sum + Math.max(0, cost), 0);
  const tokens = new Set([
    intent.tokenId,
    ...open.map((order) => order.intent.tokenId),
    ...[...account.held]
      .filter(([, { shares }]) => shares >= DUST_MICROS)
      .map(([tokenId]) => tokenId),
  ]);
  const lost = Math.max(0, -(account.realisedByDay.get(Math.floor(atMs / DAY_MS)) ?? 0));
  const reckoned = {
    orderUsdc: intent.spendMicros,
    exposureUsdc: exposure,
    openPositions: tokens.size,
    dailyLossUsdc: lost + exposure,
  };
  return [operator, account.own].flatMap((caps) =>
    (Object.keys(reckoned) as (keyof typeof reckoned)[]) // its own keys
      .flatMap((name) =>
        (caps[name] ?? Infinity) < reckoned[name]
          ? [`${name}: ${reckoned[name]} with ${intent.intentId}, the cap is ${caps[name]}`]
          : [],
      ),
  );
}

function takeFill(account: Account, fill: FillRecord): void {
  const { tokenId, marketId, outcome, side, shares, usdc, fee } = fill;
  const order = account.orders.get(fill.intentId);
  const held = account.held.get(tokenId) ?? { marketId, outcome, shares: 0, cost: 0 };
  account.held.set(tokenId, held);
  if (side === 'buy') {
    if (order !== undefined) order.paid += usdc + fee;
    held.shares += shares;
    held.cost += usdc + fee;
    return;
  }
  const released =
    held.shares <= 0 ? 0 : Math.ceil((held.cost * Math.min(shares, held.shares)) / held.shares);
  held.shares -= shares;
  held.cost -= released;
  account.sales.set(`${fill.tradeId} ${fill.orderId}`, { released, gained: usdc - fee - released });
  realise(account, fill.recordedAtMs, usdc - fee - released);
}

function takeBack(account: Account, name: string, journal: readonly JournalEntry[]): void {
  const fill = journal.flatMap(({ event }) =>
    event.type === 'fill.recorded' && `${event.fill.tradeId} ${event.fill.orderId}` === name
      ? [event.fill]
      : [],
  )[0];
  const held = fill === undefined ? undefined : account.held.get(fill.tokenId);
  if (fill === undefined || held === undefined) return;
  if (fill.side === 'buy') {
    held.shares -= fill.shares;
    held.cost = Math.max(0, held.cost - fill.usdc - fill.fee);
    return;
  }
  const sale = account.sales.get(name);
  held.shares += fill.shares;
  held.cost += sale?.released ?? 0;
  // A loss taken back makes room; a gain taken back is left where it was.
  realise(account, fill.recordedAtMs, Math.max(0, -(sale?.gained ?? 0)));
}

function settleIfOver(
  account: Account,
  tokenId: string,
  resolutions: ReadonlyMap<string, Resolution>,
  atMs: number,
): void {
  const held = account.held.get(tokenId);
  const resolution = held === undefined ? undefined : resolutions.get(held.marketId);
  if (held === undefined || resolution === undefined) return;
  realise(
    account,
    atMs,
    (held.shares * (resolution.payoutTicks[held.outcome] ?? 0)) / 10_000 - held.cost,
  );
  held.shares = 0;
  held.cost = 0;
}

function realise(account: Account, atMs: number, micros: number): void {
  const day = Math.floor(atMs / DAY_MS);
  account.realisedByDay.set(day, (account.realisedByDay.get(day) ?? 0) + micros);
}

/** The caps as the audit states them: `exposureUsdc 20000000, openPositions 3`, or `none`. */
function readCaps(text: string): RiskCaps {
  const pairs = text === 'none' ? [] : text.split(', ').map((pair) => pair.split(' '));
  return Object.fromEntries(pairs.map(([name, value]) => [name, Number(value)]));
}
