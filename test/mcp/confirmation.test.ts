import { afterAll, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { startApi } from '../http/api.ts';
import { anEstimate, MARKET_ID } from '../http/samples.ts';
import {
  callTool,
  calmTurns,
  connect,
  FIVE_DOLLARS,
  makeKey,
  ORDER_TOOL,
  type Generation,
} from './mcp-client.ts';

const api = await startApi({ turns: calmTurns(), tools: [ORDER_TOOL] });
afterAll(() => api.close());
const { place } = api.behaviour;
// what the order's own transaction does, shown over the real one in
// test/services/confirmations.test.ts
api.behaviour.place = async (userId, request) => {
  if (request.origin.kind === 'manual' && request.origin.confirmationId === undefined)
    throw new AppError('confirmation_required', 'the key asks');
  return place(userId, request);
};
api.behaviour.estimate = async (userId, request) => ({
  ...anEstimate(userId, request),
  refusal: null,
});

it.each<Generation>(['modern', 'legacy'])(
  'a %s client hears that its person is asked, and by repeating the call what they said',
  async (generation) => {
    const user = await api.signIn();
    const { key, keyId } = await makeKey(api, user.token, { scopes: ['trade'], confirmAbove: 0 });
    const client = await connect(api.url, key, generation);
    const order = () =>
      callTool(client, 'test_order', { ...FIVE_DOLLARS(MARKET_ID), clientRequestId: 'ask' });
    const call = async (method: string, path: string) =>
      (await api.request(method, `/api/user/confirmations/${path}`, { token: user.token })).body;

    const [first, again] = [await order(), await order()];
    const waiting = (await call('GET', ''))['data'] as Record<string, unknown>[];
    expect(first.value).toMatchObject({ outcome: 'awaiting_confirmation', result: null });
    expect(again.value).toEqual(first.value);
    expect(waiting).toEqual([first.value['confirmation']]);
    expect(waiting[0]).toMatchObject({ keyId, state: 'asked', side: 'yes', action: 'buy' });

    const { body } = await api.request('GET', '/api/user/notifications', { token: user.token });
    expect(JSON.stringify(body)).toContain('Your assistant asks before it trades');

    const path = String(waiting[0]?.['confirmationId']);
    await call('POST', `${path}/refuse`);
    expect((await order()).value).toMatchObject({
      outcome: 'refused',
      confirmation: { state: 'refused' },
    });
    expect((await call('POST', `${path}/confirm`))['code']).toBe('confirmation_ended');
  },
);

it('confirming places what was put forward, with the key that did, and nobody else may', async () => {
  const user = await api.signIn();
  const { key, keyId } = await makeKey(api, user.token, { scopes: ['trade'], confirmAbove: '1' });
  const client = await connect(api.url, key);
  const order = { ...FIVE_DOLLARS(MARKET_ID), clientRequestId: 'order-7' };
  const asked = await callTool(client, 'test_order', order);
  const confirmationId = String(Object(asked.value['confirmation']).confirmationId);
  const path = `/api/user/confirmations/${confirmationId}/confirm`;
  const stranger = await api.signIn();
  expect((await api.request('POST', path, { token: stranger.token })).status).toBe(404);
  expect((await api.request('POST', path, { token: user.token })).status).toBe(200);
  expect(api.placed.at(-1)).toMatchObject({
    userId: user.userId,
    request: {
      origin: { kind: 'manual', keyId, confirmationId },
      idempotencyKey: confirmationId,
      clientOrderId: 'order-7',
    },
  });
  // Whatever placing it once more would meet now, the assistant hears what became of it.
  api.behaviour.place = async () => {
    throw new AppError('market_fenced', 'order int_1 is not decided yet');
  };
  const again = await callTool(client, 'test_order', order);
  expect(again.value).toMatchObject({
    outcome: 'awaiting_confirmation',
    confirmation: { confirmationId, state: 'confirmed' },
  });
});
