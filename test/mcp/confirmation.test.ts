import { afterAll, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { createCommit } from '../../src/services/commit.ts';
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

it('confirming places what was put forward, with the key that did, and nobody else may', async () => {
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

/** The forms of a page, each by what its fields hold. */
function formsIn(html: string): readonly Record<string, string>[] {
  return [...html.matchAll(/<form[^]*?<\/form>/g)].map(([form]) =>
    Object.fromEntries(
      [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, value],
      ),
    ),
  );
}

/** Opens the page, signs in by phone, and answers the first question there: gives both pages. */
async function visit(
  url: string,
  phone: string,
  what: 'confirm' | 'refuse',
): Promise<readonly [question: string, answered: string]> {
  const { origin } = new URL(url);
  const send = async (fields: Record<string, string>) =>
    (
      await fetch(`${origin}/confirm`, { method: 'POST', body: new URLSearchParams(fields) })
    ).text();
  const [first] = formsIn(await (await fetch(url)).text());
  const [second] = formsIn(await send({ ...first, phone }));
  const question = await send({ ...second, code: api.codes.at(-1)?.code ?? '' });
  const [third] = formsIn(question);
  return [question, await send({ ...third, what })];
}

it.each([
  ['confirm', 'placed', 'confirmed'],
  ['refuse', 'refused', 'refused'],
] as const)(
  'a modern client that opens pages takes its person to one where they %s, signed in',
  async (what, state, said) => {
    const phone = what === 'confirm' ? '+14155552801' : '+14155552802';
    const user = await api.signIn({ phone });
    await api.clock.advance(120_000);
    const name = 'the assistant on my desk';
    const { key, keyId } = await makeKey(api, user.token, {
      name,
      scopes: ['trade'],
      confirmAbove: 0,
    });
    const pages: (readonly [string, string])[] = [];
    const client = await connect(api.url, key, 'modern', {
      async opensPage(url) {
        pages.push(await visit(url, phone, what));
      },
    });
    const before = api.placed.length;
    const { value } = await callTool(client, 'test_order', {
      ...FIVE_DOLLARS(MARKET_ID),
      clientRequestId: what,
    });
    expect(value).toMatchObject({ outcome: state, confirmation: { state } });
    const [[question = '', answered = ''] = []] = pages;
    expect([pages.length, answered.toLowerCase().includes(`<strong>${said}.`)]).toEqual([1, true]);
    for (const fact of ['BTC Up or Down?', '<dd>buy Up, ', `${name} (${keyId})`])
      expect(question).toContain(fact);
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

it('the page shows what was refused, opens nothing to a wrong code, and nothing of others', async () => {
  const page = `${api.url}/confirm`;
  const opened = await fetch(`${page}?order=%22%3E%3Cscript%3E`);
  const wrong = await fetch(page, {
    method: 'POST',
    body: new URLSearchParams({ step: 'code', challengeId: 'x', code: '1', order: '<b>' }),
  });
  const forged = await fetch(page, {
    method: 'POST',
    body: new URLSearchParams({ step: 'answer', token: 'x', order: '../keys', what: 'confirm' }),
  });
  const texts = [await opened.text(), await wrong.text(), await forged.text()];
  expect(texts.map((text) => /<script|<b>/.test(text))).toEqual([false, false, false]);
  expect(texts[0]).toContain('href="/confirmations?order=%22%3E%3Cscript%3E"');
  expect(opened.headers.get('content-security-policy')).toContain("form-action 'self'");
  expect([formsIn(texts[1] ?? '')[0]?.['step'], formsIn(texts[2] ?? '')[0]?.['step']]).toEqual([
    'code',
    'phone',
  ]);
  expect((await fetch(page, { method: 'DELETE' })).status).toBe(405);
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
