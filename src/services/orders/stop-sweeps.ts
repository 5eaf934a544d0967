import { backOffMs } from '../../domain/back-off.ts';
import { STOP_SWEEP } from '../../../config/limits/risk.ts';
import { AppError } from '../../domain/errors.ts';
import { isTerminal, type OrderRecord } from '../../domain/order.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Timer } from '../../ports/clock.ts';
import type { Key, Versioned } from '../../ports/store.ts';
import { OPEN_ORDERS, ORDERS, STOP_SWEEPS, type OpenMark } from '../books/tables.ts';
import type { Orders } from './orders.ts';
import { stopKey, stopScopeOf, type StopScope } from './stop-check.ts';

/**
 * Cancels the buys that a stop of the operator or of a user found open, for stops that ask for it.
 * The request is durable (STOP_SWEEPS); this carries it out.
 */
export interface StopSweeps {
  /** The start: takes up every sweep that is stored (L9). */
  recover(): void;
  stop(): void;
}

/** A sweep that runs: where it is among the open orders, and what its present pass has met. */
interface Running {
  readonly scope: StopScope;
  timer: Timer | null;
  after: Key | null;
  /** Open buys met in this pass. */
  met: number;
  /** The stored request when this pass began: a stop set anew meanwhile wants a pass of its own. */
  request: Versioned<OpenMark> | null;
  /** Passes in a row that cancelled nothing new. */
  idle: number;
  hasMoved: boolean;
}

/**
 * Makes the sweeps. They begin by the fact of a stop, end with the last open buy, and are dropped
 * when the stop is lifted.
 */
export function createStopSweeps({
  store,
  commit,
  bus,
  clock,
  log,
  metrics,
  orders,
}: Pick<Runtime, 'store' | 'commit' | 'bus' | 'clock' | 'log' | 'metrics'> & {
  readonly orders: Pick<Orders, 'cancel'>;
}): StopSweeps {
  const running = new Map<string, Running>();
  let isOver = false;
  const tell = () => metrics.gauge('stop_sweeps_open', running.size);
  const endFacts = bus.subscribe(({ event }) => {
    if (event.type === 'all_trading.stopped') begin({ kind: 'all' });
    else if (event.type === 'trading.stopped')
      begin({ kind: event.by === 'user' ? 'self' : 'user', userId: event.userId });
  });

  function begin(scope: StopScope): void {
    const name = stopKey(scope).join(' ');
    if (running.has(name) || store.get(STOP_SWEEPS, stopKey(scope)) === null) return;
    const sweep: Running = {
      scope,
      timer: null,
      after: null,
      met: 0,
      request: null,
      idle: 0,
      hasMoved: false,
    };
    running.set(name, sweep);
    tell();
    schedule(sweep, 0);
  }

  function schedule(sweep: Running, waitMs: number): void {
    if (isOver) return;
    sweep.timer = clock.after(waitMs, () => {
      step(sweep).catch((cause: unknown) => {
        // What could not be stored is tried again; the sweep is in the store until its last commit.
        log.error({ ...sweep.scope, cause }, 'stop_sweep.failed');
        sweep.idle += 1;
        schedule(sweep, pauseOf(sweep));
      });
    });
  }

  /**
   * One batch of the pass; at its end the next pass, or the end of the sweep when no open buy was
   * met.
   */
  async function step(sweep: Running): Promise<void> {
    const { scope } = sweep;
    const request = store.get(STOP_SWEEPS, stopKey(scope));
    if (request === null) return end(sweep);
    if (sweep.after === null) sweep.request = request;
    const page = store.range(OPEN_ORDERS, {
      prefix: scope.kind === 'all' ? [] : [scope.userId],
      limit: STOP_SWEEP.ordersPerBatch,
      ...(sweep.after === null ? {} : { after: sweep.after }),
    });
    const buys = page.flatMap(({ key }) => {
      const record = store.get(ORDERS, key)?.value;
      return record !== undefined && record.intent.side === 'buy' && !isTerminal(record.state)
        ? [record]
        : [];
    });
    sweep.met += buys.length;
    const cancelled = await Promise.all(
      buys.filter(({ cancelWanted }) => !cancelWanted).map(cancel),
    );
    sweep.hasMoved ||= cancelled.includes(true);
    sweep.after = page.at(-1)?.key ?? null;
    if (page.length === STOP_SWEEP.ordersPerBatch)
      return schedule(sweep, STOP_SWEEP.betweenBatchesMs);
    if (sweep.met === 0) return finish(sweep);
    sweep.idle = sweep.hasMoved ? 0 : sweep.idle + 1;
    Object.assign(sweep, { after: null, met: 0, hasMoved: false });
    schedule(sweep, pauseOf(sweep));
  }

  /**
   * True when the request to cancel is new and stored; the order's machine sees to the rest, also
   * after a restart.
   */
  async function cancel({ intent: { userId, intentId } }: OrderRecord): Promise<boolean> {
    try {
      await orders.cancel(userId, intentId, 'stop');
      return true;
    } catch (cause) {
      // An order that ended meanwhile, or that the venue holds in its delay: the next pass looks
      // again.
      if (!(cause instanceof AppError) || cause.code !== 'order_not_cancellable') throw cause;
      return false;
    }
  }

  async function finish(sweep: Running): Promise<void> {
    const isDone = await commit((tx) => {
      const request = tx.get(STOP_SWEEPS, stopKey(sweep.scope));
      if (request !== null && !isSame(request, sweep.request)) return false;
      tx.remove(STOP_SWEEPS, stopKey(sweep.scope));
      return true;
    });
    if (isDone) log.info({ ...sweep.scope }, 'stop.swept');
    end(sweep);
  }

  function end(sweep: Running): void {
    running.delete(stopKey(sweep.scope).join(' '));
    tell();
    // A stop that was set anew, or while the end of this sweep was being stored, found it
    // running.
    begin(sweep.scope);
  }

  return {
    recover() {
      for (const { key } of store.range(STOP_SWEEPS)) begin(stopScopeOf(key));
      tell();
    },
    stop() {
      isOver = true;
      endFacts();
      for (const { timer } of running.values()) timer?.cancel();
    },
  };
}

/** One that was taken out and put again counts its versions anew. */
function isSame(request: Versioned<OpenMark>, other: Versioned<OpenMark> | null): boolean {
  return request.version === other?.version && request.value.sinceMs === other.value.sinceMs;
}

function pauseOf({ idle }: Running): number {
  return backOffMs(idle, {
    firstMs: STOP_SWEEP.pauseFirstMs,
    maximumMs: STOP_SWEEP.pauseMaximumMs,
  });
}
