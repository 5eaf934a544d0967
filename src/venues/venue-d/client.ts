import { VENUE_D } from '../../../config/limits/venue-d.ts';
import { readAnswer } from '../../adapters/wire/read-answer.ts';
import { createRateLimit } from '../../adapters/wire/rate-limit.ts';
import type { HttpOutcome } from '../../adapters/wire/http-calls.ts';
import type { Transport } from '../../adapters/wire/transport.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { VENUE_D_ID } from './id.ts';
import { pageSchema } from './schema.ts';

/** One page of a portfolio. */
interface PortfolioPage {
  readonly rows: readonly unknown[];
  readonly hasNext: boolean;
}

/** Asks for portfolios, all users in one queue. */
export interface PortfolioClient {
  /** Pages count from 1. Errors: those of `PositionsView.positions`. */
  page(address: string, page: number, signal: AbortSignal): Promise<PortfolioPage>;
  close(): Promise<void>;
}

/**
 * Makes the client: a time-out, a size limit and one rate limit for everybody. After 429 nothing
 * leaves for as long as the venue asks.
 */
export function createPortfolioClient({
  url,
  apiKey,
  transport,
  wallClock,
  metrics,
}: {
  /** Base address without a trailing slash. */
  readonly url: string;
  /** Null: at the rate of those without one. */
  readonly apiKey: string | null;
  readonly transport: Transport;
  /** The venue counts calls in it. */
  readonly wallClock: Clock;
  readonly metrics: Metrics;
}): PortfolioClient {
  const calls = transport.calls({
    baseUrl: url,
    connectionsMaximum: VENUE_D.connections,
    keepAliveMs: VENUE_D.keepAliveMs,
    connectTimeoutMs: VENUE_D.connectTimeoutMs,
    answerMaximumBytes: VENUE_D.answerMaximumBytes,
    headers: {
      'user-agent': 'predictd/0.1',
      ...(apiKey === null ? {} : { 'x-api-key': apiKey }),
    },
  });
  const turns = createRateLimit({
    name: `${VENUE_D_ID} portfolios`,
    clock: wallClock,
    ...(apiKey === null ? VENUE_D.freeRate : VENUE_D.keyedRate),
    waitingMaximum: VENUE_D.waitingMaximum,
  });
  let pausedUntilMs = 0;
  const assertNotPaused = (): void => {
    const retryAfterMs = pausedUntilMs - wallClock.nowMs();
    if (retryAfterMs <= 0) return;
    throw new AppError('rate_limited', `${VENUE_D_ID} asked for slower calls`, {
      retryable: true,
      retryAfterMs,
    });
  };
  return {
    close: () => calls.close(),
    async page(address, page, signal) {
      assertNotPaused();
      const turn = turns.take();
      if (turn !== null) await turn;
      assertNotPaused();
      if (signal.aborted) throw new AppError('venue_unavailable', `${VENUE_D_ID}: given up`);
      const query = new URLSearchParams({
        page: String(page),
        limit: String(VENUE_D.pageRows),
        min_shares: VENUE_D.sharesMinimum,
        trading_model: 'all', // without it positions of the order book are left out (section 4)
      });
      const outcome = await calls.send({
        method: 'GET',
        path: `/users/${address.toLowerCase()}/portfolio?${query}`,
        timeoutMs: VENUE_D.callTimeoutMs,
        signal,
      });
      metrics.count('view_calls_total', { venue: VENUE_D_ID, outcome: resultOf(outcome) });
      if (outcome.kind === 'answered' && outcome.status === 429)
        pausedUntilMs =
          wallClock.nowMs() +
          Math.min(
            outcome.retryAfterMs ?? VENUE_D.retryAfterDefaultMs,
            VENUE_D.retryAfterMaximumMs,
          );
      assertNotPaused();
      return pageOf(outcome);
    },
  };
}

function resultOf(outcome: HttpOutcome): 'answered' | 'throttled' | 'failed' {
  if (outcome.kind !== 'answered') return 'failed';
  if (outcome.status === 429) return 'throttled';
  return outcome.status < 300 ? 'answered' : 'failed';
}

function pageOf(outcome: HttpOutcome): PortfolioPage {
  if (outcome.kind === 'answered' && (outcome.status === 401 || outcome.status === 403))
    throw new AppError('venue_restricted', `${VENUE_D_ID} refused with ${outcome.status}`);
  const read = readAnswer(outcome, pageSchema);
  if (read.kind !== 'read') {
    const isAway = outcome.kind !== 'answered' || outcome.status >= 500;
    const why = read.kind === 'absent' ? 'answered 404' : read.why;
    throw isAway
      ? new AppError('venue_unavailable', `${VENUE_D_ID} ${why}`, { retryable: true })
      : new AppError('venue_protocol', `${VENUE_D_ID} ${why}`);
  }
  const { value } = read;
  return 'data' in value
    ? { rows: value.data, hasNext: value.pagination.hasNext }
    : { rows: value, hasNext: value.length >= VENUE_D.pageRows };
}
