import { describe, expect, it } from 'vitest';
import { VIEWED } from '../../../config/limits/portfolio.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import { createViewedPositions } from '../../../src/services/portfolio/viewed-positions.ts';
import { aViewedPosition, createFakeView, viewedPositions } from '../../support/fakes/fake-view.ts';
import { createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { VENUE_C, VENUE_D } from '../../support/venue-ids.ts';

const ADA = asId<UserId>('usr_ada');
const BOB = asId<UserId>('usr_bob');
const walletOf = (userId: UserId) => asId<Address>(`0x${userId.length}${userId}`);
const down = async () => {
  throw new AppError('venue_unavailable', 'the venue is away', { retryable: true });
};
const never = () => new Promise<never>(() => undefined);

function start() {
  const clock = createVirtualClock(1_800_000_000_000);
  const [view, other] = [createFakeView(VENUE_D), createFakeView(VENUE_C)];
  view.answer = async () => viewedPositions([aViewedPosition()]);
  const log = createKeptLog();
  const reads: (() => void)[] = [];
  const metrics = { ...createKeptMetrics(), beforeRead: (set: () => void) => void reads.push(set) };
  const service = createViewedPositions({ views: [view, other], walletOf, clock, log, metrics });
  return {
    clock,
    view,
    other,
    log,
    service,
    ageSeconds() {
      reads.forEach((set) => set());
      return metrics.counts.get(`view_age_seconds ${VENUE_D}`);
    },
    async read(userId = ADA) {
      const [part] = await service.read(userId);
      return [part?.state, part?.reading?.positions.length ?? null, part?.reading?.atMs ?? null];
    },
  };
}

describe('positions at view-only venues', () => {
  it('are asked for when a user reads them, at the wallet that is theirs, and for no other user', async () => {
    const { view, read, clock } = start();
    await clock.advance(VIEWED.keptMs);
    expect(view.asked).toEqual([]);
    expect(await read()).toEqual(['ok', 1, clock.nowMs()]);
    expect(view.asked).toEqual([walletOf(ADA)]);
  });

  it('are good for a while, then asked for behind, and shown the next time', async () => {
    const { view, read, clock } = start();
    const first = await read();
    await clock.advance(VIEWED.keptMs - 1);
    expect(await read()).toEqual(first);
    expect(view.asked).toHaveLength(1);
    await clock.advance(1);
    expect(await read()).toEqual(first);
    await clock.advance(0);
    expect(await read()).toEqual(['ok', 1, clock.nowMs()]);
    expect(view.asked).toHaveLength(2);
  });

  it('of a user without any are asked for less often', async () => {
    const { other, read, clock } = start();
    await read();
    await clock.advance(VIEWED.emptyKeptMs - 1);
    await read();
    expect(other.asked).toHaveLength(1);
    await clock.advance(1);
    await read();
    expect(other.asked).toHaveLength(2);
  });

  it('hold a first read up for a moment, and none after it, while their venue does not answer', async () => {
    const { view, read, clock } = start();
    view.answer = never;
    const first = read();
    await clock.advance(VIEWED.firstWaitMs - 1);
    const second = read();
    expect(await second).toEqual(['slow', null, null]);
    await clock.advance(1);
    expect(await first).toEqual(['slow', null, null]);
    expect(view.asked).toHaveLength(1);
  });

  it('stay as they were last read, with their age, while their venue is away, and come back with it', async () => {
    const { view, read, clock, ageSeconds } = start();
    const [, , readAtMs] = await read();
    view.answer = down;
    await clock.advance(VIEWED.keptMs);
    await read();
    await clock.advance(0);
    expect(await read()).toEqual(['away', 1, readAtMs]);
    expect(ageSeconds()).toBe(VIEWED.keptMs / 1_000);
    expect(ageSeconds()).toBe(0);
    view.answer = async () => viewedPositions([aViewedPosition()]);
    await clock.advance(VIEWED.retry.firstMs);
    await read();
    await clock.advance(0);
    expect(await read()).toEqual(['ok', 1, clock.nowMs()]);
  });

  it('are asked for more and more seldom while it fails, and that is logged once', async () => {
    const { view, read, clock, log } = start();
    view.answer = down;
    expect(await read()).toEqual(['away', null, null]);
    for (let second = 0; second < 60; second += 1) {
      await clock.advance(1_000);
      await read();
    }
    expect(view.asked).toHaveLength(4); // at once, after 5, 15 and 35 seconds
    expect(log.lines.map(({ event }) => event)).toEqual(['view.not_read']);
  });

  it('that are old are waited for once more by who comes back, and said to be slow meanwhile', async () => {
    const { view, read, clock } = start();
    await read();
    view.answer = never;
    await clock.advance(VIEWED.keptMs + VIEWED.graceMs);
    const back = read();
    await clock.advance(VIEWED.firstWaitMs);
    expect((await back).slice(0, 2)).toEqual(['slow', 1]);
  });

  it('of one venue stand while another is away, and of one user while another waits', async () => {
    const { view, other, service, read, clock } = start();
    other.answer = down;
    const parts = await service.read(ADA);
    expect(parts.map(({ venue, state }) => [venue, state])).toEqual([
      [VENUE_D, 'ok'],
      [VENUE_C, 'away'],
    ]);
    view.answer = never;
    const waiting = read(BOB);
    expect((await read(ADA)).slice(0, 2)).toEqual(['ok', 1]);
    await clock.advance(VIEWED.firstWaitMs);
    expect(await waiting).toEqual(['slow', null, null]);
  });

  it('are given up when the service ends', async () => {
    const { view, service, log } = start();
    const given: AbortSignal[] = [];
    view.answer = (_account, signal) => {
      given.push(signal);
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () =>
          reject(new AppError('venue_unavailable', 'given up')),
        ),
      );
    };
    const read = service.read(ADA);
    service.stop();
    expect(given.map(({ aborted }) => aborted)).toEqual([true]);
    await read;
    expect(await service.read(BOB)).toHaveLength(2);
    expect(view.asked).toHaveLength(1);
    expect(log.lines).toEqual([]);
  });
});
