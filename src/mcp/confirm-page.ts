import type { JsonValue } from '../domain/json-value.ts';
import type { DirectCalls } from '../http/direct-calls.ts';
import type { Endpoint, EndpointRequest } from '../http/endpoint.ts';
import { escapeHtml, htmlPage } from '../http/html.ts';
import type { Answer } from '../http/respond.ts';
import { member } from './tool-errors.ts';

/** Where people confirm what their assistants put forward. */
export const CONFIRM_PATH = '/confirm';

/** How the page is part of the daemon. */
export interface ConfirmPageParts {
  readonly direct: DirectCalls;
  /** Path of the web app's own page for this, for those who are signed in there. */
  readonly appPath: string;
}

/**
 * Creates the page at which a person signs in by a code on their phone, sees what their assistants
 * ask, and confirms or refuses it. It holds nothing: each step goes through the calls of the
 * interface, with their checks and budgets, and the token of the visit stands in the page alone.
 */
export function createConfirmPage({ direct, appPath }: ConfirmPageParts): Endpoint {
  return {
    path: CONFIRM_PATH,
    async answer(request) {
      const { method, query } = request.head;
      if (method === 'GET' || method === 'HEAD') {
        const order = new URLSearchParams(query).get('order') ?? '';
        return shown(request, wayToApp(appPath, order) + phoneForm(order));
      }
      if (method !== 'POST')
        return { ...shown(request, ''), status: 405, headers: { Allow: 'GET, POST' }, body: null };
      const fields = new URLSearchParams(Buffer.from(request.body).toString('utf8'));
      return shown(request, await step(caller(direct, request), (name) => fields.get(name) ?? ''));
    },
    close: () => Promise.resolve(),
  };
}

type Field = (name: string) => string;
type Call = (
  method: 'GET' | 'POST',
  path: string,
  given?: { readonly body?: JsonValue; readonly token?: string },
) => Promise<{ readonly isDone: boolean; readonly body: JsonValue }>;

