import { describe, expect, it } from 'vitest';
import { asId } from '../../src/domain/ids.ts';
import {
  defaultLife,
  isAtRest,
  isResting,
  isTerminal,
  lastAttempt,
  openAttempt,
  sendUntilOf,
  withAttempt,
  withGas,
  withLastAttempt,
  type OrderAttempt,
  type OrderRecord,
} from '../../src/domain/order.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';
import { anAttempt } from '../support/attempts.ts';
import { anOrder } from '../support/worlds/money-records.ts';

const ENDED = { how: 'never', proof: 'absent', atMs: 1 } as const;
const over = anAttempt('0x01', { ended: ENDED });
const out = anAttempt('0x02');
const kept = (changes: Partial<OrderRecord>): OrderRecord =>
  anOrder({ ...changes, intent: { ...changes.intent, restsAt: 'service' } });

describe('an order', () => {
  it('lives as its side means it, or as the only way its venue knows', () => {
    const both = ['all_now', 'part_now', 'rests'] as const;
    const lives = (side: 'buy' | 'sell') =>
      [both, ['all_now'] as const, ['part_now'] as const, ['rests'] as const, []].map((known) =>
        defaultLife(side, known),
      );
    expect([lives('buy'), lives('sell')]).toEqual([
      ['all_now', 'all_now', 'part_now', 'all_now', 'all_now'],
      ['part_now', 'all_now', 'part_now', 'part_now', 'part_now'],
    ]);
  });

  it('rests, or does not', () => {
    expect((['rests', 'all_now', 'part_now'] as const).map((life) => isResting({ life }))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('is over in four states', () => {
    const states = ['filled', 'cancelled', 'expired', 'rejected', 'live', 'unknown'] as const;
    expect(states.map(isTerminal)).toEqual([true, true, true, true, false, false]);
  });

  it('waits with the service while nothing of it is out and it has not ended', () => {
    expect([
      isAtRest(kept({ state: 'live', attempts: [] })),
      isAtRest(kept({ state: 'live', attempts: [over] })),
      isAtRest(kept({ state: 'live', attempts: [over, out] })),
      isAtRest(kept({ state: 'filled', attempts: [over] })),
      isAtRest(anOrder({ state: 'live', attempts: [] })),
    ]).toEqual([true, true, false, false, false]);
  });
});

describe('attempts at an order', () => {
  it('are the newest, and the one that may still land', () => {
    const both = (attempts: readonly OrderAttempt[]) => [
      lastAttempt({ attempts }),
      openAttempt({ attempts }),
    ];
    expect([both([]), both([over]), both([over, over, out])]).toEqual([
      [null, null],
      [over, null],
      [out, out],
    ]);
  });

  it('leave until their own time where they are for a part, else until that of the order', () => {
    const part = {
      life: 'part_now',
      spendMicros: 1,
      receiveMicros: 1,
      sendUntilMs: 77,
      filledShares: shareMicros(0),
      filledUsdc: usdcMicros(0),
    } as const;
    const untilOf = (...attempts: readonly OrderAttempt[]) => sendUntilOf(anOrder({ attempts }));
    expect([
      untilOf(),
      untilOf(out),
      untilOf(over, over, anAttempt('0x03', { part })),
      untilOf(anAttempt('0x03', { part, ended: ENDED }), out),
    ]).toEqual([5_000, 5_000, 77, 5_000]);
  });

  it('L1: follow one another only on the end of the last', () => {
    const { ended: _, sends: _sends, lastSentAtMs: _at, ...signed } = out;
    const next = { ...signed, sends: 1, lastSentAtMs: 9, ended: null };
    expect([withAttempt([], signed, 9), withAttempt([over], signed, 9)]).toEqual([
      [next],
      [over, next],
    ]);
    expect(() => withAttempt([over, over, out], signed, 9)).toThrow('invariant broken');
  });

  it('keep what one that has ended cost, once', () => {
    const gas = { chain: 'BASE', units: '7' } as const;
    const ended = anOrder({ attempts: [over, out] });
    const paid = withGas(ended, over.attemptId, gas);
    expect(paid.attempts).toEqual([{ ...over, ended: { ...ENDED, gas } }, out]);
    expect(withGas(paid, over.attemptId, { ...gas, units: '9' })).toBe(paid);
    expect([
      withGas(ended, over.attemptId, undefined),
      withGas(ended, out.attemptId, gas),
      withGas(ended, asId('0x99'), gas),
    ]).toEqual([ended, ended, ended]);
  });

  it('change in the last alone', () => {
    expect(withLastAttempt([over, over, out], { sends: 2 })).toEqual([
      over,
      over,
      { ...out, sends: 2 },
    ]);
    const none: readonly OrderAttempt[] = [];
    expect(withLastAttempt(none, { sends: 2 })).toBe(none);
  });
});
