import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { asId, type Asset, type UserId } from '../../../src/domain/ids.ts';
import type { TokenPrice } from '../../../src/domain/token-price.ts';
import {
  createRealtime,
  type RealtimeEvent,
  type RealtimeSubject,
} from '../../../src/services/tokens/realtime.ts';
import { fakePrices } from '../../support/fakes/fake-token-data.ts';

const USER = asId<UserId>('usr_1');
const BTC: RealtimeSubject = { kind: 'asset', asset: 'BTC' };
const ETH: RealtimeSubject = { kind: 'asset', asset: 'ETH' };

function fixture() {
  const clock = createVirtualClock(1_700_000_000_000);
  const listeners = new Map<Asset, (price: TokenPrice | null) => void>();
  const newest = new Map<Asset, TokenPrice | null>();
  const realtime = createRealtime({
    watchAsset(asset, onChange) {
      listeners.set(asset, onChange);
      const known = newest.get(asset);
      if (known !== undefined) onChange(known);
      return () => void listeners.delete(asset);
    },
    prices: fakePrices(() => null),
    clock,
    epoch: 'run1',
  });
  const tell = (asset: Asset, dollars: number): void => {
    const price = { priceE18: BigInt(dollars) * 10n ** 18n, atMs: clock.nowMs() };
    newest.set(asset, price);
    listeners.get(asset)?.(price);
  };
  const follow = (subjects: readonly RealtimeSubject[], lastEventId: string | null = null) => {
    const events: RealtimeEvent[] = [];
    const stop = realtime.follow({ userId: USER, subjects, lastEventId }, (event) =>
      events.push(event),
    );
    return { stop, seen: () => events.map(dollarsOf), ids: () => events.map(({ id }) => id) };
  };
  return { clock, listeners, realtime, tell, follow };
}

function dollarsOf({ subject, price }: RealtimeEvent): string {
  const name = subject.kind === 'asset' ? subject.asset : subject.chain;
  return `${name} ${price === null ? 'none' : price.priceE18 / 10n ** 18n}`;
}

describe('prices as they come', () => {
  it('begin with the newest, and are sent at most four times a second', async () => {
    const { clock, tell, follow } = fixture();
    tell('BTC', 100);
    const reader = follow([BTC, ETH]);
    for (const dollars of [101, 102, 103]) tell('BTC', dollars);
    await clock.advance(250);
    tell('BTC', 104);
    await clock.advance(250);
    expect(reader.seen()).toEqual(['BTC 100', 'ETH none', 'BTC 103', 'BTC 104']);
  });

  it('give a reader that comes back what it missed, and nothing of other subjects', async () => {
    const { clock, tell, follow } = fixture();
    tell('BTC', 100);
    const first = follow([BTC]);
    const other = follow([ETH]);
    tell('BTC', 101);
    await clock.advance(250);
    const last = first.ids().at(-1) ?? '';
    first.stop();
    tell('BTC', 102);
    tell('ETH', 7);
    await clock.advance(250);
    tell('BTC', 103);
    await clock.advance(250);
    expect(follow([BTC], last).seen()).toEqual(['BTC 102', 'BTC 103']);
    expect(other.seen()).toEqual(['ETH none', 'ETH 7']);
  });

  it('begin anew for a reader of another run, or whose place is forgotten', async () => {
    const { clock, tell, follow } = fixture();
    tell('BTC', 100);
    follow([BTC]);
    await clock.advance(250);
    for (const id of ['run0.1', 'run1.999', 'nonsense'])
      expect(follow([BTC], id).seen()).toEqual(['BTC 100']);
  });

  it('are followed for a while after the last reader has left, and then no more', async () => {
    const { clock, listeners, follow } = fixture();
    follow([BTC]).stop();
    await clock.advance(59_000);
    expect([...listeners.keys()]).toEqual(['BTC']);
    await clock.advance(2_000);
    expect([...listeners.keys()]).toEqual([]);
  });

  it('are read by one user in five streams at most', () => {
    const { follow } = fixture();
    const readers = Array.from({ length: 5 }, () => follow([BTC]));
    expect(() => follow([BTC])).toThrowError(/you read 5 streams already/);
    readers[0]?.stop();
    expect(follow([BTC]).seen()).toEqual(['BTC none']);
  });
});
