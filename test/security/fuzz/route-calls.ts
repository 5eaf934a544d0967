import { ERROR_RESPONSES } from '../../../src/http/errors.ts';
import { codesOf } from '../../../src/http/openapi.ts';
import type { Route } from '../../../src/http/route.ts';
import { ask, type Reply } from '../ask.ts';
import { chanceOf, mangle, type Chance } from './chance.ts';
import type { Finding, Target } from './finding.ts';
import { hostileName, hostileText } from './hostile.ts';
import { sample, schemaOf, spoil, textOf, write } from './sample.ts';

/** Where calls go, and who makes them. */
export interface Callers {
  readonly port: number;
  /** Headers of a user who may make the call, and the address they call from. */
  as(
    route: Route,
    chance: Chance,
  ): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly from?: string }>;
  /** Text by which the service knows things: ids of markets, orders, agents. */
  known(): readonly string[];
  /** Hears each answer that came well, to know more of. */
  heard(reply: Reply): void;
  /**
   * What has changed for good so far; a refused call changes nothing. Null where that cannot be
   * determined.
   */
  facts(): number | null;
  /** Rows that write something though they refuse: tries are counted, and asking is a fact. */
  keepsTries(route: Route): boolean;
}

interface Call {
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** A refusal tells of the fault and never gives much more back than it got. */
const ANSWER_BASE_BYTES = 8_192;

/** Calls of every row of the route table, made from its schemas and then spoiled. */
export function routeCalls(routes: readonly Route[], callers: Callers): Target {
  return {
    name: 'routes',
    async live(seed, number) {
      const chance = chanceOf(seed, 'routes', number);
      // each row in its turn, so that a short run comes to all of them
      const route = routes[number % routes.length];
      if (route === undefined) return 'there are no routes';
      const { from, headers } = await callers.as(route, chance);
      const call = draw(chance, route, callers.known());
      const before = callers.facts();
      const reply = await ask({
        port: callers.port,
        method: call.method,
        path: call.path,
        headers: { ...headers, ...call.headers },
        ...(call.body === undefined ? {} : { body: call.body }),
        ...(from === undefined ? {} : { from }),
      }).catch((error: Error) => error.message);
      const shown = `${call.method} ${call.path.slice(0, 300)} ${JSON.stringify(call.headers).slice(0, 300)} ${JSON.stringify(call.body?.toString('latin1').slice(0, 1_500) ?? null)}`;
      // a request line or header the parser cannot read ends the connection, which the raw requests
      // read
      if (typeof reply === 'string')
        return /socket hang up|ECONNRESET|Parse Error/.test(reply) && !isPlain(call)
          ? null
          : `${reply} for ${shown}`;
      if (reply.status < 300) callers.heard(reply);
      const fault =
        judge(route, call, reply) ??
        (reply.status >= 400 && !callers.keepsTries(route) && callers.facts() !== before
          ? `was refused with ${reply.status} and changed something`
          : null);
      return fault === null ? null : `${fault} for ${shown}`;
    },
    end: async () => null,
  };
}

function isPlain({ path, headers }: Call): boolean {
  return (
    /^[\x21-\x7e]*$/.test(path) &&
    path.length < 8_000 &&
    Object.values(headers).every((value) => /^[\x20-\x7e]*$/.test(value))
  );
}

function draw(chance: Chance, route: Route, known: readonly string[]): Call {
  const isSpoiled = chance.often(85);
  const where = chance.pick(['params', 'query', 'body', 'body', 'body', 'header'] as const);
  const spoils = (part: typeof where): boolean => isSpoiled && where === part;
  const params =
    route.input.params === undefined ? {} : (schemaOf(route.input.params).properties ?? {});
  const path = route.path.replaceAll(/:([A-Za-z]+)/g, (_, name: string) =>
    spoils('params')
      ? // without a name it would be the call of another row
        hostileText(chance) || '%00'
      : encodeURIComponent(textOf(chance, params[name] ?? {}, known)),
  );
  const { body, headers } = drawBody(chance, route, known, spoils('body'));
  return {
    route,
    method: route.method,
    path: `${chance.often(50) ? path.replace(/(?<=.)\/$/, '') : path}${drawQuery(chance, route, known, spoils('query'))}`,
    headers: {
      ...headers,
      ...(route.movesMoney && chance.often(50)
        ? { 'idempotency-key': chance.pick(['again', `key-${chance.below(1_000_000)}`]) }
        : {}),
      ...(spoils('header') ? spoiledHeader(chance) : {}),
    },
    ...(body === null ? {} : { body }),
  };
}

function drawBody(
  chance: Chance,
  { input: { body: schema } }: Route,
  known: readonly string[],
  isSpoiled: boolean,
): { readonly body: Buffer | null; readonly headers: Readonly<Record<string, string>> } {
  const type = { 'content-type': 'application/json' };
  if (schema === undefined)
    return isSpoiled && chance.often(50)
      ? { body: Buffer.from(write(spoil(chance, { kind: 'object', members: [] }))), headers: type }
      : { body: null, headers: {} };
  let draft = sample(chance, schemaOf(schema), known);
  if (!isSpoiled) return { body: Buffer.from(write(draft)), headers: type };
  for (let times = 1 + chance.below(2); times > 0; times -= 1) draft = spoil(chance, draft);
  const text = Buffer.from(write(draft));
  return { body: chance.often(15) ? mangle(chance, text) : text, headers: type };
}

function drawQuery(
  chance: Chance,
  { input: { query: schema } }: Route,
  known: readonly string[],
  isSpoiled: boolean,
): string {
  const pairs = Object.entries(schema === undefined ? {} : (schemaOf(schema).properties ?? {}))
    .filter(() => chance.often(50))
    .map(([name, field]) => {
      const value = sample(chance, field, known);
      return [
        name,
        encodeURIComponent(value.kind === 'raw' ? String(value.text).replaceAll('"', '') : ''),
      ] as const;
    });
  if (!isSpoiled)
    return pairs.length === 0 ? '' : `?${pairs.map((pair) => pair.join('=')).join('&')}`;
  const name =
    pairs.length > 0 && chance.often(60)
      ? chance.pick(pairs)[0]
      : encodeURIComponent(hostileName(chance).slice(0, 200));
  const extra = chance.pick([
    `${name}=${hostileText(chance)}`,
    `${name}=1&${name}=2`,
    `${name}[]=1`,
    `${name}[__proto__]=1`,
    name,
    `=${hostileText(chance)}`,
    '&&&',
    Array.from({ length: 40 }, (_, index) => `q${index}=1`).join('&'),
  ]);
  return `?${[...pairs.map((pair) => pair.join('=')), extra].join('&')}`;
}

function spoiledHeader(chance: Chance): Readonly<Record<string, string>> {
  return chance.pick<Readonly<Record<string, string>>>([
    {
      'content-type': chance.pick([
        'text/plain',
        'application/json; charset=latin1',
        'application/jsonx',
        '*/*',
        'multipart/form-data',
      ]),
    },
    {
      'idempotency-key': chance.pick([
        '',
        ' ',
        'a b',
        'x'.repeat(129),
        'x'.repeat(5_000),
        '\xff',
        '__proto__',
        'ключ'.replace(/[^\0-\xff]/g, '\xfe'),
      ]),
    },
    { accept: chance.bytes(4).toString('hex').repeat(100) },
    { 'user-agent': 'x'.repeat(9_000) },
    {
      'x-challenge-id': hostileText(chance)
        .replace(/[^\x20-\x7e]/g, '')
        .slice(0, 500),
      'x-one-time-code': chance.pick(['000000', '', '1e6', '000000 000000']),
    },
    { 'x-forwarded-for': '10.0.0.1', forwarded: 'for=10.0.0.1' },
    { cookie: '__proto__=1' },
    { connection: 'close' },
  ]);
}

/** What is wrong with an answer; null when nothing is. */
function judge(route: Route, call: Call, { status, headers, text }: Reply): Finding {
  if (typeof headers['x-request-id'] !== 'string') return `answered ${status} without a request id`;
  if (status < 300) {
    if (route.output === null) return null;
    const parsed = route.output.safeParse(JSON.parse(text));
    return parsed.success
      ? null
      : `answered ${status} with another body than it says: ${parsed.error.message.slice(0, 300)}`;
  }
  const size = Buffer.byteLength(text);
  const asked = (call.body?.byteLength ?? 0) + call.path.length;
  if (size > ANSWER_BASE_BYTES + asked) return `answered ${size} bytes to ${asked}`;
  const problem: {
    readonly code?: string;
    readonly status?: number;
    readonly errors?: readonly { readonly path?: unknown; readonly message?: unknown }[];
  } = JSON.parse(text);
  // an empty or strange parameter can make the path of another row
  const declared: readonly string[] = [
    ...codesOf(route),
    'not_found',
    'forbidden',
    ...(call.route.path.includes(':') ? ['method_not_allowed'] : []),
    ...(call.body === undefined ? [] : ['invalid_json', 'body_too_large']),
  ];
  if (problem.code === undefined || !declared.includes(problem.code))
    return `answered ${status} ${String(problem.code)}, which the row does not name`;
  const face = Object.entries(ERROR_RESPONSES).find(([code]) => code === problem.code)?.[1];
  if (face?.status !== status || problem.status !== status)
    return `answered ${status} with the code of ${face?.status ?? 'nothing'}`;
  if (status >= 500 && face.mcp === 'internal_error') return `answered ${status} ${problem.code}`;
  const fields = problem.errors ?? [];
  if (
    fields.some(
      ({ path, message }) =>
        typeof path !== 'string' ||
        typeof message !== 'string' ||
        (path !== '' && !path.startsWith('/')),
    )
  )
    return `named a fault without its path: ${text.slice(0, 300)}`;
  return (problem.code === 'invalid_request' || problem.code === 'invalid_json') &&
    fields.length === 0
    ? `named no fault: ${text.slice(0, 300)}`
    : null;
}
