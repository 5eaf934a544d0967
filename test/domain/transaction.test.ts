import { describe, expect, it } from 'vitest';
import {
  attemptToSend,
  isGivenUp,
  isTransactionOver,
  type Attempt,
} from '../../src/domain/transaction.ts';

const attempt = (id: string, isCancel = false): Attempt => ({
  id,
  bytes: '0x00',
  bound: { kind: 'nonce', nonce: 7 },
  isCancel,
  sinceHeight: 1,
  signedAtMs: 1_000,
});

describe('a transaction', () => {
  it('is over once it is proven done or failed', () => {
    const states = [
      'intended',
      'signed',
      'submitted',
      'unknown',
      'mined',
      'done',
      'failed',
    ] as const;
    expect(states.filter(isTransactionOver)).toEqual(['done', 'failed']);
  });

  it('sends the newest of its attempts, and nothing before it is signed', () => {
    expect(attemptToSend({ attempts: [] })).toBeNull();
    const attempts = ['0x1', '0x2', '0x3'].map((id) => attempt(id));
    expect(attemptToSend({ attempts })?.id).toBe('0x3');
  });

  it('is given up once any attempt is a call without effect in its place', () => {
    expect(
      [
        [],
        [attempt('0x1')],
        [attempt('0x1'), attempt('0x2', true)],
        [attempt('0x2', true), attempt('0x3')],
      ].map((attempts) => isGivenUp({ attempts })),
    ).toEqual([false, false, true, true]);
  });
});
