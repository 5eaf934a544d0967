import { afterAll, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { createCommit } from '../../src/services/commit.ts';
import { isPagePath } from '../../src/web/routes.ts';
import { startApi } from '../http/api.ts';
import { anEstimate, MARKET_ID } from '../http/samples.ts';
import { createKeptBus, createKeptMetrics } from '../support/quiet.ts';
import {
  callTool,
  connect,
  FIVE_DOLLARS,
  makeKey,
  ORDER_TOOL,
  type Generation,
} from './mcp-client.ts';

const api = await startApi({ tools: [ORDER_TOOL] });
afterAll(() => api.close());
const { place } = api.behaviour;
// what the order's own transaction does, shown over the real one in
// test/services/confirmations.test.ts
const commit = createCommit({
  store: api.store,
  bus: createKeptBus(),
  metrics: createKeptMetrics(),
});
const asking: typeof place = async (userId, request) => {
  if (request.origin.kind === 'manual' && request.origin.confirmationId === undefined)
    throw new AppError('confirmation_required', 'the key asks');
  const record = await place(userId, request);
  await commit((tx) => request.alongside?.(tx, record.intent));
  return record;
};
api.behaviour.place = asking;
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
    const id = String(waiting[0]?.['confirmationId']);
    expect(first.value).toMatchObject({
      outcome: 'awaiting_confirmation',
      confirmation: { confirmationId: id, state: 'asked', worstPrice: waiting[0]?.['worstPrice'] },
      confirmUrl: `${api.url}/confirm?order=${id}`,
      message: expect.stringMatching(/^Nothing is placed yet\. .*confirmUrl.*clientRequestId/),
    });
    expect(first.value).not.toHaveProperty('result');
    expect(again.value).toEqual(first.value);
    expect(waiting).toHaveLength(1);
    expect(waiting[0]).toMatchObject({ keyId, state: 'asked', side: 'yes', action: 'buy' });

    const { body } = await api.request('GET', '/api/user/notifications', { token: user.token });
    expect(JSON.stringify(body)).toContain('Your assistant asks before it trades');

    await call('POST', `${id}/refuse`);
    expect((await order()).value).toMatchObject({
      outcome: 'refused',
      confirmation: { state: 'refused' },
    });
    expect((await call('POST', `${id}/confirm`))['code']).toBe('confirmation_ended');
  },
);

it('confirming places what was put forward, with the key that did, and no other user may', async () => {
  const user = await api.signIn();
  const { key, keyId } = await makeKey(api, user.token, {
    scopes: ['read', 'trade'],
    confirmAbove: '1',
  });
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
    outcome: 'placed',
    confirmation: { confirmationId, state: 'placed' },
    result: { state: 'live', side: 'yes' },
  });
  api.behaviour.place = asking;
});

it.each([
  ['confirm', 'placed'],
  ['refuse', 'refused'],
] as const)(
  'a modern client that opens pages takes its person to where they %s, with a session of theirs',
  async (what, state) => {
    const user = await api.signIn();
    const { key } = await makeKey(api, user.token, { scopes: ['trade'], confirmAbove: 0 });
    const opened: URL[] = [];
    const client = await connect(api.url, key, 'modern', {
      async opensPage(url) {
        opened.push(new URL(url));
        // what the page there does once its person is signed in
        const id = new URL(url).searchParams.get('order');
        const path = `/api/user/confirmations/${id}/${what}`;
        expect((await api.request('POST', path, { token: user.token })).status).toBe(200);
      },
    });
    const before = api.placed.length;
    const { value } = await callTool(client, 'test_order', {
      ...FIVE_DOLLARS(MARKET_ID),
      clientRequestId: what,
    });
    expect(value).toMatchObject({ outcome: state, confirmation: { state } });
    expect(opened.map(({ pathname }) => isPagePath(pathname))).toEqual([true]);
    // the address names the order and nothing that would let anybody in
    expect(opened.map(({ searchParams }) => [...searchParams.keys()])).toEqual([['order']]);
    expect(api.placed.length - before).toBe(what === 'confirm' ? 1 : 0);
  },
);

it('a client that says its person has opened the page has confirmed nothing', async () => {
  const user = await api.signIn();
  const { key } = await makeKey(api, user.token, { scopes: ['trade'], confirmAbove: 0 });
  const asked: string[] = [];
  const client = await connect(api.url, key, 'modern', {
    opensPage: async (url) => void asked.push(url),
  });
  const before = api.placed.length;
  const order = { ...FIVE_DOLLARS(MARKET_ID), clientRequestId: 'alone' };
  const { value } = await callTool(client, 'test_order', order);
  expect(value).toMatchObject({ confirmation: { state: 'asked' } });
  expect(asked).toEqual([
    `${api.url}/confirm?order=${String(Object(value['confirmation']).confirmationId)}`,
  ]);
  // without an id a repetition would put forward another order, so no question is asked
  await callTool(client, 'test_order', FIVE_DOLLARS(MARKET_ID));
  expect([asked.length, api.placed.length - before]).toEqual([1, 0]);
});

it('an answer needs a token: neither the cookie of a browser nor a form of another page gives one', async () => {
  const user = await api.signIn();
  const { key } = await makeKey(api, user.token, { scopes: ['trade'], confirmAbove: 0 });
  const client = await connect(api.url, key);
  const asked = await callTool(client, 'test_order', FIVE_DOLLARS(MARKET_ID));
  const id = String(Object(asked.value['confirmation']).confirmationId);
  const path = `/api/user/confirmations/${id}/confirm`;
  const before = api.placed.length;
  const cookie = `predictd_refresh=${user.refreshToken}`;
  const forms = [path, '/confirm'].map((to) =>
    fetch(`${api.url}${to}`, {
      method: 'POST',
      headers: { cookie, origin: 'https://evil.example' },
      body: new URLSearchParams({ order: id, what: 'confirm' }),
    }),
  );
  const statuses = (await Promise.all(forms)).map(({ status }) => status);
  expect(statuses.every((status) => status >= 400 && status < 500)).toBe(true);
  expect((await api.request('POST', path, { headers: { cookie } })).status).toBe(401);
  expect((await api.request('POST', path, { token: key })).status).toBe(401);
  expect(api.placed.length - before).toBe(0);
});

it('a preview says that the user will be asked, and not that it would be refused', async () => {
  const user = await api.signIn();
  const { key } = await makeKey(api, user.token, { scopes: ['read', 'trade'], confirmAbove: 0 });
  const client = await connect(api.url, key);
  api.behaviour.estimate = async (userId, request) => ({
    ...anEstimate(userId, request),
    refusal: { code: 'confirmation_required', message: 'the key asks', isRetryable: false },
  });
  const { value } = await callTool(client, 'test_order', {
    ...FIVE_DOLLARS(MARKET_ID),
    preview: true,
  });
  expect(value).toMatchObject({ outcome: 'preview', preview: { needsConfirmation: true } });
  expect(value['preview']).not.toHaveProperty('refusal');
});
