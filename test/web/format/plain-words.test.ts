import { describe, expect, it } from 'vitest';
import { ERROR_RESPONSES } from '../../../src/http/errors.ts';
import { type FieldFault, type Problem, problemOf } from '../../../src/web/api/problem.ts';
import { plainWords } from '../../../src/web/format/plain-words.ts';

const FOR_PROGRAMS = /\/api\/|\b(GET|POST|PUT|DELETE)\b|Bearer|Idempotency-Key|X-[A-Z]|int_/;

async function refusal(code: string, detail: string, ...errors: FieldFault[]): Promise<Problem> {
  const body = { code, title: 'Refused', detail, errors };
  return await problemOf(new Response(JSON.stringify(body), { status: 422 }));
}

describe('refusals in words for people', () => {
  it.each(Object.entries(ERROR_RESPONSES))('%s names no call and no header', (code, { title }) => {
    expect(plainWords(code, title)).not.toMatch(FOR_PROGRAMS);
  });

  it.each([
    ['phone_missing', 'the code goes to your phone: add one first with POST /api/auth/link'],
    ['other', 'choose a username by PUT /api/user/profile before anything else'],
    [
      'market_fenced',
      'order int_01M8JGNTBGW7YYHVFHAKW27QJD waits at the venue for its match; nothing was sent',
    ],
    ['trading_stopped', 'you stopped your trading: POST /api/user/resume lets it go on'],
  ])('%s loses the call that a program would make', (code, text) => {
    expect(plainWords(code, text)).not.toMatch(FOR_PROGRAMS);
  });

  it('says by the fields of a refusal that a price moved beyond the worst one, once', async () => {
    const body = { code: 'no_liquidity', title: 'Not enough.', detail: 'any words', errors: [] };
    const refusedWith = (fields: object) =>
      problemOf(new Response(JSON.stringify({ ...body, ...fields }), { status: 409 }));
    const moved = await refusedWith({ price: '0.92', worstPrice: '0.9' });
    // the ticket shows the newest price, and another one beside it would be old
    expect(moved.message).toMatch(/^The price moved beyond the worst [^¢]*nothing was traded/);
    expect(moved.title).toBe(moved.message);
    expect((await refusedWith({})).message).toContain('Take less');
  });

  it('keeps what is for people, and cuts ids that fit no screen', () => {
    expect(plainWords('cap_exceeded', 'at most 25 USDC a trade')).toBe('At most 25 USDC a trade.');
    expect(plainWords(null, `no market 0x${'a'.repeat(64)} is known`)).toBe(
      'No market 0xaaaa… is known.',
    );
    expect(plainWords(null, `the book of ${'3'.repeat(70)} is late`)).toBe(
      'The book of 333333… is late.',
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
    expect(problem.faultOf('amount')).toBe('Of 333333…');
  });

  it('name no path of a field, and are not said twice where the form shows each field', async () => {
    const message = 'must be a number in plain digits';
    const problem = await refusal('invalid_request', `/amount: ${message}`, {
      path: '/amount',
      message,
    });
    expect(problem.message).toBe('Must be a number in plain digits.');
    expect([problem.isShownAt(['amount', 'price']), problem.isShownAt(['price'])]).toEqual([
      true,
      false,
    ]);
    const about = await refusal('cap_exceeded', 'at most 25 USDC a trade');
    expect(about.isShownAt(['amount'])).toBe(false);
    const several = await refusal(
      'invalid_request',
      'body: must be an object; /name: too long',
      { path: '', message: 'must be an object' },
      { path: '/name', message: 'too long' },
    );
    expect(several.message).toBe('Must be an object; too long.');
    const poor = await refusal('insufficient_funds', '5 USDC are wanted, 2 are free', {
      path: '/amount',
      message: 'at most 2',
    });
    expect(poor.isShownAt(['amount'])).toBe(false);
    const [without, there] = ['not enough ETH for gas', '/token'];
    const gasless = await refusal('insufficient_funds', without, { path: there, message: without });
    expect(gasless.isShownAt(['token'])).toBe(true);
  });

  it.each([
    ['must be between 0.0001 and 0.9999 dollars a share', 'Must be between 0.01¢ and 99.99¢.'],
    [
      'must be a multiple of 0.001 between 0.001 and 0.999',
      'Must be a multiple of 0.1¢ between 0.1¢ and 99.9¢.',
    ],
    ['whole cents from 1 to 99, not 0.5', 'Whole cents from 1 to 99, not 0.5.'],
  ])('say a price in cents: %s', async (message, expected) => {
    const problem = await refusal('price_out_of_range', `price: ${message}`, {
      path: '/price',
      message,
    });
    expect([problem.message, problem.faultOf('price')]).toEqual([expected, expected]);
  });

  it.each([
    [
      'amount_off_step',
      'the amount must have at most two decimals: orders are placed in whole cents',
      'The amount must have at most two decimals: orders are placed in whole cents.',
    ],
    [
      'cap_exceeded',
      'the order would come to 60 USDC, the cap is 50',
      'The order would come to $60.00, and the limit is $50.00. See your own limits, in Settings.',
    ],
    [
      'cap_exceeded',
      '3 open positions would exceed the cap of 2',
      '3 open positions would be more than the limit of 2. See your own limits, in Settings.',
    ],
    [
      'cap_exceeded',
      'the order of agent btc_5min would come to 60 USDC, the cap is 50',
      'The order would come to $60.00, and the limit is $50.00. See the settings of the agent.',
    ],
    [
      'insufficient_funds',
      '810.86 USDC are to leave and 0 are free: the rest is held by orders',
      '$810.86 are needed and $0.00 are free: the rest is held by orders. Take less, or deposit more.',
    ],
  ])('%s is a whole sentence that says what can be done: %s', async (code, detail, expected) => {
    expect((await refusal(code, detail)).message).toBe(expected);
  });

  it('leads to the settings where a limit of one’s own may be the reason', async () => {
    const linkOf = async (detail: string) => (await refusal('cap_exceeded', detail)).link;
    expect(await linkOf('the order would come to 60 USDC, the cap is 50')).toBe('/settings');
    expect(await linkOf('3 open positions would exceed the cap of 2')).toBe('/settings');
    expect(await linkOf('the order of agent x would come to 60 USDC, the cap is 50')).toBeNull();
    expect(await linkOf('it would take 5 lamports')).toBeNull();
  });
});
