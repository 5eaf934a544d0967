import { REPLAY } from '../../../config/limits/replay.ts';
import { createVirtualClock, type VirtualClock } from '../../adapters/clock/virtual-clock.ts';
import { loadKeccak } from '../../adapters/wire/keccak.ts';
import type { StrategyId } from '../../domain/agent.ts';
import { SAFE_CASH } from '../../domain/cash.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import type { UsdcMicros } from '../../domain/units.ts';
import type { Log } from '../../ports/log.ts';
import type { AgentPerformance } from '../../services/agents/agent-views.ts';
import { ROUND_SERIES } from '../../sandbox/venues/venue-a/markets/rounds.ts';
import { createDirectService, type DirectService } from './direct-service.ts';
import { startRecordedMaker, type RecordedMaker } from './recorded-maker.ts';
import type { RecordedRound, Recording } from './recording.ts';
import { printRun } from './replay-lines.ts';
import { recordRun, type RunCounts } from './run-record.ts';
import { followSignals } from './signal-receipts.ts';
import { chainIds } from '../../sandbox/chains/evm/outcome-ids.ts';
import { conditionTerms } from '../../sandbox/venues/venue-a/markets/market-ids.ts';
import {
  type WorldModel,
  startWorldModel,
  USUAL_DELAYS,
} from '../../sandbox/venues/venue-a/world-model.ts';

/** What to replay, and how. */
export interface ReplayOptions {
  readonly recording: Recording;
  readonly seed: number;
  /** Only rounds that begin at or after this moment; the recording's beginning where null. */
  readonly fromMs: number | null;
  /** Only rounds that end at or before this moment; the recording's end where null. */
  readonly toMs: number | null;
  readonly fundsUsdc: UsdcMicros;
  /** Of the 5-minute agent. */
  readonly strategy: StrategyId;
  /** Correlation of the modelled predictions with the coming return. */
  readonly inferenceSkill: number;
  readonly print: (line: string) => void;
}

/** How a recorded round ended in the replay. */
interface RoundResult {
  readonly slug: string;
  /** Null where the recording does not say, or says something else than a winner. */
  readonly recorded: 'Up' | 'Down' | null;
  readonly resolved: 'Up' | 'Down' | 'split' | null;
  /**
   * `word`: the feed misses a boundary second, so the recorded outcome itself was taken and proves
   * nothing.
   */
  readonly by: 'ticks' | 'word';
}

/** What a replay came to. */
export interface ReplayResult {
  readonly hash: string;
  /**
   * Over what was decided and by what, alone: the same whatever names the run drew for its orders.
   */
  readonly decisionHash: string;
  readonly counts: RunCounts;
  readonly performance: AgentPerformance;
  readonly rounds: readonly RoundResult[];
  /** Cash of the ledger and collateral at the venue at the end, micros. */
  readonly cash: UsdcMicros;
  readonly collateral: UsdcMicros;
  /** Warnings and errors of the log by event. */
  readonly warnings: ReadonlyMap<string, number>;
  readonly levelsLeftOut: number;
}

const USER = 'usr_replay';
/** USD a trade: the defaults of the spec. */
const SIZES = { minPositionSize: '5', avgPositionSize: '10', maxPositionSize: '10' };
const BTC_ROUNDS = ROUND_SERIES.filter(({ asset, minutes }) => asset === 'BTC' && minutes === 5);
/** The service looks half an hour ahead; what is listed earlier costs time only. */
const LISTING_HORIZON_MS = 2_400_000;

/**
 * Runs the whole service with the 5-minute agent over a recording: real streams, strategies,
 * machines, services, ledger and signatures, on a clock that waits for nothing. Same recording,
 * window and seed: same hash (L10). Errors: `config_invalid` when the window holds no round.
 */
export async function replay(options: ReplayOptions): Promise<ReplayResult> {
  const { recording, seed, print } = options;
  const rounds = chosenRounds(options);
  const startMs = Math.max(recording.firstMs, options.fromMs ?? recording.firstMs);
  const endMs = lastMoment(recording, rounds);
  const clock = createVirtualClock(startMs);
  const { log, warnings } = countingLog();
  const model = await startModel(options, rounds, clock);
  const service = await createDirectService({
    model,
    clock,
    seed,
    latencyMs: REPLAY.latencyMs,
    books: 'direct',
    log,
    ...(recording.exchange === null ? {} : { exchangePrices: recording.exchange }),
  });
  const run = recordRun(service.bus);
  const lines = printRun({
    bus: service.bus,
    print,
    marketOf: (marketId) => model.exchange.market(marketId),
  });
  const stopSignals = followSignals({
    store: service.store,
    clock,
    tell(receipt) {
      run.note(receipt);
      lines.signal(receipt);
    },
  });
  const maker = showBooks(recording, model, clock);

  const user = await whileClockRuns(clock, setUp(service, options));
  await clock.advanceTo(endMs);
  stopSignals();
  const result: ReplayResult = {
    hash: run.hash(),
    decisionHash: run.decisionHash(),
    counts: { ...run.counts },
    performance: service.core.agents.performance(user.userId, 'btc_5min'),
    rounds: rounds.map((round) => resultOf(model, recording, round)),
    cash: service.core.trading.portfolio.cash(user.userId, SAFE_CASH).settled,
    collateral: model.exchange.balanceOf(user.address),
    warnings,
    levelsLeftOut: maker?.levelsLeftOut ?? 0,
  };
  for (const stop of [lines.stop, run.stop, () => maker?.stop(), () => model.stop()]) stop();
  await whileClockRuns(clock, service.stop());
  return result;
}

