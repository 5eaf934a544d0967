import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/ports/clock.ts';
import type { Inference } from '../../src/ports/inference.ts';

/** An inference network under test, and the levers of its world. */
export interface InferenceUnderTest {
  readonly inference: Inference;
  readonly clock: Clock;
  /** Makes the next answers fail as the name says; `stale` turns their time back by an hour. */
  fail(how: 'rate_limited' | 'bad_gateway' | 'stale'): void;
  end(): Promise<void>;
}

/** What every network behind the inference port must do. */
export function describeInference(name: string, open: () => Promise<InferenceUnderTest>): void {
  describe(`the inference port on ${name}`, () => {
    let under: InferenceUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.end());

    it('predicts a price of every asset and horizon, with an interval around it and the time it speaks of', async () => {
      for (const asset of ['BTC', 'ETH', 'SOL'] as const) {
        for (const [horizon, epochMs] of [
          ['5m', 300_000],
          ['8h', 28_800_000],
        ] as const) {
          const { value, sourceAtMs, receivedAtMs } = await under.inference.latest(asset, horizon);
          expect(Number.isSafeInteger(value.price) && value.price > 0).toBe(true);
          expect(
            value.interval.every(
              (bound, index) => index === 0 || bound >= (value.interval[index - 1] ?? 0),
            ),
          ).toBe(true);
          expect(value.interval[0] <= value.price && value.price <= value.interval[4]).toBe(true);
          expect(receivedAtMs - sourceAtMs).toBeGreaterThanOrEqual(0);
          expect(receivedAtMs - sourceAtMs).toBeLessThan(2 * epochMs);
          expect(receivedAtMs).toBeLessThanOrEqual(under.clock.nowMs());
        }
      }
    });

    it('gives one value for one time it speaks of', async () => {
      const first = await under.inference.latest('BTC', '8h');
      const second = await under.inference.latest('BTC', '8h');
      expect({ ...second, receivedAtMs: 0 }).toEqual({ ...first, receivedAtMs: 0 });
    });

    it('has a topic of its own for each asset and horizon', async () => {
      const topics: number[] = [];
      for (const asset of ['BTC', 'ETH', 'SOL'] as const)
        for (const horizon of ['5m', '8h'] as const)
          topics.push((await under.inference.latest(asset, horizon)).value.topicId);
      expect(topics).toEqual([14, 18, 13, 17, 37, 38]);
    });

    it('L8: an old value comes with its old time', async () => {
      await under.inference.latest('BTC', '5m');
      under.fail('stale');
      const { sourceAtMs } = await under.inference.latest('BTC', '5m');
      expect(under.clock.nowMs() - sourceAtMs).toBeGreaterThan(3_000_000);
    });

    it.each([
      ['rate_limited', 'rate_limited'],
      ['bad_gateway', 'venue_unavailable'],
    ] as const)('fails retryably when the network answers %s, and recovers', async (how, code) => {
      await under.inference.latest('BTC', '5m');
      under.fail(how);
      await expect(under.inference.latest('BTC', '5m')).rejects.toMatchObject({
        code,
        retryable: true,
      });
      expect((await under.inference.latest('BTC', '5m')).value.topicId).toBe(14);
    });
  });
}
