import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { faultSentence } from '../../src/http/fault-sentence.ts';
import { readMessage } from '../../src/http/live/protocol.ts';
import { routeTable } from '../../src/app/route-table.ts';
import { MARKET_ID } from './samples.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const { token } = await api.signIn();

/** How the validator speaks without a better sentence of this service. */
const ITS_OWN_WORDS =
  /expected|received|invalid (input|option|string|value|url|email)|too (big|small)|unrecognized/i;

/** Values that are wrong almost everywhere. */
const WRONG: readonly unknown[] = [
  undefined,
  null,
  true,
  -1,
  1.5,
  1e15,
  '',
  'x'.repeat(9_000),
  [],
  [{}],
  {},
  { x: 1 },
];

function fieldsOf(schema: z.ZodType | undefined): readonly string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** All messages and details a part of a call's input is refused with. */
function refusalsOf(prepare: (value: unknown) => unknown, schema: z.ZodType): readonly string[] {
  const inputs = [
    ...WRONG,
    ...fieldsOf(schema).flatMap((name) => WRONG.map((value) => ({ [name]: value }))),
  ];
  return inputs.flatMap((input) => {
    try {
      prepare(input);
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
}

describe('what is wrong with a request', () => {
  it.each(routeTable.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s says in sentences of its own',
    (_name, route) => {
      const { params, query, body } = route.input;
      const whole = { params: {}, query: {}, body: undefined };
      // what the schemas take is wider than what the API reads: all of it has to be refused well
      const prepare = (part: object) =>
        route.prepare({ ...whole, ...part } as Parameters<typeof route.prepare>[0], null);
      const reported = [
        ...(params === undefined ? [] : refusalsOf((value) => prepare({ params: value }), params)),
        ...(query === undefined ? [] : refusalsOf((value) => prepare({ query: value }), query)),
        ...(body === undefined ? [] : refusalsOf((value) => prepare({ body: value }), body)),
      ];
      expect(reported.filter((sentence) => ITS_OWN_WORDS.test(sentence))).toEqual([]);
    },
  );

  it('is stated the same way on sockets', () => {
    const said = (message: unknown) => {
      const read = readMessage(JSON.stringify(message ?? null));
      if ('error' in read) throw read.error;
      return read.message;
    };
    const reported = refusalsOf((value) => said(value), z.unknown()).concat(
      refusalsOf((topics) => said({ op: 'subscribe', topics }), z.unknown()),
    );
    expect(reported.filter((sentence) => ITS_OWN_WORDS.test(sentence))).toEqual([]);
  });

  it.each<[unknown, string]>([
    [{ op: 'shout' }, '/op: must be auth, subscribe, unsubscribe or ping'],
    [{}, '/op: must be auth, subscribe, unsubscribe or ping'],
    [{ op: 'ping', id: {} }, '/id: must be a text of up to 64 characters, or a whole number'],
    [null, 'message: must be an object'],
  ])('names on sockets what %j may be', (message, sentence) => {
    const read = readMessage(JSON.stringify(message));
    expect('error' in read && read.error).toMatchObject({ message: sentence });
  });

  it('names bound and unit', () => {
    const sentences = (schema: z.ZodType, value: unknown) =>
      schema.safeParse(value, { error: faultSentence }).error?.issues.map(({ message }) => message);
    expect([
      sentences(z.string().max(3), 'abcd'),
      sentences(z.string().min(1), ''),
      sentences(z.int().max(5), 6),
      sentences(z.int(), 1.5),
      sentences(z.array(z.int()).max(2), [1, 2, 3]),
      sentences(z.enum(['yes', 'no', 'both']), 'x'),
      sentences(z.boolean(), 1),
      sentences(z.string(), undefined),
      sentences(z.number().gt(2), 2),
    ]).toEqual([
      ['must be at most 3 characters long'],
      ['must not be empty'],
      ['must be at most 5'],
      ['must be a whole number'],
      ['must be at most 2 entries'],
      ['must be yes, no or both'],
      ['must be true or false'],
      ['is missing: text'],
      ['must be more than 2'],
    ]);
  });

  it.each<[string, object, unknown]>([
    ['an exponent', { amount: '1e3' }, { path: '/amount', message: 'write 1000, not 1e3' }],
    [
      'a small exponent',
      { amount: '2.5E-3' },
      { path: '/amount', message: 'write 0.0025, not 2.5E-3' },
    ],
    [
      'a number so small that it is written with one',
      { amount: 1e-7 },
      { path: '/amount', message: 'write 0.0000001, not 1e-7' },
    ],
    [
      'an exponent beyond all amounts',
      { amount: '1e99' },
      { path: '/amount', message: 'must be a number in plain digits, such as 1000 or 0.25' },
    ],
    ['a number below zero', { amount: -5 }, { path: '/amount', message: 'must not be below zero' }],
    [
      'words for a number',
      { amount: 'five' },
      { path: '/amount', message: 'must be a number in plain digits, such as 1000 or 0.25' },
    ],
    ...['05', '5.', '.5'].map((amount): [string, object, unknown] => [
      `${amount} for a number`,
      { amount },
      { path: '/amount', message: 'must be a number in plain digits, such as 1000 or 0.25' },
    ]),
    [
      'seven decimals',
      { amount: '1.0000001' },
      { path: '/amount', message: 'must have at most six decimals' },
    ],
    [
      'a price of five decimals',
      { price: 0.47001 },
      {
        path: '/price',
        message: 'must have at most four decimals: no market has a finer tick than 0.0001',
      },
    ],
    [
      'a price of cents',
      { price: 47 },
      { path: '/price', message: 'must be between 0.0001 and 0.9999 dollars a share' },
    ],
    ['a side there is not', { side: 'maybe' }, { path: '/side', message: 'must be yes or no' }],
  ])('says of %s what to write', async (_what, changes, fault) => {
    const { body } = await api.request('POST', '/api/venue_a/order', {
      token,
      body: {
        marketId: MARKET_ID,
        side: 'yes',
        amount: 5,
        orderType: 'limit',
        price: '0.47',
        ...changes,
      },
    });
    expect(body.errors).toEqual([fault]);
  });
});
