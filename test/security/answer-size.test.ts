import { expect, it } from 'vitest';
import { useApi } from '../http/use-api.ts';

const api = await useApi();

it.each([
  ['a name', JSON.stringify({ ['k'.repeat(60_000)]: 1 })],
  [
    'many names',
    JSON.stringify(
      Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`name-${index}`, 1])),
    ),
  ],
  ['a name of slashes, which a path doubles', JSON.stringify({ ['/'.repeat(60_000)]: 1 })],
  ['a name twice', `{"${'k'.repeat(30_000)}":1,"${'k'.repeat(30_000)}":2}`],
])('tells of %s without giving it all back', async (_what, rawBody) => {
  const { status, text, body } = await api.request('POST', '/api/auth/otp/verify', { rawBody });
  expect([status, Array.isArray(body.errors) && body.errors.length > 0]).toEqual([400, true]);
  expect(text.length).toBeLessThan(8_000);
});
