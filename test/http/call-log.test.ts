import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { TOKEN_ID } from './samples.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const { token } = await api.signIn();
const { get } = api.books;
afterEach(() => {
  api.books.get = get;
});

describe('a call that fails on our side', () => {
  it.each([
    [
      'is no error in the log where it is better a moment later',
      new AppError('venue_unavailable', 'silent', { retryable: true }),
      503,
      [],
    ],
    [
      'is an error in the log where it was not expected',
      new Error('odd'),
      500,
      ['http.call_failed'],
    ],
  ])('%s', async (_, cause, status, errors) => {
    const before = api.errors.length;
    api.books.get = () => {
      throw cause;
    };
    const answer = await api.request('GET', `/api/venue_a/token/${TOKEN_ID}/orderbook/`, { token });
    expect([answer.status, api.errors.slice(before)]).toEqual([status, errors]);
  });
});
