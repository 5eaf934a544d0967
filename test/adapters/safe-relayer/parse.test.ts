import { describe, expect, it } from 'vitest';
import { relayOutcome, relayWord } from '../../../src/adapters/safe-relayer/parse.ts';
import type { HttpOutcome } from '../../../src/adapters/wire/http-calls.ts';

const answered = (status: number, body: unknown): HttpOutcome => ({
  kind: 'answered',
  status,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  retryAfterMs: null,
});
const refused = (error: string, status = 400): HttpOutcome => answered(status, { error });
const HASH = `0x${'ab'.repeat(32)}`;
const row = (state: string, transactionHash: string | null = HASH, transactionID = 'tx-1') => ({
  transactionID,
  transactionHash,
  state,
  other: 1,
});

describe('the answer to a submission', () => {
  it('is an acceptance with the id to ask by, whatever hash comes with it', () => {
    expect(
      relayOutcome(
        answered(200, {
          transactionID: 'tx-1',
          state: 'STATE_NEW',
          transactionHash: `0x${'00'.repeat(32)}`,
        }),
      ),
    ).toEqual({ kind: 'accepted', handle: 'tx-1' });
  });

  it.each([
    'wallet busy: wallet 0xabc already has an active action',
    'Wallet has in-flight action 17',
  ])('is "busy" when another action is in flight: %s', (reason) => {
    expect(relayOutcome(refused(reason))).toEqual({ kind: 'busy', reason });
  });

  it('tells a nonce the Safe has passed from one it has not come to', () => {
    expect(relayOutcome(refused('batch nonce 3 does not match on-chain nonce 4')).kind).toBe(
      'stale',
    );
    expect(relayOutcome(refused('batch nonce 10 does not match on-chain nonce 9')).kind).toBe(
      'refused',
    );
    expect(relayOutcome(refused('safe 0xabc is already deployed')).kind).toBe('stale');
  });

  it("is a refusal only in the relayer's own words about this body", () => {
    expect(relayOutcome(refused('invalid signature'))).toEqual({
      kind: 'refused',
      reason: 'invalid signature',
    });
    expect(relayOutcome(answered(400, '<html>Bad Request</html>'))).toEqual({
      kind: 'unknown',
      reason: 'answered 400',
    });
  });

  it.each([401, 403, 404, 425, 500, 502, 503])(
    'L2: leaves the action undecided at status %i',
    (status) => {
      expect(relayOutcome(refused('no', status))).toEqual({
        kind: 'unknown',
        reason: `answered ${status}: no`,
      });
    },
  );

  it('L2: leaves the action undecided when the answer is lost or has another shape', () => {
    expect(relayOutcome({ kind: 'lost', cause: 'ECONNRESET' })).toEqual({
      kind: 'unknown',
      reason: 'ECONNRESET',
    });
    expect(relayOutcome({ kind: 'unsent', cause: 'ECONNREFUSED' })).toEqual({
      kind: 'unknown',
      reason: 'ECONNREFUSED',
    });
    expect(relayOutcome(answered(200, { ok: true }))).toEqual({
      kind: 'unknown',
      reason: 'the answer has another shape',
    });
  });

  it('waits when asked for slower calls', () => {
    expect(relayOutcome(refused('too many requests', 429)).kind).toBe('busy');
  });
});

describe("the relayer's word about a transaction", () => {
  it('reads every state', () => {
    const word = (state: string) => relayWord('tx-1', answered(200, [row(state)]));
    expect(
      [
        'STATE_NEW',
        'STATE_EXECUTED',
        'STATE_MINED',
        'STATE_CONFIRMED',
        'STATE_FAILED',
        'STATE_INVALID',
      ].map(word),
    ).toEqual([
      { kind: 'pending' },
      { kind: 'pending' },
      { kind: 'mined', transactionHash: HASH },
      { kind: 'confirmed', transactionHash: HASH },
      { kind: 'failed', reason: 'STATE_FAILED', transactionHash: HASH },
      { kind: 'failed', reason: 'STATE_INVALID', transactionHash: HASH },
    ]);
  });

  it('looks at the row of its own id only', () => {
    expect(
      relayWord('tx-1', answered(200, [row('STATE_FAILED', null, 'tx-2'), row('STATE_MINED')])),
    ).toEqual({ kind: 'mined', transactionHash: HASH });
    expect(relayWord('tx-1', answered(200, [row('STATE_MINED', HASH, 'tx-2')]))).toEqual({
      kind: 'absent',
    });
    expect(relayWord('tx-1', answered(200, []))).toEqual({ kind: 'absent' });
  });

  it('concludes nothing from silence, an unknown state, or a mined transaction without its hash', () => {
    expect(
      [
        answered(200, [row('STATE_DREAMT')]),
        answered(502, 'no'),
        answered(404, '<html>'),
        answered(200, [row('STATE_MINED', '')]),
        { kind: 'lost', cause: 'x' } as const,
      ].map((outcome) => relayWord('tx-1', outcome).kind),
    ).toEqual(['unreachable', 'unreachable', 'unreachable', 'unreachable', 'unreachable']);
    expect(relayWord('tx-1', answered(404, { error: 'not found' }))).toEqual({ kind: 'absent' });
  });
});
