import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { Problem } from '../../../src/web/api/problem.ts';
import {
  requestSignature,
  type SocialProof,
  type SocialRequestState,
} from '../../../src/web/api/social-request.ts';

const OPENED = {
  visit: 'vis_1',
  link: 'https://relay.example/1',
  expiresAtMs: 600_000,
  askAfterMs: 1_500,
};
const WAITING = { state: 'waiting', message: null, signature: null } as const;
const SIGNED = { state: 'signed', message: 'm', signature: '0xab' } as const;
const problem = (status: number, code: string): Problem =>
  new Problem({ status, code, title: code, message: code });

/** A request whose questions are answered one after the other; the last answer stays. */
function request(
  answers: readonly (typeof WAITING | typeof SIGNED | Problem)[],
  refusal?: Problem,
) {
  const clock = createVirtualClock(0);
  const states: SocialRequestState[] = [];
  const handedOver: SocialProof[] = [];
  let asked = 0;
  const stop = requestSignature({
    open: () => Promise.resolve(OPENED),
    status() {
      const answer = answers[Math.min(asked, answers.length - 1)] ?? WAITING;
      asked += 1;
      return answer instanceof Problem ? Promise.reject(answer) : Promise.resolve(answer);
    },
    finish(proof) {
      handedOver.push(proof);
      return refusal === undefined ? Promise.resolve() : Promise.reject(refusal);
    },
    scheduler: {
      after(ms, callback) {
        const timer = clock.after(ms, callback);
        return () => timer.cancel();
      },
    },
    onState: (state) => void states.push(state),
  });
  return {
    clock,
    handedOver,
    stop,
    kinds: () => states.map(({ kind }) => kind),
    last: () => states.at(-1),
    asked: () => asked,
  };
}

describe('a request to a user’s phone', () => {
  it('shows its link, asks until it is signed, and hands that over once', async () => {
    const { clock, kinds, handedOver, asked } = request([WAITING, WAITING, SIGNED]);
    await clock.advance(10_000);
    expect(kinds()).toEqual(['opening', 'waiting', 'waiting', 'waiting', 'finishing', 'done']);
    expect(handedOver).toEqual([{ visit: 'vis_1', message: 'm', signature: '0xab' }]);
    expect(asked()).toBe(3);
  });

  it('goes on asking where no answer comes, and says so meanwhile', async () => {
    const { clock, last, kinds } = request([problem(0, 'no_answer'), WAITING, SIGNED]);
    await clock.advance(1_500);
    expect(last()).toEqual({ kind: 'waiting', link: OPENED.link, isUnanswered: true });
    await clock.advance(1_500);
    expect(last()).toEqual({ kind: 'waiting', link: OPENED.link, isUnanswered: false });
    await clock.advance(1_500);
    expect(kinds().at(-1)).toBe('done');
  });

  it('is over where its code is, and asks no more', async () => {
    const { clock, last, asked } = request([WAITING, problem(410, 'code_expired')]);
    await clock.advance(60_000);
    expect([last(), asked()]).toEqual([{ kind: 'expired' }, 2]);
  });

  it('says why what was signed is not accepted', async () => {
    const refusal = problem(401, 'sign_in_refused');
    const { clock, last } = request([SIGNED], refusal);
    await clock.advance(60_000);
    expect(last()).toEqual({ kind: 'refused', problem: refusal });
  });

  it('asks nothing once it was stopped', async () => {
    const { clock, stop, asked, kinds } = request([SIGNED]);
    await clock.advance(0);
    stop();
    await clock.advance(60_000);
    expect([asked(), kinds()]).toEqual([0, ['opening', 'waiting']]);
  });
});
