import { describe, expect, it } from 'vitest';
import type { TopicMessage, TopicReader } from '../../../src/web/live/socket.ts';
import { BOOK, MARKET_PRICE, PRICE } from '../../../src/web/live/topic-shapes.ts';
import { type TopicShape, type TopicView, topicStore } from '../../../src/web/live/topic-store.ts';

const NOW_MS = 1_000;
const PRICED = { price: '65000.5', source: 'exchange', sourceAtMs: 900 };

/** What a page knows of a topic after these messages of its stream. */
function after<State>(
  shape: TopicShape<State>,
  messages: readonly Pick<TopicMessage, 'kind' | 'data' | 'trusted' | 'ageMs'>[],
): TopicView<State> {
  const readers: TopicReader[] = [];
  const store = topicStore<State>(
    {
      read: (reader) => {
        readers.push(reader);
        return () => undefined;
      },
      beforeFrame: () => () => undefined,
      nowMs: () => NOW_MS,
    },
    shape,
  );
  store.connect();
  for (const [seq, { kind, ...rest }] of messages.entries()) {
    const message: TopicMessage = { topic: 't', kind, epoch: 1, seq, ...rest };
    for (const reader of readers)
      if (kind === 'snapshot') reader.snapshot(message);
      else reader.change(message);
  }
  return store.view();
}

const nothingYet = { kind: 'snapshot', data: null, trusted: false, ageMs: null } as const;

describe('what a page knows of a topic', () => {
  it('is the first price that comes, where there was none when the page was opened', () => {
    const first = { kind: 'change', data: PRICED, trusted: true, ageMs: 40 } as const;
    expect(after(PRICE, [nothingYet])).toMatchObject({ data: null, isTrusted: false });
    expect(after(PRICE, [nothingYet, first])).toEqual({
      data: PRICED,
      isTrusted: true,
      inputAtMs: 960,
      ended: null,
    });
  });

  it('is the price of a pool that was read after the page was opened', () => {
    const data = { yes: '0.6', no: '0.4' };
    expect(
      after(MARKET_PRICE, [nothingYet, { kind: 'change', data, trusted: true, ageMs: 0 }]),
    ).toMatchObject({ data, isTrusted: true });
  });

  it('is the last price, not trusted, once the daemon has none any more', () => {
    const data = { yes: '0.6', no: '0.4' };
    expect(
      after(MARKET_PRICE, [
        { kind: 'snapshot', data, trusted: true, ageMs: 0 },
        { kind: 'change', data: null, trusted: false, ageMs: null },
      ]),
    ).toMatchObject({ data, isTrusted: false });
  });

  it('is a price of no amount once the one before is too old', () => {
    const tooOld = { ...PRICED, price: null };
    expect(
      after(PRICE, [
        { kind: 'snapshot', data: PRICED, trusted: true, ageMs: 0 },
        { kind: 'change', data: tooOld, trusted: false, ageMs: 6_000 },
      ]),
    ).toMatchObject({ data: tooOld, isTrusted: false });
  });

  it('is no book of a change alone, which is of a few levels', () => {
    const levels = { bids: [{ price: '0.5', size: '10' }], asks: [] };
    expect(
      after(BOOK, [nothingYet, { kind: 'change', data: levels, trusted: true, ageMs: 0 }]).data,
    ).toBeNull();
  });
});
