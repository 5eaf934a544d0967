import { describe, expect, it } from 'vitest';
import { FEEDS } from '../../../config/limits/market-data.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { openLastingSocket } from '../../../src/adapters/wire/lasting-socket.ts';
import type { Listener } from '../../../src/ports/listener.ts';
import { collect } from '../../support/collect.ts';

const LIFE_MS = 60_000;

function start() {
  const clock = createVirtualClock(0);
  const sockets: (Listener<Buffer> & { isOpen: boolean })[] = [];
  const heard = collect<Buffer>();
  const socket = openLastingSocket(
    {
      clock,
      lifeMs: () => LIFE_MS,
      open(listener) {
        const entry = { ...listener, isOpen: true };
        sockets.push(entry);
        return { send: () => true, close: () => (entry.isOpen = false) };
      },
    },
    heard,
  );
  return {
    clock,
    socket,
    words: () => heard.values.map(String),
    errors: heard.errors,
    say: (index: number, word: string) => sockets[index]?.next(Buffer.from(word)),
    lose: (index: number) => sockets[index]?.error(`lost ${index}`),
    open: () => sockets.map(({ isOpen }) => isOpen),
  };
}

describe('openLastingSocket', () => {
  it('opens the next socket while the last still speaks, and closes the last at the first frame of the next', async () => {
    const { clock, say, words, open, errors } = start();
    say(0, 'a');
    await clock.advance(LIFE_MS);
    say(0, 'b');
    expect(open()).toEqual([true, true]);
    say(1, 'c');
    expect([open(), words(), errors]).toEqual([[false, true], ['a', 'b', 'c'], []]);
    await clock.advance(LIFE_MS - 1);
    expect(open()).toEqual([false, true]);
    await clock.advance(1);
    expect(open()).toEqual([false, true, true]);
  });

  it('keeps the last one when the next does not come up, and tries again', async () => {
    const { clock, say, lose, open, errors } = start();
    await clock.advance(LIFE_MS);
    lose(1);
    await clock.advance(FEEDS.reconnectMaximumMs);
    say(2, 'c');
    expect([open(), errors]).toEqual([[false, true, true], []]);
  });

  it('leaves the row to the next socket when the last is dropped meanwhile, and fails once that is lost too', async () => {
    const { clock, lose, errors } = start();
    await clock.advance(LIFE_MS);
    lose(0);
    expect(errors).toEqual([]);
    lose(1);
    expect([errors, clock.pending]).toEqual([['lost 1'], 0]);
  });

  it('replaces early when asked, once however often', () => {
    const { socket, open } = start();
    socket.replace();
    socket.replace();
    expect(open()).toEqual([true, true]);
  });

  it('leaves no socket and no timer behind', () => {
    const { clock, socket, open } = start();
    socket.replace();
    socket.close();
    expect([open(), clock.pending]).toEqual([[false, false], 0]);
  });
});
