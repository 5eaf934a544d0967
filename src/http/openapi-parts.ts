import type { ErrorCode } from '../domain/errors.ts';
import { isCompressible } from './compression.ts';
import { ERROR_RESPONSES } from './errors.ts';
import { PROBLEM_TYPE } from './problem.ts';
import { reasonOf } from './respond.ts';
import type { Route } from './route.ts';

/** What a problem is, as JSON schema. */
export const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'What went wrong (RFC 9457).',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId', 'errors'],
  properties: {
    type: {
      type: 'string',
      format: 'uri-reference',
      description: 'A page of this daemon that explains the code.',
      examples: ['/errors/price_out_of_range'],
    },
    title: {
      type: 'string',
      description: 'The same for every case of the code.',
      examples: ['The price is out of range.'],
    },
    status: { type: 'integer', description: 'The HTTP status.', examples: [422] },
    detail: {
      type: 'string',
      description: 'This case, in a sentence.',
      examples: ['price: above 0 and below 1'],
    },
    code: {
      type: 'string',
      enum: Object.keys(ERROR_RESPONSES),
      description: 'What programs go by.',
      examples: ['price_out_of_range'],
    },
    requestId: {
      type: 'string',
      description: 'Tell it when you ask about this case.',
      examples: ['req_a1b2c3d4e5f6000001'],
    },
    traceId: {
      type: 'string',
      description:
        'The trace of an order that was refused, 32 hex digits: that of your `traceparent`, or a new one. Absent where the service traces nothing.',
      examples: ['4bf92f3577b34da6a3ce929d0e0e4736'],
    },
    price: {
      type: 'string',
      description:
        'Of a market order that named its `worstPrice` and was refused because its book reaches beyond it (`no_liquidity`): what the book reaches now, dollars a share. Absent otherwise.',
      examples: ['0.92'],
    },
    worstPrice: {
      type: 'string',
      description: 'Beside `price`: the worst price that the order accepted. Absent otherwise.',
      examples: ['0.9'],
    },
    errors: {
      type: 'array',
      description: 'The faults of the input, where they are; or what an agent lacks.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: {
            type: 'string',
            description:
              'A JSON pointer into the body; in a query below /query, in the path below /path, in a header below /header.',
            examples: ['/price'],
          },
          message: { type: 'string', examples: ['above 0 and below 1'] },
          code: {
            type: 'string',
            description:
              'Of what an agent lacks: what an order would be refused with for it. Absent for a fault of the input.',
            examples: ['verification_required'],
          },
        },
      },
    },
    link: {
      type: 'string',
      format: 'uri',
      description: 'Where you do what is missing; absent where there is no such place.',
      examples: ['https://verify.example.com/start'],
    },
  },
};

const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
});
const count = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0, examples: [example] },
});

/** Headers of answers by their names. */
export const HEADERS = {
  'X-Request-Id': text(
    'Number of this call; the same as `requestId` of a problem.',
    'req_a1b2c3d4e5f6000001',
  ),
  'X-Wall-Time-Ms': count(
    'The time people go by at the answer, epoch milliseconds.',
    1_785_577_200_000,
  ),
  'X-Market-Time-Ms': count(
    'The time of the markets at the answer, epoch milliseconds: in a sandbox it may run faster.',
    1_785_577_200_000,
  ),
  'RateLimit-Limit': count('Calls the budget of this call holds.', 600),
  'RateLimit-Remaining': count('Calls left in it.', 599),
  'RateLimit-Reset': count('Seconds until it is full again.', 1),
  'Retry-After': count('Seconds to wait before the call is made again; where that is known.', 1),
  'Idempotency-Replayed': text(
    '"true" where this is the stored answer of an earlier call with the same Idempotency-Key; absent otherwise.',
    'true',
  ),
  'Preference-Applied': text('What of your Prefer header was gone by.', 'wait=5'),
  'WWW-Authenticate': text('How to say who you are.', 'Bearer'),
  ETag: text(
    'Names this content: with it in If-None-Match the answer is 304 while it is the same. Absent of answers below 2 KB.',
    'W/"uWNnOQ0EsJ7sYqgRtyQ1aA"',
  ),
  Vary: text('What of the call the answer depends on.', 'Accept-Encoding'),
  'Content-Encoding': text(
    'How the body is compressed, by Accept-Encoding: br or gzip. Absent where it is not.',
    'br',
  ),
  Allow: text('The methods the path takes.', 'GET, HEAD, OPTIONS'),
} as const;

type HeaderName = keyof typeof HEADERS;

const TIMES: readonly HeaderName[] = ['X-Wall-Time-Ms', 'X-Market-Time-Ms'];
const BUDGET: readonly HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
const OF_STATUS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Returns references to the headers of a good answer of a route. */
export function headersOfSuccess(route: Route): Readonly<Record<string, unknown>> {
  const {
    budget,
    movesMoney,
    input: { headers = {} },
  } = route;
  return references([
    'X-Request-Id',
    ...TIMES,
    ...(budget === 'none' ? [] : BUDGET),
    ...(movesMoney ? (['Idempotency-Replayed'] as const) : []),
    ...('Prefer' in headers ? (['Preference-Applied'] as const) : []),
    ...(isCompressible(route) ? (['ETag', 'Vary', 'Content-Encoding'] as const) : []),
  ]);
}

/** Returns one response for every status a problem comes with, by name. */
export function sharedResponses(): Readonly<Record<string, unknown>> {
  const byStatus = grouped(Object.keys(ERROR_RESPONSES) as ErrorCode[]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      nameOf(status),
      {
        description: `${reasonOf(status)}: one of ${codes.join(', ')}.`,
        headers: references(['X-Request-Id', ...TIMES, ...(OF_STATUS[status] ?? [])]),
        content: {
          [PROBLEM_TYPE]: {
            schema: { $ref: '#/components/schemas/Problem' },
            example: problemExample(codes[0] ?? 'internal'),
          },
        },
      },
    ]),
  );
}

/**
 * Returns the problems a call answers with, by status: the shared response, and which of its codes
 * this call has.
 */
export function problemsOf(codes: readonly ErrorCode[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...grouped(codes)].map(([status, those]) => [
      String(status),
      {
        $ref: `#/components/responses/${nameOf(status)}`,
        description: those.map((code) => `\`${code}\`: ${ERROR_RESPONSES[code].title}`).join(' '),
      },
    ]),
  );
}

function grouped(codes: readonly ErrorCode[]): ReadonlyMap<number, readonly ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes)
    byStatus.set(ERROR_RESPONSES[code].status, [
      ...(byStatus.get(ERROR_RESPONSES[code].status) ?? []),
      code,
    ]);
  return byStatus;
}

function problemExample(code: ErrorCode): Readonly<Record<string, unknown>> {
  const { title, status } = ERROR_RESPONSES[code];
  return {
    type: `/errors/${code}`,
    title,
    status,
    detail: title,
    code,
    requestId: 'req_a1b2c3d4e5f6000001',
    errors: [],
  };
}

function nameOf(status: number): string {
  return reasonOf(status).replaceAll(/[^A-Za-z]/g, '');
}

function references(names: readonly HeaderName[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
