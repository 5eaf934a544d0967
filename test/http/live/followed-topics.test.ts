import { describe, expect, it } from 'vitest';
import { SURFACE } from '../../../config/limits.ts';
import type { BookView } from '../../../src/domain/book.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { TokenId } from '../../../src/domain/ids.ts';
import { createFollowedTopics } from '../../../src/http/live/followed-topics.ts';
import type { FollowedTopics, SharedTopic } from '../../../src/http/live/followed-topics.ts';
import { aBook } from '../samples.ts';

/** Topics over a source that counts its watches and tells on request. */
function follow(): {
  readonly topics: FollowedTopics;
  readonly running: string[];
  tell(tokenId: string, view: BookView): void;
} {
  const running: string[] = [];
  const views = new Map<string, BookView>();
  const tellers = new Map<string, () => void>();
  const topics = createFollowedTopics({
    watchBook(tokenId, onChange) {
      if (tokenId === 'unknown') return null;
      running.push(tokenId);
      tellers.set(tokenId, onChange);
      return {
        current: () => views.get(tokenId) ?? null,
        stop: () => void running.splice(running.indexOf(tokenId), 1),
      };
    },
    watchPrice(asset) {
      running.push(asset);
      return { current: () => null, stop: () => void running.splice(running.indexOf(asset), 1) };
    },
  });
  return {
    topics,
    running,
    tell(tokenId, view) {
      views.set(tokenId, view);
      tellers.get(tokenId)?.();
    },
  };
}

function bookTopic(tokenId: string): Extract<SharedTopic, { kind: 'book' }> {
  return { kind: 'book', name: `orderbook:${tokenId}`, tokenId: asId<TokenId>(tokenId) };
}

describe('followed topics', () => {
  it('are watched once for all who follow, and until the last has left', () => {
    const { topics, running, tell } = follow();
    const told: string[] = [];
    const first = topics.book(bookTopic('1'), () => told.push('first'));
    const second = topics.book(bookTopic('1'), () => told.push('second'));
    tell('1', aBook());
    expect([told, running, first?.current() === second?.current()]).toEqual([
      ['first', 'second'],
      ['1'],
      true,
    ]);
    first?.stop();
    first?.stop();
    tell('1', aBook({ seq: 2 }));
    expect([told, running]).toEqual([['first', 'second', 'second'], ['1']]);
    second?.stop();
    expect(running).toEqual([]);
  });

  it('tell who comes later at once of what is there', () => {
    const { topics, tell } = follow();
    topics.book(bookTopic('1'), () => undefined);
    tell('1', aBook());
    let told = 0;
    topics.book(bookTopic('1'), () => (told += 1));
    expect(told).toBe(1);
  });

  it('are refused where the source knows none, and beyond the limit, until one is left', () => {
    const { topics, running } = follow();
    expect(topics.book(bookTopic('unknown'), () => undefined)).toBeNull();
    const price = topics.price(
      { kind: 'price', name: 'prices:BTC', asset: 'BTC' },
      () => undefined,
    );
    for (let index = 1; index < SURFACE.topicsMaximum; index += 1)
      topics.book(bookTopic(String(index)), () => undefined);
    expect([
      topics.book(bookTopic('999999'), () => undefined),
      topics.book(bookTopic('1'), () => undefined) === null,
      running.length,
    ]).toEqual([null, false, SURFACE.topicsMaximum]);
    price?.stop();
    expect(topics.book(bookTopic('999999'), () => undefined)).not.toBeNull();
  });
});
