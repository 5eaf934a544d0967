import { createActor } from 'xstate';
import { describe, expect, it } from 'vitest';
import { TRANSACTION } from '../../config/limits/funds.ts';
import { toActorClock } from '../../machines/actor-clock.ts';
import {
  transactionMachine,
  withTransactionEffects,
  type TransactionEffects,
  type TransactionStep,
} from '../../machines/transaction.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { asId, type TransactionId } from '../../src/domain/ids.ts';

const ID = asId<TransactionId>('txn_1');
const PACE = { askFirstMs: 500, asksQuick: 2, askMaximumMs: 3_000, rebroadcastMs: 20_000 };

type Effect = keyof TransactionEffects;
type Answer = TransactionStep['next'] | 'hangs' | 'throws';

/** Starts a transaction whose effects answer by script; the last answer of each is repeated. */
function start(script: Partial<Record<Effect, readonly Answer[]>>, { isSigned = false } = {}) {
  const clock = createVirtualClock(0);
  const calls: Effect[] = [];
  const askedAtMs: number[] = [];
  const left = new Map(Object.entries(script).map(([effect, answers]) => [effect, [...answers]]));
  const answer = (effect: Effect) => (transactionId: TransactionId) => {
    expect(transactionId).toBe(ID);
    calls.push(effect);
    if (effect === 'ask') askedAtMs.push(clock.nowMs());
    const answers = left.get(effect) ?? [];
    const next = (answers.length > 1 ? answers.shift() : answers[0]) ?? 'hangs';
    if (next === 'hangs') return new Promise<TransactionStep>(() => undefined);
    return next === 'throws'
      ? Promise.reject(new Error(`${effect} failed`))
      : Promise.resolve({ next });
  };
  const actor = createActor(
    withTransactionEffects({ sign: answer('sign'), send: answer('send'), ask: answer('ask') }),
    { input: { transactionId: ID, isSigned, pace: PACE }, clock: toActorClock(clock) },
  );
  actor.start();
  return { clock, actor, calls, askedAtMs, state: () => String(actor.getSnapshot().value) };
}

describe('the transaction machine', () => {
  it('signs, sends, and asks until the end is proven, and leaves no timer', async () => {
    const { clock, calls, state } = start({
      sign: ['send'],
      send: ['wait'],
      ask: ['wait', 'wait', 'done'],
    });
    await clock.advance(10_000);
    expect(calls).toEqual(['sign', 'send', 'ask', 'ask', 'ask']);
    expect([state(), clock.pending]).toEqual(['done', 0]);
  });

  it('L9: asks first about bytes that may have left', async () => {
    const { clock, calls, state } = start({ ask: ['failed'] }, { isSigned: true });
    await clock.settle();
    expect([calls, state()]).toEqual([['ask'], 'failed']);
  });

  it('ends where nothing could be signed', async () => {
    const { clock, calls, state } = start({ sign: ['failed'] });
    await clock.settle();
    expect([calls, state(), clock.pending]).toEqual([['sign'], 'failed', 0]);
  });

  it.each(['throws', 'hangs'] as const)(
    'L2: concludes nothing from a sending that %s, and asks the chain',
    async (answer) => {
      const { clock, calls, state } = start({ sign: ['send'], send: [answer], ask: ['done'] });
      await clock.advance(TRANSACTION.stepTimeoutMs + PACE.askFirstMs);
      expect([calls, state()]).toEqual([['sign', 'send', 'ask'], 'done']);
    },
  );

  it.each(['throws', 'hangs'] as const)(
    'L2: asks the chain after a signature that %s, and after a question that does',
    async (answer) => {
      const { clock, calls, state } = start({ sign: [answer], ask: [answer, 'done'] });
      await clock.advance(2 * (TRANSACTION.stepTimeoutMs + PACE.askFirstMs));
      expect([calls, state()]).toEqual([['sign', 'ask', 'ask'], 'done']);
    },
  );

  it('sends again, or signs anew, where the answer to a question says so', async () => {
    const { clock, calls, state } = start({
      sign: ['send'],
      send: ['wait'],
      ask: ['send', 'sign', 'done'],
    });
    await clock.advance(10_000);
    expect(calls).toEqual(['sign', 'send', 'ask', 'send', 'ask', 'sign', 'send', 'ask']);
    expect(state()).toBe('done');
  });

  it('asks at its quick pace at first, then ever more rarely, and quickly again once it is signed anew', async () => {
    const { clock, askedAtMs } = start({
      sign: ['send'],
      send: ['wait'],
      ask: ['wait', 'wait', 'wait', 'wait', 'wait', 'wait', 'sign', 'wait'],
    });
    await clock.advance(16_500);
    const waits = askedAtMs.map((atMs, index) => atMs - (askedAtMs[index - 1] ?? 0));
    expect(waits).toEqual([500, 500, 500, 1_000, 2_000, 3_000, 3_000, 500, 500, 500, 1_000, 2_000]);
  });

  it('is made of effects by provide alone', async () => {
    const clock = createVirtualClock(0);
    const actor = createActor(transactionMachine, {
      input: { transactionId: ID, isSigned: false, pace: PACE },
      clock: toActorClock(clock),
    });
    actor.start();
    await clock.settle();
    expect(actor.getSnapshot().value).toBe('waiting');
    actor.stop();
  });
});
