import { AGENT } from '../../config/limits.ts';
import { STOP_POLICIES, type AgentMode, type StopPolicy } from '../../src/domain/agent.ts';
import { usdcMicros, type UsdcMicros } from '../../src/domain/units.ts';
import type { Random } from '../../src/ports/random.ts';
import type { FaultName, FaultRule } from '../../src/sandbox/faults.ts';
import type { OperatorStopPolicy } from '../../src/services/books/tables.ts';
import type { LimitsPatch } from '../../src/services/user-limits.ts';
import { TAKEN_BACK_MAXIMUM } from './chain/day-chain.ts';
import type { Plan } from './plan.ts';

/** Agents that trade on simulated days. */
export type PlannedAgent = 'btc_5min' | 'venue_a_farming' | 'venue_b_farming';

/** Where inside a commit the power goes. */
export type CutMoment = 'before-commit' | 'after-commit' | 'after-flush';

/** Something that happens to the service. */
export type Happening =
  | { readonly kind: 'fault'; readonly name: FaultName; readonly rule: FaultRule }
  /** Of venue_b and its chain. */
  | {
      readonly kind: 'contract-fault';
      readonly name: FaultName;
      readonly rule: FaultRule;
      readonly lastsMs: number;
    }
  /** Another wallet sends USDC to the user's wallet on Solana. */
  | { readonly kind: 'contract-deposit'; readonly user: number; readonly usdc: UsdcMicros }
  /** The power goes now; the disk may have got further than it was asked to. */
  | { readonly kind: 'cut'; readonly keptCommits: number; readonly downMs: number }
  /** The power goes inside the n-th commit from now. */
  | {
      readonly kind: 'cut-in-commit';
      readonly moment: CutMoment;
      readonly commits: number;
      readonly keptCommits: number;
      readonly downMs: number;
    }
  /** The disk takes none of the next commits. */
  | { readonly kind: 'disk-full'; readonly commits: number }
  | { readonly kind: 'deposit'; readonly user: number; readonly usdc: UsdcMicros }
  /** Only on days with a chain, as the next one. `key` makes asking again the same withdrawal. */
  | {
      readonly kind: 'withdraw';
      readonly user: number;
      readonly usdc: UsdcMicros;
      readonly key: string;
    }
  /** The chain does not answer for a while. */
  | { readonly kind: 'chain-down'; readonly lastsMs: number }
  /** The chain takes blocks back, as soon as there is something in them. */
  | { readonly kind: 'blocks-taken-back'; readonly depth: number }
  /**
   * Another wallet pays a user, and the payment's block is taken back with all payments in it, for
   * good.
   */
  | { readonly kind: 'payment-lost'; readonly user: number; readonly usdc: UsdcMicros }
  | { readonly kind: 'disable'; readonly user: number; readonly agent: PlannedAgent }
  /**
   * `mode` and `onStop` are chosen anew each time, so an agent goes from real money to paper and
   * back.
   */
  | {
      readonly kind: 'enable';
      readonly user: number;
      readonly agent: PlannedAgent;
      readonly mode: AgentMode;
      readonly onStop: StopPolicy;
    }
  | {
      readonly kind: 'settings';
      readonly user: number;
      readonly agent: PlannedAgent;
      readonly settings: Readonly<Record<string, string | boolean>>;
    }
  | { readonly kind: 'limits'; readonly user: number; readonly limits: LimitsPatch }
  /** Every agent of the user at once. */
  | { readonly kind: 'stop-agents'; readonly user: number }
  /** No buys of one user, or of all users for null, until it is lifted. */
  | {
      readonly kind: 'stop';
      readonly user: number | null;
      readonly policy: OperatorStopPolicy;
      readonly lastsMs: number;
    }
  /** The wall clock of the machine is set wrong by this much, and right again after a while. */
  | { readonly kind: 'clock-step'; readonly stepMs: number; readonly lastsMs: number };

