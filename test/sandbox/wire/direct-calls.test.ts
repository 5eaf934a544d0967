import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { callFeed } from '../../../src/sandbox/wire/direct-calls.ts';

/** A feed on a line of 20 ms. */
function aFeed() {
  const clock = createVirtualClock(0);
  return { clock, feed: callFeed({ clock, latencyMs: 20 }, () => ({ status: 200, body: 'word' })) };
}

describe('calls without a network', () => {
  it('leave nothing behind at a signal that outlives them', async () => {
    const { clock, feed } = aFeed();
    const { signal } = new AbortController();
    const answer = feed.send({ method: 'GET', path: '/', timeoutMs: 1_000, signal });
    await clock.advance(100);
    expect(await answer).toMatchObject({ kind: 'answered', text: 'word' });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('are lost when they are given up', async () => {
    const { clock, feed } = aFeed();
    const giving = new AbortController();
    const answer = feed.send({ method: 'GET', path: '/', timeoutMs: 1_000, signal: giving.signal });
    await clock.advance(10);
    giving.abort();
    expect(await answer).toEqual({ kind: 'lost', cause: 'given up' });
  });
});
