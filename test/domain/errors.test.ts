import { expect, it } from 'vitest';
import { AppError, assert, isRetryable } from '../../src/domain/errors.ts';

it('an error carries what was said with it, and nothing where nothing was', () => {
  const cause = new Error('socket closed');
  const said = {
    retryable: true,
    retryAfterMs: 500,
    fields: [{ path: '/price', message: 'off tick' }],
    link: 'https://example.test/verify',
  };
  expect(new AppError('price_off_tick', 'off tick', { ...said, cause })).toMatchObject({
    ...said,
    code: 'price_off_tick',
    message: 'off tick',
    cause,
  });
  const bare = new AppError('conflict', 'both');
  expect(bare).toMatchObject({ retryable: false, retryAfterMs: null, fields: [], link: null });
  expect(bare).not.toHaveProperty('cause');
});

it('only an AppError says that the same call may succeed later', () => {
  expect(
    [
      new AppError('venue_unavailable', 'down', { retryable: true }),
      new AppError('conflict', 'both'),
      Object.assign(new Error('down'), { retryable: true }),
      null,
    ].map(isRetryable),
  ).toEqual([true, false, false, false]);
});

it('what cannot be is thrown', () => {
  expect(() => assert(false, 'a name is there')).toThrow('invariant broken: a name is there');
  expect(() => assert(true, 'a name is there')).not.toThrow();
});
