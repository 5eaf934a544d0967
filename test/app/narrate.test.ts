import { describe, expect, it } from 'vitest';
import { createMemoryBus } from '../../src/adapters/bus/memory-bus.ts';
import { narrate } from '../../src/app/narrate.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import type { UserId } from '../../src/domain/ids.ts';
import { aMarket, aUserId } from '../support/builders.ts';
import { aFill } from '../support/money-records.ts';
import { createKeptLog } from '../support/quiet.ts';

const market = aMarket();
const demo = aUserId('demo');
const stranger = aUserId('ada');
const NOON = Date.UTC(2026, 0, 1, 12);

function told(events: readonly DomainEvent[]): readonly string[] {
  const bus = createMemoryBus({ log: createKeptLog() });
  const lines: string[] = [];
  narrate({ bus, print: (line) => void lines.push(line), nameOf: (userId) => (userId === demo ? null : 'ada_l'), marketOf: () => market });
  bus.publish(events.map((event, index) => ({ seq: index + 1, event })));
  return lines;
}

function filled(userId: UserId, atMs: number): DomainEvent {
  return { type: 'fill.recorded', userId, atMs, fill: aFill({ userId, marketId: market.marketId }) };
}

function settled(userId: UserId, atMs: number): DomainEvent {
  const { tradeId, orderId } = aFill();
  return { type: 'fill.settled', userId, atMs, tradeId, orderId, transactionHash: null };
}

describe('the story on the terminal', () => {
  it('says which trade is final by what was traded', () => {
    const [fill, final] = told([filled(demo, NOON), settled(demo, NOON + 1_000)]);
    const traded = /bought .* on \S+/.exec(fill ?? '')?.[0].split(' for ')[0];
    expect(final).toBe(`12:00:01  settled   ${traded}: final`);
  });

  it('names whoever is not the one whose story it is', () => {
    expect(told([settled(stranger, NOON)])[0]).toContain('settled   [ada_l] ');
  });

  it('never steps back in time, though a decision is told after it was judged', () => {
    expect(told([settled(demo, NOON + 5_000), settled(demo, NOON)]).map((line) => line.slice(0, 8))).toEqual(['12:00:05', '12:00:05']);
  });
});
