import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createHeartbeats } from '../../../src/sandbox/engine/heartbeats.ts';

function start() {
  const clock = createVirtualClock(0);
  const lost: string[] = [];
  return {
    clock,
    lost,
    beats: createHeartbeats(clock, createSeededRandom(1), (owner) => void lost.push(owner)),
  };
}

describe('the dead-man switch', () => {
  it('stays quiet as long as beats carry the last id', async () => {
    const { clock, lost, beats } = start();
    let id = beats.beat('key', '').heartbeatId;
    for (let beat = 0; beat < 6; beat += 1) {
      await clock.advance(5_000);
      const answer = beats.beat('key', id);
      expect(answer.valid).toBe(true);
      id = answer.heartbeatId;
    }
    expect(lost).toEqual([]);
  });

  it('fires fifteen seconds after the last valid beat, and is unarmed then', async () => {
    const { clock, lost, beats } = start();
    beats.beat('key', '');
    await clock.advance(14_999);
    expect(lost).toEqual([]);
    await clock.advance(1);
    expect(lost).toEqual(['key']);
    await clock.advance(60_000);
    expect(lost).toEqual(['key']);
  });

  it('names the id it expected and does not take a wrong one for a beat', async () => {
    const { clock, lost, beats } = start();
    const { heartbeatId } = beats.beat('key', '');
    await clock.advance(10_000);
    expect(beats.beat('key', 'wrong')).toEqual({ valid: false, heartbeatId });
    await clock.advance(5_000);
    expect(lost).toEqual(['key']);
  });
});
