import { describe, expect, it } from 'vitest';
import { useApi } from './use-api.ts';

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: { readonly examples?: readonly string[]; readonly enum?: readonly string[] };
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: object }>>;
  };
}

/** What a request is refused with for what it says, whoever sends it and whatever there is. */
const OF_SHAPE = [
  'invalid_request',
  'invalid_json',
  'unsupported_media_type',
  'unknown_setting',
  'setting_out_of_range',
  'amount_off_step',
];
/** Shown by every call; those that take a code read it. */
const CODE = { 'x-challenge-id': `otp_${'0'.repeat(26)}`, 'x-one-time-code': '123456' };

/**
 * One ends the session of the calls after it; one names a push service, which does not exist here.
 */
const APART = ['/api/auth/logout', '/api/user/push/subscriptions'];

const api = await useApi();
const user = await api.signIn();
const { body: document } = await api.request('GET', '/openapi.json');
const calls = Object.entries(
  document['paths'] as Record<string, Record<string, Operation>>,
).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]) => {
    const body = requestBody?.content['application/json']?.example;
    if (body === undefined || APART.includes(path)) return [];
    const filled = parameters
      .filter((parameter) => parameter.in === 'path')
      .reduce(
        (text, { name, schema }) =>
          text.replace(`{${name}}`, schema.examples?.[0] ?? schema.enum?.[0] ?? 'btc_5min'),
        path,
      );
    return [[`${method.toUpperCase()} ${filled}`, method.toUpperCase(), filled, body] as const];
  }),
);

describe('the example of a request', () => {
  it.each(calls)('is taken unchanged: %s', async (_name, method, path, body) => {
    const reply = await api.request(method, path, { token: user.token, headers: CODE, body });
    if (!path.startsWith('/api/auth/')) expect(reply.status).not.toBe(401);
    expect(OF_SHAPE.includes(String(reply.body['code'])) ? reply.body : null).toBeNull();
  });

  it('is there for most calls that take a body', () => {
    expect(calls.length).toBeGreaterThan(30);
  });
});
