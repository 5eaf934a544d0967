import { expect, it } from 'vitest';
import { START_MS } from '../api.ts';
import { useApi } from '../use-api.ts';

const api = await useApi();
const { token } = await api.signIn();
const ID = 'dec_01J9ZQ4T8XG6Q2W5E7R9T1Y3V5';
const get = (path: string) => api.request('GET', path, { token });

it('a receipt is shown with the hashes from its entry to the newest root, and no text', async () => {
  const { status, body } = await get(`/api/agents/btc_5min/decisions/${ID}/proof`);
  expect([status, body]).toEqual([
    200,
    {
      seq: 7,
      anchor: { entries: 7, root: 'ab'.repeat(32), atMs: START_MS },
      path: ['cd'.repeat(32), 'ef'.repeat(32)],
    },
  ]);
});

it.each([
  ['of another agent', `/api/agents/eth_15min/decisions/${ID}/proof`, 404, 'not_found'],
  ['of no agent', `/api/agents/unknown/decisions/${ID}/proof`, 404, 'not_found'],
  ['of no such name', '/api/agents/btc_5min/decisions/dec_1/proof', 400, 'invalid_request'],
])('a proof of a receipt %s is refused', async (_, path, status, code) => {
  const answer = await get(path);
  expect([answer.status, answer.body.code]).toEqual([status, code]);
});