/** Rounds that lie wholly in the window. */
function chosenRounds({ recording, fromMs, toMs }: ReplayOptions): readonly RecordedRound[] {
  const [from, to] = [fromMs ?? recording.firstMs, toMs ?? Infinity];
  const chosen = recording.rounds.filter(
    ({ startsAtMs, endsAtMs }) =>
      startsAtMs >= from && endsAtMs <= to && startsAtMs <= recording.lastMs,
  );
  if (chosen.length === 0)
    throw new AppError(
      'config_invalid',
      `${recording.name} holds no whole round of the window; it lasts from ${iso(recording.firstMs)} to ${iso(recording.lastMs)}.`,
    );
  return chosen;
}

/**
 * Rounds whose end is known are followed to their payouts; a recording that stops inside its last
 * round stops the replay.
 */
function lastMoment({ lastMs }: Recording, rounds: readonly RecordedRound[]): number {
  const [endsAtMs, isKnown] = rounds.reduce<readonly [number, boolean]>(
    (latest, round) =>
      round.endsAtMs > latest[0]
        ? [round.endsAtMs, round.payoutTicks !== null || lastMs >= round.endsAtMs]
        : latest,
    [0, false],
  );
  return isKnown ? endsAtMs + REPLAY.drainMs : lastMs;
}

async function startModel(
  { recording, seed, inferenceSkill }: ReplayOptions,
  rounds: readonly RecordedRound[],
  clock: VirtualClock,
): Promise<WorldModel> {
  const keccak = await loadKeccak();
  const terms = conditionTerms(seed);
  const bySlug = new Map(rounds.map((round) => [round.slug, round]));
  const announcedMs = rounds[0]?.resolvedAfterMs ?? USUAL_DELAYS.resolutionDelayMs;
  return startWorldModel({
    clock,
    seed,
    inferenceSkill,
    prices: recording.settlement,
    rule: 'spot',
    makers: recording.books === null,
    foundedAtMs: clock.nowMs(),
    delays: { listingHorizonMs: LISTING_HORIZON_MS, resolutionDelayMs: announcedMs },
    recorded: {
      series: BTC_ROUNDS,
      idsOf(slug) {
        const round = bySlug.get(slug);
        return round === undefined ? null : (round.ids ?? chainIds(keccak, terms, slug));
      },
      knownPayout: (slug) => bySlug.get(slug)?.payoutTicks ?? null,
    },
  });
}

function showBooks(
  { books }: Recording,
  { exchange }: WorldModel,
  clock: VirtualClock,
): RecordedMaker | null {
  const [market] = exchange.markets();
  return books === null || market === undefined
    ? null
    : startRecordedMaker({ clock, exchange, market, books });
}

/** One user with funds, and the agent enabled with the sizes of the spec. */
async function setUp(
  { core, addUser }: DirectService,
  { fundsUsdc, strategy }: Pick<ReplayOptions, 'fundsUsdc' | 'strategy'>,
): Promise<{ readonly userId: UserId; readonly address: Address }> {
  await core.start();
  const user = await addUser(USER, fundsUsdc);
  await core.agents.updateSettings(user.userId, 'btc_5min', { ...SIZES, strategy });
  await core.agents.enable(user.userId, 'btc_5min');
  return user;
}

/**
 * Lets time pass until the promise is settled. Errors: those of the promise, and when it takes
 * longer than set-ups may.
 */
async function whileClockRuns<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  settled.catch(() => undefined);
  const isDone = await clock.advanceUntil(() => isSettled, REPLAY.setUpMs);
  if (!isDone)
    throw new Error(
      `invariant broken: setting up took longer than ${REPLAY.setUpMs} ms of the clock`,
    );
  return settled;
}

function resultOf(
  { exchange }: WorldModel,
  { settlement }: Recording,
  { slug, startsAtMs, endsAtMs, payoutTicks }: RecordedRound,
): RoundResult {
  const market = exchange.markets().find((one) => one.slug === slug);
  const paid = market === undefined ? null : exchange.payout(market.marketId);
  const isExact = [startsAtMs, endsAtMs].every(
    (atMs) => settlement.at('BTC', atMs / 1_000) !== null,
  );
  return {
    slug,
    recorded: payoutTicks === null ? null : winnerOf(payoutTicks),
    resolved: paid === null ? null : (winnerOf(paid) ?? 'split'),
    by: isExact || payoutTicks === null ? 'ticks' : 'word',
  };
}

function winnerOf([up, down]: readonly [number, number]): 'Up' | 'Down' | null {
  return up === down ? null : up > down ? 'Up' : 'Down';
}

/** A log that only counts what went wrong. */
function countingLog(): { readonly log: Log; readonly warnings: ReadonlyMap<string, number> } {
  const warnings = new Map<string, number>();
  const count = (_fields: unknown, event: string): void =>
    void warnings.set(event, (warnings.get(event) ?? 0) + 1);
  return {
    warnings,
    log: { debug: () => undefined, info: () => undefined, warn: count, error: count },
  };
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
