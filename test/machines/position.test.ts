import { createActor } from 'xstate';
import { describe, expect, it } from 'vitest';
import { RESOLUTION } from '../../config/limits.ts';
import { withPositionEffects, type PositionStanding } from '../../machines/position.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { toActorClock } from '../../machines/actor-clock.ts';
import type { MarketId } from '../../src/domain/ids.ts';
import { aMarketId, T0 } from '../support/builders.ts';

type Answer = PositionStanding | 'hangs' | 'throws';

/** Starts a watch whose effects answer by script; the last answer of each is repeated. */
function startWatch(
  script: { readonly ask: readonly Answer[]; readonly pay?: readonly Answer[] },
  untilEndMs = 600_000,
  start: 'fresh' | 'found' = 'fresh',
) {
  const clock = createVirtualClock(T0);
  const calls: string[] = [];
  const left = { ask: [...script.ask], pay: [...(script.pay ?? [])] };
  const answer =
    (effect: 'ask' | 'pay') =>
    (marketId: MarketId): Promise<PositionStanding> => {
      expect(marketId).toBe(aMarketId(1));
      calls.push(effect);
      const next = left[effect].length > 1 ? left[effect].shift() : left[effect][0];
      if (next === undefined || next === 'hangs') return new Promise(() => undefined);
      return next === 'throws' ? Promise.reject(new Error('down')) : Promise.resolve(next);
    };
  const actor = createActor(withPositionEffects({ ask: answer('ask'), pay: answer('pay') }), {
    input: { marketId: aMarketId(1), untilEndMs, start },
    clock: toActorClock(clock),
  });
  actor.start();
  return { clock, calls, actor, state: () => topOf(actor.getSnapshot().value) };
}

/** Name of the outermost state. */
function topOf(value: string | object): string {
  return typeof value === 'string' ? value : String(Object.keys(value)[0]);
}

describe('the position machine', () => {
  it('asks nothing before the market ends', async () => {
    const { clock, calls, state } = startWatch({ ask: ['unresolved'] });
    await clock.advance(600_000);
    expect(calls).toEqual([]);
    expect(state()).toBe('open');
  });

  it('market-resolved-silently: asks again and again after the end, until it is paid', async () => {
    const { clock, calls, state } = startWatch({
      ask: ['unresolved', 'throws', 'hangs', 'unresolved', 'paid'],
    });
    await clock.advance(600_000 + 10 * RESOLUTION.maximumMs);
    expect(calls).toEqual(['ask', 'ask', 'ask', 'ask', 'ask']);
    expect(state()).toBe('paid');
  });

  it.each<['ask' | 'pay', 'market.hint' | 'fill.final', PositionStanding]>([
    ['ask', 'market.hint', 'unresolved'],
    ['pay', 'fill.final', 'paying'],
  ])(
    'looks soon again where the word comes while it %ss, however long there had been none (%s)',
    async (held, type, stale) => {
      let answer = (_standing: PositionStanding): void => undefined;
      const calls: string[] = [];
      const effect = (name: 'ask' | 'pay') => (): Promise<PositionStanding> => {
        calls.push(name);
        if (name === held && calls.length === 9)
          return new Promise((resolve) => (answer = resolve));
        return Promise.resolve(stale);
      };
      const clock = createVirtualClock(T0);
      const actor = createActor(withPositionEffects({ ask: effect('ask'), pay: effect('pay') }), {
        input: { marketId: aMarketId(1), untilEndMs: 0, start: 'fresh' },
        clock: toActorClock(clock),
      });
      actor.start();
      await clock.advanceUntil(() => calls.length === 9, 20 * RESOLUTION.maximumMs);
      actor.send({ type });
      answer(stale);
      await clock.advance(2 * RESOLUTION.firstMs);
      expect(calls.length).toBe(10);
    },
  );

  it('L9: found at a start, it asks whether the market ended unheard, until the venue answers, and then waits', async () => {
    const { clock, calls, state } = startWatch(
      { ask: ['throws', 'hangs', 'unresolved'] },
      600_000,
      'found',
    );
    await clock.advance(500_000);
    expect(calls).toEqual(['ask', 'ask', 'ask']);
    expect(state()).toBe('open');
  });

  it('L9: found at a start, it pays what ended unheard', async () => {
    const { clock, calls, state } = startWatch(
      { ask: ['paying'], pay: ['paid'] },
      600_000,
      'found',
    );
    await clock.advance(RESOLUTION.maximumMs);
    expect(calls).toEqual(['ask', 'pay']);
    expect(state()).toBe('paid');
  });

  it('checks now and then whether the market ended early without a report, and still asks right after its end', async () => {
    const untilEndMs = 2.5 * RESOLUTION.checkIntervalMs;
    const { clock, calls, state } = startWatch(
      { ask: ['unresolved', 'throws', 'unresolved', 'unresolved', 'unresolved', 'paid'] },
      untilEndMs,
    );
    await clock.advance(untilEndMs);
    expect([calls.length, state()]).toEqual([3, 'open']);
    await clock.advance(RESOLUTION.firstMs);
    expect([calls.length, state()]).toEqual([4, 'pausing']);
    await clock.advance(6 * RESOLUTION.firstMs);
    expect([calls.length, state()]).toEqual([6, 'paid']);
  });

  it('asks at once on a hint', async () => {
    const { clock, actor, state } = startWatch({ ask: ['unresolved', 'paid'] });
    actor.send({ type: 'market.hint' });
    await clock.settle();
    expect(state()).toBe('pausing');
    actor.send({ type: 'market.hint' });
    await clock.settle();
    expect(state()).toBe('paid');
  });

  it('L3: waits for fills to be final before it pays', async () => {
    const { clock, actor, calls, state } = startWatch(
      { ask: ['paying'], pay: ['paying', 'throws', 'paid'] },
      0,
    );
    await clock.advance(RESOLUTION.firstMs);
    expect(state()).toBe('resolved');
    actor.send({ type: 'fill.final' });
    await clock.settle();
    expect(calls).toEqual(['ask', 'pay']);
    await clock.advance(10 * RESOLUTION.maximumMs);
    expect(calls).toEqual(['ask', 'pay', 'pay', 'pay']);
    expect(state()).toBe('paid');
  });

  it('tries again when paying hangs', async () => {
    const { clock, state } = startWatch({ ask: ['paying'], pay: ['hangs', 'paid'] }, 0);
    await clock.advance(10 * RESOLUTION.maximumMs);
    expect(state()).toBe('paid');
  });

  it('looks no more often at a market whose end is further off than a native timer reaches', async () => {
    const { clock, calls, state } = startWatch({ ask: ['unresolved'] }, 30 * 86_400_000);
    await clock.advance(30 * 86_400_000);
    expect([calls.length, state()]).toEqual([
      (30 * 86_400_000) / RESOLUTION.checkIntervalMs,
      'open',
    ]);
    await clock.advance(RESOLUTION.firstMs);
    expect(state()).toBe('pausing');
  });

  it('stops cleanly: no timer is left', () => {
    const { clock, actor } = startWatch({ ask: ['unresolved'] });
    actor.stop();
    expect(clock.pending).toBe(0);
  });
});
