import { describe, expect, it } from 'vitest';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import type { OrderGateway, UserEvent } from '../../../src/ports/order-gateway.ts';
import { watchMechanisms } from '../../../src/services/sync/watch-mechanisms.ts';

const USER = asId<UserId>('usr_ada');
type Listener = Parameters<OrderGateway['watch']>[1];

function begin(count: number) {
  const listeners: Listener[] = [];
  const ended: number[] = [];
  const heard: string[] = [];
  const gateways = Array.from({ length: count }, (_, index) => ({
    watch(_userId: UserId, listener: Listener) {
      listeners.push(listener);
      return () => void ended.push(index);
    },
  }));
  const stop = watchMechanisms(gateways, USER, {
    next: ({ kind }: UserEvent) => void heard.push(kind),
    error: (cause) => void heard.push(String(cause)),
  });
  const at = (index: number): Listener => listeners[index] ?? expect.unreachable('it is watched');
  return { at, ended, heard, stop };
}

describe("a user's channel over several mechanisms", () => {
  it('is connected once every one is, and again whenever one is anew', () => {
    const { at, heard } = begin(2);
    at(0).next({ kind: 'connected' });
    expect(heard).toEqual([]);
    at(1).next({ kind: 'connected' });
    at(0).next({ kind: 'connected' });
    expect(heard).toEqual(['connected', 'connected']);
  });

  it('is lost with the first that is, and hears nothing of the others afterwards', () => {
    const { at, ended, heard } = begin(2);
    at(1).error('gone');
    at(0).next({ kind: 'connected' });
    at(0).error('gone too');
    expect([heard, ended]).toEqual([['gone'], [0, 1]]);
  });

  it('ends all, once', () => {
    const { ended, stop } = begin(3);
    stop();
    stop();
    expect(ended).toEqual([0, 1, 2]);
  });
});
