import { describe, expect, it } from 'vitest';
import { asId, type TransactionId } from '../../src/domain/ids.ts';
import {
  newTransaction,
  putTransaction,
} from '../../src/services/transactions/transaction-records.ts';
import { routeTable } from '../../src/app/route-table.ts';
import { useApi } from './use-api.ts';

const PATH = '/api/user/profile';
const api = await useApi();
const { token, userId } = await api.signIn();

describe('removing an account over HTTP', () => {
  it('wants a code, which is not sent while wallets still hold something: they are named', async () => {
    expect(await api.request('DELETE', PATH, { token })).toMatchObject({
      status: 403,
      body: { code: 'code_required' },
    });
    const { length } = api.codes;
    const headers = { 'x-challenge-id': `otp_${'a'.repeat(26)}`, 'x-one-time-code': '123456' };
    for (const refused of [
      await api.request('POST', `${PATH}/removal-code`, { token }),
      await api.request('DELETE', PATH, { token, headers }),
    ])
      expect([refused.status, refused.body]).toMatchObject([
        409,
        {
          code: 'account_not_empty',
          errors: expect.arrayContaining([{ path: '/wallets/SVM/SOLANA', message: '2.5 SOL' }]),
        },
      ]);
    expect(api.codes.length).toBe(length);
    expect((await api.request('GET', PATH, { token })).body['userId']).toBe(userId);
  });

  it('is refused by the name of `incoming` while another user sends something to it', async () => {
    const { evm } = api.services.accounts.profile(userId).wallets;
    const sender = await api.signIn({ phone: '+14155552688' });
    await api.store.write((tx) =>
      putTransaction(tx, {
        before: null,
        after: newTransaction(
          tx,
          {
            userId: sender.userId,
            account: { chain: 'BASE', rail: 'evm', address: '0x1' },
            purpose: {
              owner: 'send',
              kind: 'send',
              data: { token: null, symbol: 'ETH', decimals: 18, units: '1', to: evm, usdc: null },
            },
            body: { kind: 'calls', calls: [] },
          },
          { transactionId: asId<TransactionId>('txn_1'), nowMs: 1 },
        ),
      }),
    );
    const headers = { 'x-challenge-id': `otp_${'a'.repeat(26)}`, 'x-one-time-code': '123456' };
    for (const refused of [
      await api.request('POST', `${PATH}/removal-code`, { token }),
      await api.request('DELETE', PATH, { token, headers }),
    ])
      expect([refused.status, refused.body['errors']]).toEqual([
        409,
        [{ path: '/incoming', message: '1 open' }],
      ]);
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