/** A happening and its moment, ms after the beginning. */
export interface PlannedEvent {
  readonly afterMs: number;
  readonly does: Happening;
}

/** Faults of orders, fills and feeds that leave venue and ledger agreed in the end. */
const SERVICE_FAULTS: readonly FaultName[] = [
  'late-ack',
  'lost-ack',
  'late-book',
  'refused-silently',
  'retry-duplicated',
  'success-without-id',
  'trade-before-response',
  'fok-stuck-live',
  'delayed-then-matched',
  'delayed-then-dead',
  'engine-restart',
  'post-only-window',
  'cancel-only',
  'trading-disabled',
  'rate-limited',
  'rate-limited-html',
  'bad-gateway',
  'geoblocked',
  'order-version-mismatch',
  'phantom-reservation',
  'socket-dropped',
  'ghost-fill',
  'retrying-then-confirmed',
  'confirmed-then-replayed-matched',
  'duplicate-trade',
  'dropped-user-events',
  'several-fills-one-tx',
  'split-match',
  'reverted-35-percent',
  'overfill-dust',
  'underfill-dust',
  'fill-races-cancel',
  'cancel-already-gone',
  'reason-suffix',
  'gtd-early',
  'late-hydration',
  'stale-listing',
  'late-strike',
  'feed-stall',
  'feed-rate-limited',
  'feed-bad-gateway',
  'stale-inference',
  'market-resolved-silently',
];
/** Faults of the market channel: only there where books come by frames. */
const CHANNEL_FAULTS: readonly FaultName[] = [
  'no-snapshot',
  'gap',
  'crossed',
  'mirror-broken',
  'object-or-array',
  'schema-drift',
  'tick-announced-twice',
  'non-json-frame',
  'time-backwards',
  'zero-price-level',
  'silent-stall',
];

/** Draws what happens to users and service; an agent is the one that is about. */
export function drawHappening(
  random: Random,
  {
    users,
    books,
    agent,
  }: { readonly users: number; readonly books: Plan['books']; readonly agent: PlannedAgent },
): Happening {
  const downMs = 1_000 + random.integer(40_000);
  const user = random.integer(users);
  const lot = random.integer(39);
  if (lot < 3) return { kind: 'cut', keptCommits: random.integer(3), downMs };
  if (lot < 9)
    return {
      kind: 'cut-in-commit',
      moment: drawMoment(random),
      commits: 1 + random.integer(30),
      keptCommits: random.integer(3),
      downMs,
    };
  if (lot < 11) return { kind: 'disk-full', commits: 1 + random.integer(8) };
  if (lot === 11) return { kind: 'deposit', user, usdc: usd(1 + random.integer(50)) };
  if (lot === 12) return { kind: 'disable', user, agent };
  if (lot === 13) return { kind: 'stop-agents', user };
  if (lot < 18)
    return {
      kind: 'enable',
      user,
      agent,
      mode: random.integer(4) === 0 ? 'paper' : 'live',
      onStop: STOP_POLICIES[random.integer(STOP_POLICIES.length)] ?? 'keep',
    };
  if (lot === 18)
    return {
      kind: 'settings',
      user,
      agent,
      settings: {
        ...(agent === 'venue_b_farming' ? drawContractFarm(random) : drawSize(random)),
        ...(agent === 'venue_a_farming' ? drawFarm(random) : {}),
        notifyOnTrade: random.integer(3) > 0,
      },
    };
  if (lot === 19) return { kind: 'limits', user, limits: drawLimits(random) };
  if (lot === 20)
    return {
      kind: 'stop',
      user,
      policy: drawPolicy(random),
      lastsMs: 10_000 + random.integer(200_000),
    };
  if (lot === 21)
    return {
      kind: 'stop',
      user: null,
      policy: drawPolicy(random),
      lastsMs: 10_000 + random.integer(200_000),
    };
  if (lot < 25)
    return {
      kind: 'clock-step',
      stepMs: drawStep(random),
      lastsMs: 2_000 + random.integer(240_000),
    };
  const names =
    books === 'channel'
      ? [...SERVICE_FAULTS, ...CHANNEL_FAULTS, ...CHANNEL_FAULTS]
      : SERVICE_FAULTS;
  const name = names[random.integer(names.length)] ?? 'lost-ack';
  return {
    kind: 'fault',
    name,
    rule: { times: 1 + random.integer(4), percent: 50 + random.integer(51) },
  };
}

