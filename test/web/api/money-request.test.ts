import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stubSessionStorage } from '../../support/session-storage.ts';
import { forgetRequest, pendingRequest, sendOnce } from '../../../src/web/api/money-request.ts';
import { noAnswer, Problem } from '../../../src/web/api/problem.ts';

const BODY = { amount: '5' };
const REFUSED = new Problem({ status: 422, code: 'cap_exceeded', title: 'No', message: 'no' });

describe('a request that moves money', () => {
  beforeEach(stubSessionStorage);
  afterEach(() => vi.unstubAllGlobals());

  async function keyOf(body: unknown, answer: () => Promise<unknown>): Promise<string> {
    let used = '';
    await sendOnce('order', body, (key) => {
      used = key;
      return answer();
    }).catch(() => undefined);
    return used;
  }

  it('goes again under its own key after no answer came, so that pressing twice makes one order', async () => {
    const first = await keyOf(BODY, () => Promise.reject(noAnswer(new Error('cut'))));
    const second = await keyOf(BODY, () => Promise.resolve('filled'));
    expect(second).toBe(first);
    expect(pendingRequest('order')).toBeNull();
  });

  it('is forgotten by its own key alone, once what became of it is known otherwise', async () => {
    const key = await keyOf(BODY, () => Promise.reject(noAnswer(new Error('cut'))));
    forgetRequest('order', 'another');
    expect(pendingRequest('order')?.key).toBe(key);
    forgetRequest('order', key);
    expect(pendingRequest('order')).toBeNull();
  });

  it('goes under a new key once it was answered, refused or changed', async () => {
    const first = await keyOf(BODY, () => Promise.resolve('filled'));
    const second = await keyOf(BODY, () => Promise.reject(REFUSED));
    const third = await keyOf(BODY, () => Promise.reject(noAnswer(new Error('cut'))));
    const changed = await keyOf({ amount: '6' }, () => Promise.resolve('filled'));
    expect(new Set([first, second, third, changed]).size).toBe(4);
  });

  it.each([401, 429])('keeps its key through a %i, which did not read it', async (status) => {
    const unseen = new Problem({ status, code: 'rate_limited', title: 'No', message: 'no' });
    const first = await keyOf(BODY, () => Promise.reject(noAnswer(new Error('cut'))));
    await keyOf(BODY, () => Promise.reject(unseen));
    expect(await keyOf(BODY, () => Promise.resolve('filled'))).toBe(first);
  });

  it('is kept over a reload while its outcome is not known', async () => {
    const key = await keyOf(BODY, () => Promise.reject(noAnswer(new Error('cut'))));
    expect(pendingRequest('order')).toEqual({ key, body: JSON.stringify(BODY) });
  });
});
