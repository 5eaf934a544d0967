import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { followOwnTopics } from '../../../src/web/live/own-topics.ts';
import type { SocketState, TopicMessage, TopicReader } from '../../../src/web/live/socket.ts';

/** A page that reads its own topics, and the calls it makes again. */
function page() {
  const clock = createVirtualClock(0);
  const readers = new Map<string, TopicReader>();
  const listeners = new Set<() => void>();
  const read: string[][] = [];
  let failed = 0;
  const live = {
    state: { kind: 'live' } as SocketState,
    read(topic: string, reader: TopicReader) {
      readers.set(topic, reader);
      return () => void readers.delete(topic);
    },
    listen(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const stop = followOwnTopics({
    live,
    scheduler: {
      after(ms, callback) {
        const timer = clock.after(ms, callback);
        return () => timer.cancel();
      },
    },
    readAgain: (names) => void read.push([...names]),
    readFailedAgain: () => {
      failed += 1;
    },
  });
  return {
    clock,
    read,
    stop,
    topics: () => [...readers.keys()],
    failed: () => failed,
    tell(topic: string, kind: 'snapshot' | 'change', event = '') {
      const reader = readers.get(topic);
      const message: TopicMessage = {
        topic,
        kind,
        epoch: 'a',
        seq: 1,
        ageMs: 0,
        trusted: true,
        data: { event },
      };
      if (kind === 'snapshot') reader?.snapshot(message);
      else reader?.change(message);
    },
    stand(state: SocketState) {
      live.state = state;
      for (const listener of listeners) listener();
    },
  };
}

describe('answers kept fresh by one’s own topics', () => {
  it('are read again together, once for a burst of changes', async () => {
    const { tell, clock, read } = page();
    tell('agents', 'change', 'agent.health');
    tell('agents', 'change', 'decision.made');
    tell('agents', 'change', 'decision.made');
    await clock.advance(10_000);
    expect(read).toEqual([
      [
        'GET /api/agents/',
        'GET /api/agents/:agent/decisions',
        'GET /api/agents/:agent/performance',
        'GET /api/agents/:agent/calibration',
      ],
    ]);
  });

  it('say how an agent on paper did once what it holds there has changed', async () => {
    const { tell, clock, read } = page();
    tell('agents', 'change', 'paper.changed');
    await clock.advance(10_000);
    expect(read).toEqual([
      [
        'GET /api/agents/',
        'GET /api/agents/:agent/decisions',
        'GET /api/agents/:agent/trades',
        'GET /api/agents/:agent/performance',
        'GET /api/agents/:agent/calibration',
      ],
    ]);
  });

  it('are not read again for a break in which nothing happened, but for what one holds', async () => {
    const { stand, clock, read, failed } = page();
    stand({ kind: 'lost', sinceMs: 0 });
    stand({ kind: 'live' });
    await clock.advance(10_000);
    expect([read, failed()]).toEqual([[['GET /api/portfolio/']], 1]);
  });

  it('are all read again by a snapshot, which comes where too much was missed', async () => {
    const { tell, clock, read } = page();
    tell('orders', 'snapshot');
    await clock.advance(10_000);
    expect(read).toHaveLength(1);
    expect(read[0]).toContain('GET /api/portfolio/orders');
  });

  it('are left alone after the user has left', async () => {
    const { tell, stop, clock, read, topics } = page();
    tell('orders', 'change', 'order.changed');
    stop();
    await clock.advance(10_000);
    expect([read, topics()]).toEqual([[], []]);
  });
});
