import { describe, expect, it } from 'vitest';
import { routeTable } from '../../src/app/route-table.ts';
import { useApi } from './use-api.ts';

const PATH = '/api/user/profile';
const api = await useApi();
const { token, userId } = await api.signIn();

describe('removing an account over HTTP', () => {
  it('wants the code of its own request, and names the wallets that still hold something', async () => {
    expect(await api.request('DELETE', PATH, { token })).toMatchObject({
      status: 403,
      body: { code: 'code_required' },
    });
    const asked = await api.request('POST', `${PATH}/removal-code`, { token });
    const headers = {
      'x-challenge-id': String(asked.body['challengeId']),
      'x-one-time-code': api.codes.at(-1)?.code ?? '',
    };
    const refused = await api.request('DELETE', PATH, { token, headers });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      {
        code: 'account_not_empty',
        errors: expect.arrayContaining([{ path: '/wallets/SVM/SOLANA', message: '2.5 SOL' }]),
      },
    ]);
    expect((await api.request('GET', PATH, { token })).body['userId']).toBe(userId);
  });

  it('is out of reach of API keys', () => {
    const rows = routeTable.filter(({ operationId }) =>
      /profileremoval|removeprofile/i.test(operationId),
    );
    expect(rows.map(({ method, scope }) => [method, scope])).toEqual([
      ['POST', 'session'],
      ['DELETE', 'session'],
    ]);
  });
});
