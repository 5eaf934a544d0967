import { expect, it } from 'vitest';
import { useApi } from '../use-api.ts';

const api = await useApi();
const { token } = await api.signIn();
const ID = 'dec_01J9ZQ4T8XG6Q2W5E7R9T1Y3V5';
const get = (path: string) => api.request('GET', path, { token });

it('a receipt is shown with what its strategy decided by and the entry its link covers', async () => {
  const { status, body } = await get(`/api/agents/btc_5min/decisions/${ID}/replay`);
  expect([status, Object.keys(body)]).toEqual([200, ['decision', 'basis', 'text']]);
  expect(body.decision).toMatchObject({ decisionId: ID, chain: { seq: 7 } });
  expect(body.basis).toMatchObject({ version: 1, kind: 'stop_loss', lossPerMille: 100 });
  const { decision } = JSON.parse(String(body.text)) as { readonly decision: object };
  expect(decision).toMatchObject({ basis: body.basis });
});

it.each([
  ['of another agent', `/api/agents/eth_15min/decisions/${ID}/replay`, 404, 'not_found'],
  ['of no agent', `/api/agents/unknown/decisions/${ID}/replay`, 404, 'not_found'],
  ['of no such name', '/api/agents/btc_5min/decisions/dec_1/replay', 400, 'invalid_request'],
])('a receipt %s is refused', async (_, path, status, code) => {
  const answer = await get(path);
  expect([answer.status, answer.body.code]).toEqual([status, code]);
});