function caller(direct: DirectCalls, { address, requestId, head }: EndpointRequest): Call {
  return async (method, path, { body, token } = {}) => {
    const answer = await direct({
      method,
      path,
      query: {},
      body,
      headers: {
        'user-agent': head.headers.get('user-agent') ?? '',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      address,
      requestId,
    });
    // what the calls here answer is JSON, written by this process a moment ago
    const read = JSON.parse(String(answer.body)) as JsonValue;
    return { isDone: answer.status < 400, body: read };
  };
}

/** Each form leads to the next one; what is refused shows its form again, and why. */
async function step(call: Call, field: Field): Promise<string> {
  const order = field('order');
  switch (field('step')) {
    case 'phone': {
      const { isDone, body } = await call('POST', '/api/auth/otp/request', {
        body: { phone: field('phone') },
      });
      return isDone
        ? codeForm({ order, challengeId: text(body, 'challengeId') })
        : refused(body) + phoneForm(order);
    }
    case 'code': {
      const challengeId = field('challengeId');
      const { isDone, body } = await call('POST', '/api/auth/otp/verify', {
        body: { challengeId, code: field('code') },
      });
      return isDone
        ? questions(call, { order, token: text(body, 'accessToken') })
        : refused(body) + codeForm({ order, challengeId });
    }
    case 'answer': {
      const [token, what] = [field('token'), field('what') === 'confirm' ? 'confirm' : 'refuse'];
      const path = `/api/user/confirmations/${encodeURIComponent(order)}/${what}`;
      const { isDone, body } = await call('POST', path, { body: {}, token });
      const said = isDone
        ? `<p><strong>${what === 'confirm' ? 'Confirmed' : 'Refused'}.</strong></p>`
        : refused(body);
      return said + (await questions(call, { order, token }));
    }
    default:
      return phoneForm(order);
  }
}

interface Visit {
  readonly order: string;
  readonly token: string;
}

/** What waits, the one the person was sent for first. */
async function questions(call: Call, { order, token }: Visit): Promise<string> {
  const { isDone, body } = await call('GET', '/api/user/confirmations/', { token });
  if (!isDone) return refused(body) + phoneForm(order);
  const data = member(body, 'data');
  const waiting = (Array.isArray(data) ? data : [])
    .filter((one: JsonValue) => ['asked', 'confirmed'].includes(text(one, 'state')))
    .sort(
      (a: JsonValue, b: JsonValue) =>
        Number(text(b, 'confirmationId') === order) - Number(text(a, 'confirmationId') === order),
    );
  if (waiting.length === 0) return '<p>Nothing waits for you. You can close this page.</p>';
  const keys = await call('GET', '/api/user/keys/', { token });
  const shown = waiting.map(async (one: JsonValue) => {
    const market = await call('GET', marketPath(one), { token });
    return question(one, { token, market: market.body, keyName: nameOfKey(keys.body, one) });
  });
  return (await Promise.all(shown)).join('\n');
}

function marketPath(one: JsonValue): string {
  return `/api/${text(one, 'venue')}/markets/${encodeURIComponent(text(one, 'marketId'))}`;
}

/** As its person named it; the key's id where they removed it since. */
function nameOfKey(keys: JsonValue, one: JsonValue): string {
  const keyId = text(one, 'keyId');
  const data = member(keys, 'data');
  const key = (Array.isArray(data) ? data : []).find((each) => text(each, 'keyId') === keyId);
  return key === undefined ? keyId : `${text(key, 'name')} (${keyId})`;
}

/** The outcome that is bought or sold, in the words of its market; yes or no without one. */
function outcomeOf(one: JsonValue, market: JsonValue): string {
  const outcomes = member(market, 'outcomes');
  const index = text(one, 'side') === 'yes' ? 0 : 1;
  const label = Array.isArray(outcomes) ? text(outcomes[index] ?? null, 'label') : '';
  return label === '' ? text(one, 'side') : label;
}

function question(
  one: JsonValue,
  {
    token,
    market,
    keyName,
  }: { readonly token: string; readonly market: JsonValue; readonly keyName: string },
): string {
  const setsAside = member(one, 'setsAside');
  const isBuy = text(one, 'action') === 'buy';
  const asked = text(market, 'question');
  const facts = [
    ['Order', `${text(one, 'action')} ${outcomeOf(one, market)}, ${text(one, 'orderType')}`],
    ...(asked === '' ? [] : [['Question', asked]]),
    ['Market', `${text(one, 'marketId')} at ${text(one, 'venue')}`],
    ['Worst price', `${text(one, 'worstPrice')} USDC a share`],
    isBuy
      ? ['Sets aside', `${text(setsAside, 'usdc')} USDC, fee included`]
      : ['Sells', `${text(setsAside, 'shares')} shares`],
    ['Asked by the key', keyName],
    ['Ends', new Date(Number(member(one, 'expiresAtMs'))).toISOString()],
  ];
  return form(
    'answer',
    { order: text(one, 'confirmationId'), token },
    `<dl>${facts.map(([name = '', fact = '']) => `<dt>${name}</dt><dd>${escapeHtml(fact)}</dd>`).join('')}</dl>
<p><button name="what" value="confirm">Confirm</button> <button name="what" value="refuse">Refuse</button></p>`,
  );
}

function wayToApp(appPath: string, order: string): string {
  const address = order === '' ? appPath : `${appPath}?order=${encodeURIComponent(order)}`;
  return `<p>Signed in to the app in this browser? <a href="${escapeHtml(address)}">Answer there</a>.</p>\n`;
}

function phoneForm(order: string): string {
  return form(
    'phone',
    { order },
    `<p>Your assistant asks before it trades. Sign in to see what it asks; your application shows it too.</p>
<p><label>Phone, in international form <input name="phone" type="tel" autocomplete="tel" required></label> <button>Send a code</button></p>`,
  );
}

function codeForm(hidden: Readonly<Record<string, string>>): string {
  return form(
    'code',
    hidden,
    `<p><label>Six digits from your phone <input name="code" inputmode="numeric" autocomplete="one-time-code" required></label> <button>Sign in</button></p>`,
  );
}

function form(step: string, hidden: Readonly<Record<string, string>>, body: string): string {
  const kept = Object.entries({ step, ...hidden })
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('');
  return `<form method="post" action="${CONFIRM_PATH}">${kept}\n${body}</form>`;
}

function refused(problem: JsonValue): string {
  const said = text(problem, 'detail') || text(problem, 'title');
  return `<p><strong>${escapeHtml(said)}</strong></p>`;
}

function text(value: JsonValue, name: string): string {
  const found = member(value, name);
  return typeof found === 'string' ? found : '';
}

function shown({ requestId }: EndpointRequest, body: string): Answer {
  const page = htmlPage('Confirm', `<h1>Confirm what your assistant asks</h1>\n${body}`, {
    formsTo: 'self',
  });
  return {
    status: 200,
    headers: {
      ...page.headers,
      'Content-Type': page.contentType,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Request-Id': requestId,
    },
    body: page.body,
  };
}
