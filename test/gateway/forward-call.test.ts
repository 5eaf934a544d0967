import { describe, expect, it } from 'vitest';
import {
  forwardCall,
  type ForwardedCall,
  type Forwarding,
} from '../../src/gateway/forward-call.ts';
import type { ShardOwner } from '../../src/ports/shard-owner.ts';

const OWNERS: readonly ShardOwner[] = [
  { epoch: 1, url: 'http://one' },
  { epoch: 2, url: 'http://two' },
];
/** How an owner takes a call. */
type Way = 'answers' | 'away' | 'lost' | 'not owner' | 'replaced';

const call = (given: Partial<ForwardedCall> = {}): ForwardedCall => ({
  method: 'POST',
  path: '/api/venue_b/order/?limit=2',
  headers: ['idempotency-key', 'once'],
  body: Buffer.from('{}'),
  isMadeOnce: false,
  left: new AbortController().signal,
  ...given,
});

/** Owners that take a call one after another, each in its way; who is asked is noted. */
function forwardingTo(...ways: readonly Way[]) {
  const asked: { readonly origin: unknown; readonly headers: unknown }[] = [];
  let repeats = 0;
  const forwarding: Forwarding = {
    owners: {
      find: async () => OWNERS[asked.length] ?? OWNERS.at(-1) ?? null,
      replaced: (epoch) =>
        ways[epoch - 1] === 'replaced' ? AbortSignal.abort() : new AbortController().signal,
    },
    dispatcher: {
      request: async ({ origin, headers, signal }: never) => {
        const way = ways[asked.length];
        asked.push({ origin, headers });
        (signal as AbortSignal).throwIfAborted();
        if (way === 'away') throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
        if (way === 'lost') throw Object.assign(new Error('reset'), { code: 'UND_ERR_SOCKET' });
        return {
          statusCode: way === 'not owner' ? 421 : 201,
          headers: {},
          body: { dump: async () => undefined },
        } as never;
      },
    } as Forwarding['dispatcher'],
    repeated: () => void (repeats += 1),
  };
  return { forwarding, asked, repeats: () => repeats };
}

describe('a call that a gateway hands on', () => {
  it('is answered by the owner, which gets it as it was sent', async () => {
    const { forwarding, asked, repeats } = forwardingTo('answers');
    expect((await forwardCall(forwarding, call())).statusCode).toBe(201);
    expect(asked).toEqual([{ origin: 'http://one', headers: ['idempotency-key', 'once'] }]);
    expect(repeats()).toBe(0);
  });

  it.each(['away', 'not owner'] as const)(
    'goes to the next owner where the first one is %s, since nothing was begun',
    async (way) => {
      const { forwarding, asked, repeats } = forwardingTo(way, 'answers');
      expect((await forwardCall(forwarding, call())).statusCode).toBe(201);
      expect(asked.map(({ origin }) => origin)).toEqual(['http://one', 'http://two']);
      expect(repeats()).toBe(1);
    },
  );

  it.each(['lost', 'replaced'] as const)(
    'is repeated after its answer was %s where it may be carried out twice',
    async (way) => {
      const { forwarding, asked } = forwardingTo(way, 'answers');
      const answer = await forwardCall(forwarding, call({ isMadeOnce: true }));
      expect([answer.statusCode, asked.length]).toEqual([201, 2]);
    },
  );

  it.each(['lost', 'replaced'] as const)(
    'is not repeated after its answer was %s where it may not, and says so',
    async (way) => {
      const { forwarding, asked } = forwardingTo(way, 'answers');
      await expect(forwardCall(forwarding, call())).rejects.toMatchObject({
        code: 'answer_lost',
        retryable: false,
      });
      expect(asked.length).toBe(1);
    },
  );

  it('is refused as not done where no owner comes in time', async () => {
    const { forwarding } = forwardingTo();
    const none = { ...forwarding, owners: { ...forwarding.owners, find: async () => null } };
    await expect(forwardCall(none, call())).rejects.toMatchObject({
      code: 'shard_moving',
      retryable: true,
    });
  });

  it('is refused as perhaps done where its answer was lost and no owner comes in time', async () => {
    const { forwarding } = forwardingTo('lost');
    let asked = 0;
    const gone = {
      ...forwarding,
      owners: {
        ...forwarding.owners,
        find: async () => ((asked += 1) === 1 ? (OWNERS[0] ?? null) : null),
      },
    };
    await expect(forwardCall(gone, call({ isMadeOnce: true }))).rejects.toMatchObject({
      code: 'answer_lost',
    });
  });

  it('is refused as not done where it only reads, also where an answer was lost', async () => {
    const { forwarding } = forwardingTo('lost');
    let asked = 0;
    const find = async () => ((asked += 1) === 1 ? (OWNERS[0] ?? null) : null);
    const gone = { ...forwarding, owners: { ...forwarding.owners, find } };
    await expect(forwardCall(gone, call({ method: 'GET' }))).rejects.toMatchObject({
      code: 'shard_moving',
    });
  });

  it('ends with its caller', async () => {
    const { forwarding, asked } = forwardingTo('answers');
    const left = AbortSignal.abort(new Error('the caller has left'));
    await expect(forwardCall(forwarding, call({ left }))).rejects.toThrow('the caller has left');
    expect(asked).toEqual([]);
  });
});
