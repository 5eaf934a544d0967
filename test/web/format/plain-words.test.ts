import { describe, expect, it } from 'vitest';
import { ERROR_RESPONSES } from '../../../src/http/errors.ts';
import { problemOf } from '../../../src/web/api/problem.ts';
import { plainWords } from '../../../src/web/format/plain-words.ts';

const FOR_PROGRAMS = /\/api\/|\b(GET|POST|PUT|DELETE)\b|Bearer|Idempotency-Key|X-[A-Z]/;

describe('refusals in words for people', () => {
  it.each(Object.entries(ERROR_RESPONSES))('%s names no call and no header', (code, { title }) => {
    expect(plainWords(code, title)).not.toMatch(FOR_PROGRAMS);
  });

  it.each([
    ['phone_missing', 'the code goes to your phone: add one first with POST /api/auth/link'],
    ['other', 'choose a username by PUT /api/user/profile before anything else'],
    ['trading_stopped', 'you stopped your trading: POST /api/user/resume lets it go on'],
  ])('%s loses the call that a program would make', (code, text) => {
    expect(plainWords(code, text)).not.toMatch(FOR_PROGRAMS);
  });

  it('keeps what is for people, and cuts ids that fit no screen', () => {
    expect(plainWords('cap_exceeded', 'at most 25 USDC a trade')).toBe('at most 25 USDC a trade');
    expect(plainWords(null, `no market 0x${'a'.repeat(64)} is known`)).toBe(
      'no market 0xaaaa… is known',
    );
    expect(plainWords(null, `the book of ${'3'.repeat(70)} is late`)).toBe(
      'the book of 333333… is late',
    );
  });

  it('are those of every refusal that a page shows', async () => {
    const body = {
      code: 'trading_stopped',
      title: 'Buying is stopped; sales and cancels go on.',
      detail: 'you stopped your trading: POST /api/user/resume lets it go on',
      errors: [{ path: '/amount', message: `of ${'3'.repeat(70)}` }],
    };
    const problem = await problemOf(new Response(JSON.stringify(body), { status: 409 }));
    expect(problem.message).toContain('at the top of the page');
    expect(problem.faultOf('amount')).toBe('of 333333…');
  });
});
