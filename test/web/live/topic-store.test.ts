import { describe, expect, it } from 'vitest';
import type { TopicMessage, TopicReader } from '../../../src/web/live/socket.ts';
import { topicStore } from '../../../src/web/live/topic-store.ts';

const message = (kind: 'snapshot' | 'change', data: unknown): TopicMessage => ({
  topic: 't',
  kind,
  epoch: 1,
  seq: 1,
  ageMs: 30,
  trusted: true,
  data,
});

/** A store of a list of numbers, what feeds it, and its frames. */
function aStore() {
  const readers = new Set<TopicReader>();
  let frame: ((atMs: number) => void) | null = null;
  let heard = 0;
  const store = topicStore<readonly number[]>(
    {
      read: (reader) => {
        readers.add(reader);
        return () => readers.delete(reader);
      },
      beforeFrame: (callback) => {
        frame = callback;
        return () => {
          frame = null;
        };
      },
      nowMs: () => 1_000,
    },
    {
      toState: (snapshot) => [Number(snapshot)],
      fold: (numbers, change) => numbers && [...numbers, Number(change)],
    },
  );
  const stop = store.listen(() => {
    heard += 1;
  });
  return {
    store,
    stop,
    tell: (to: (reader: TopicReader) => void) => {
      for (const reader of readers) to(reader);
    },
    draw: (atMs: number) => {
      const callback = frame;
      frame = null;
      callback?.(atMs);
    },
    isFrameAwaited: () => frame !== null,
    heard: () => heard,
  };
}

describe('the store of a topic', () => {
  it('knows nothing before a snapshot, and takes no change before it', () => {
    const { store, tell } = aStore();
    store.connect();
    tell((reader) => reader.change(message('change', 2)));
    expect(store.view()).toEqual({ data: null, isTrusted: false, inputAtMs: null, ended: null });
  });

  it('calls back once before a frame, however many changes came, and has them all by then', () => {
    const { store, tell, draw, heard } = aStore();
    store.connect();
    tell((reader) => reader.snapshot(message('snapshot', 1)));
    tell((reader) => reader.change(message('change', 2)));
    tell((reader) => reader.change(message('change', 3)));
    expect(heard()).toBe(0);
    draw(0);
    expect(heard()).toBe(1);
    expect(store.view()).toEqual({
      data: [1, 2, 3],
      isTrusted: true,
      inputAtMs: 970,
      ended: null,
    });
    expect(store.view()).toBe(store.view());
  });

  it('calls back every other frame of those that come one after the other, and at once after a rest', () => {
    const { store, tell, draw, heard } = aStore();
    store.connect();
    tell((reader) => reader.snapshot(message('snapshot', 1)));
    draw(0);
    tell((reader) => reader.change(message('change', 2)));
    draw(17);
    expect(heard()).toBe(1);
    tell((reader) => reader.change(message('change', 3)));
    draw(33);
    expect(heard()).toBe(2);
    expect(store.view().data).toEqual([1, 2, 3]);
    draw(50);
    expect(heard()).toBe(2);
    tell((reader) => reader.change(message('change', 4)));
    draw(500);
    expect(heard()).toBe(3);
  });

  it('keeps what it knew when its topic has ended, with the reason', () => {
    const { store, tell } = aStore();
    store.connect();
    tell((reader) => reader.snapshot(message('snapshot', 1)));
    tell((reader) => reader.ended('The market is closed.'));
    expect(store.view()).toMatchObject({ data: [1], ended: 'The market is closed.' });
  });

  it('hears nothing more once it was left, and draws nothing either', () => {
    const { store, tell, draw, heard, isFrameAwaited } = aStore();
    const leave = store.connect();
    tell((reader) => reader.snapshot(message('snapshot', 1)));
    leave();
    expect(isFrameAwaited()).toBe(false);
    tell((reader) => reader.change(message('change', 2)));
    draw(0);
    expect(heard()).toBe(0);
    expect(store.view().data).toEqual([1]);
  });

  it('calls no listener back that has stopped listening', () => {
    const { store, tell, draw, heard, stop } = aStore();
    store.connect();
    stop();
    tell((reader) => reader.snapshot(message('snapshot', 1)));
    draw(0);
    expect(heard()).toBe(0);
  });
});