/** Draws what happens to money and chain of a day with one; `key` names a withdrawal. */
export function drawMoney(
  random: Random,
  { users, key }: { readonly users: number; readonly key: string },
): Happening {
  const lot = random.integer(8);
  if (lot === 0) return { kind: 'chain-down', lastsMs: 5_000 + random.integer(120_000) };
  if (lot < 3) return { kind: 'blocks-taken-back', depth: 1 + random.integer(TAKEN_BACK_MAXIMUM) };
  if (lot === 3)
    return { kind: 'payment-lost', user: random.integer(users), usdc: usd(1 + random.integer(50)) };
  if (lot === 4)
    return { kind: 'deposit', user: random.integer(users), usdc: usd(1 + random.integer(50)) };
  return { kind: 'withdraw', user: random.integer(users), usdc: usd(1 + random.integer(40)), key };
}

/** Tighter than any operator's, one of them or all gone. */
function drawLimits(random: Random): LimitsPatch {
  const which = random.integer(5);
  if (which === 0)
    return { orderUsdc: null, exposureUsdc: null, openPositions: null, dailyLossUsdc: null };
  return (
    [
      { orderUsdc: usd(4 + random.integer(8)) },
      { exposureUsdc: usd(10 + random.integer(40)) },
      { openPositions: 1 + random.integer(2) },
      { dailyLossUsdc: usd(15 + random.integer(60)) },
    ][which - 1] ?? {}
  );
}

function drawPolicy(random: Random): OperatorStopPolicy {
  return random.integer(2) === 0 ? 'keep' : 'cancel_only';
}

/** Ahead by seconds or minutes, back by seconds. */
function drawStep(random: Random): number {
  const seconds = 1 + random.integer([3, 20, 240][random.integer(3)] ?? 20);
  return random.integer(2) === 0 ? seconds * 1_000 : -Math.min(seconds, 40) * 1_000;
}

function drawMoment(random: Random): CutMoment {
  return (
    (['before-commit', 'after-commit', 'after-flush'] as const)[random.integer(3)] ?? 'after-commit'
  );
}

/**
 * Draws sizes, mostly ones that every operator takes: one in eight lies above what some of them
 * allow for an order.
 */
export function drawSize(random: Random): Readonly<Record<string, string>> {
  const size = String(random.integer(8) === 0 ? 14 + random.integer(12) : 2 + random.integer(11));
  return { minPositionSize: '1', avgPositionSize: size, maxPositionSize: size };
}

/** Draws what a farming agent of venue_a is set to beside its sizes. */
export function drawFarm(random: Random): Readonly<Record<string, string>> {
  return {
    maxOpenPositions: String(2 + random.integer(5)),
    maxTotalExposure: String(20 + random.integer(60)),
    stopLossPercent: String(5 + random.integer(15)),
  };
}

/** Returns whole dollars in micros. */
export function usd(dollars: number): UsdcMicros {
  return usdcMicros(dollars * 1_000_000);
}

/** Draws what a farming agent of venue_b is set to. */
export function drawContractFarm(random: Random): Readonly<Record<string, string>> {
  const size = 2 + random.integer(9);
  return {
    avgPositionSize: String(size),
    maxPositionSize: String(Math.max(AGENT.sizeDefaultUsd, size)),
    maxOpenPositions: String(2 + random.integer(5)),
    maxDailyLoss: String(30 + random.integer(70)),
    minProbabilityPercent: '90',
    maxProbabilityPercent: '98',
    stopLossPercent: String(5 + random.integer(15)),
  };
}
