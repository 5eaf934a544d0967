import { describe, expect, it } from 'vitest';
import { noAnswer, problemOf } from '../../../src/web/api/problem.ts';

function answer(status: number, body: unknown) {
  return problemOf(new Response(JSON.stringify(body), { status }));
}

const LATE = {
  code: 'price_late',
  title: 'A price this needs is late; ask again in a moment.',
  detail: 'our price of ETH on Base is late',
};

describe('what is said of a press that was not carried out', () => {
  it('is that no answer came only where none came', () => {
    expect(noAnswer(new Error('cut')).outcome('swap')).toBe(
      'No answer came. Press again to ask: it stays the same swap.',
    );
  });

  it('is that nothing was done where the daemon answers that it cannot now', async () => {
    const problem = await answer(503, LATE);
    expect(problem.outcome('swap')).toBe(
      'Nothing was done by this press. Press again later: it stays the same swap.',
    );
    expect(problem.isOutcomeUnknown).toBe(true); // of a press before it nothing is known
  });

  it('is that the outcome is not known where the answer does not say it', async () => {
    const words = 'It is not known what became of it. Press again to ask: it stays the same order.';
    expect((await answer(500, { code: 'internal' })).outcome('order')).toBe(words);
    expect((await answer(503, 'a page of a proxy')).outcome('order')).toBe(words);
  });

  it('is nothing more where the refusal says all', async () => {
    expect((await answer(422, { code: 'cap_exceeded' })).outcome('order')).toBeNull();
    expect((await answer(409, { code: 'request_in_progress' })).outcome('order')).toBeNull();
  });
});
