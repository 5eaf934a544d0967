import { expect, it } from 'vitest';
import { linkedAssessor } from '../../../src/adapters/feed-link/linked-assessor.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { PLAIN_QUESTION } from '../../contracts/risk-assessor.ts';
import { createFakeFeedLink } from '../../support/fakes/fake-feed-link.ts';

const unavailable = new AppError('venue_unavailable', 'no feed answers', { retryable: true });
const unread = new AppError('not_found', 'this feed has none');

it.each([
  ['a verdict', { kind: 'blocked', reason: 'at discretion' }],
  ['a gap', { kind: 'none', gap: 'late' }],
])('hands on %s', async (_, answer) => {
  const link = createFakeFeedLink();
  link.answer = answer;
  expect(await linkedAssessor(link).assess(PLAIN_QUESTION)).toEqual(answer);
  expect(link.asked).toEqual([{ kind: 'assess', question: PLAIN_QUESTION }]);
});

it.each([
  ['says more than a verdict', { kind: 'allowed', reason: 'x', recipient: '0x1' }, 'nonsense'],
  ['is of an unknown kind', { kind: 'buy' }, 'nonsense'],
  ['does not come', unavailable, 'unreachable'],
  ['is refused', unread, 'missing'],
])('an answer that %s is a gap, and never a verdict', async (_, answer, gap) => {
  const link = createFakeFeedLink();
  if (answer instanceof AppError) link.ask = () => Promise.reject(answer);
  else link.answer = answer;
  expect(await linkedAssessor(link).assess(PLAIN_QUESTION)).toEqual({ kind: 'none', gap });
});
