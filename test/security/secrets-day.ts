import type { Daemon } from '../crash/support/daemon.ts';
import type { MoneyEnvironment } from '../crash/support/money-environment.ts';
import type { FaultName, FaultRule } from '../../src/sandbox/faults.ts';
import type { Canary, Place } from './secrets.ts';
import { BASE_CHAIN } from '../../src/sandbox/chains/evm/chain-addresses.ts';

/** What a day brought to light: secrets, and the answers that are none. */
export interface SecretDay {
  readonly canaries: readonly Canary[];
  /** Bodies and headers of answers that give no secret. */
  readonly answers: readonly Place[];
}

/** Who lives the day. */
export interface SecretDayParts {
  readonly environment: MoneyEnvironment;
  readonly daemon: Daemon;
  readonly internalSecret: string;
}

const PHONE = '+12025550177';
/** What goes wrong while the day is lived, beside the environment's own faults. */
const FAULTS: readonly (readonly [FaultName, FaultRule])[] = [
  ['late-ack', { times: 1 }],
  ['bad-gateway', { percent: 5 }],
  ['rate-limited', { percent: 5 }],
  ['socket-dropped', { percent: 2 }],
  ['schema-drift', { times: 2 }],
  ['ghost-fill', { times: 1 }],
  ['relayer-busy', { times: 2 }],
];

interface Call {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer gives a secret to whoever may have it. */
  readonly gives?: boolean;
}

/** Signs in, makes a key, trades, exports, withdraws and errs, on a daemon under faults. */
export async function liveSecretDay({
  environment,
  daemon,
  internalSecret,
}: SecretDayParts): Promise<SecretDay> {
  const { telephone, world } = environment;
  const canaries: Canary[] = [{ name: 'the phone number', value: PHONE }];
  const answers: Place[] = [];
  const url = await daemon.url();
  for (const [name, rule] of FAULTS) world.faults.arm(name, rule);

  /** One call; answers that give a secret are read and not looked through. */
  async function call(
    method: string,
    path: string,
    { token = null, body, headers = {}, gives = false }: Call = {},
  ): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!gives || !response.ok)
      answers.push({
        name: `${method} ${path.split('?')[0] ?? path}: ${response.status}`,
        bytes: Buffer.from(`${JSON.stringify([...response.headers])}\n${text}`),
      });
    const read: unknown = text.startsWith('{') ? JSON.parse(text) : {};
    // Every JSON answer of these routes is an object.
    return { status: response.status, body: read as Readonly<Record<string, unknown>> };
  }
  const until = async (
    ask: () => ReturnType<typeof call>,
    satisfies: (answer: Awaited<ReturnType<typeof call>>) => boolean,
  ) => {
    for (;;) {
      const answer = await ask();
      if (satisfies(answer)) return answer;
      await new Promise((resolve) => void setTimeout(resolve, 100));
    }
  };
  const note = (name: string, value: unknown): string => {
    if (typeof value !== 'string' || value === '') throw new Error(`${name} was given`);
    canaries.push({ name, value });
    return value;
  };

  const { challengeId } = (await call('POST', '/api/auth/otp/request', { body: { phone: PHONE } }))
    .body;
  const code = note('a one-time code', telephone.codeFor(PHONE));
  await call('POST', '/api/auth/otp/verify', { body: { challengeId, code: '000000' } });
  await call('POST', '/api/auth/otp/verify', {
    body: `{"challengeId":"${String(challengeId)}","code":"${code}"`,
  });
  const session = (
    await call('POST', '/api/auth/otp/verify', { body: { challengeId, code }, gives: true })
  ).body;
  const first = note('a token', session['accessToken']);
  const refresh = note('a refresh token', session['refreshToken']);
  await call('PUT', '/api/user/profile', { token: first, body: { username: 'ada' } });
  const renewed = (
    await call('POST', '/api/auth/refresh', { body: { refreshToken: refresh }, gives: true })
  ).body;
  const token = note('a token', renewed['accessToken']);
  note('a refresh token', renewed['refreshToken']);

  const key = note(
    'an API key',
    (
      await call('POST', '/api/user/keys/', {
        token,
        body: { name: 'bot', scopes: ['read', 'trade'] },
        gives: true,
      })
    ).body['key'],
  );
  await call('POST', '/internal/api-keys/exchange', {
    headers: { 'x-internal-secret': `${internalSecret}x` },
    body: { key },
  });
  await call('POST', '/internal/api-keys/exchange', {
    headers: { 'x-internal-secret': internalSecret },
    body: { key: `${key}x` },
  });
  const service = note(
    'a token',
    (
      await call('POST', '/internal/api-keys/exchange', {
        headers: { 'x-internal-secret': internalSecret },
        body: { key },
        gives: true,
      })
    ).body['accessToken'],
  );

  await until(
    () => call('POST', '/api/venue_a/bridge/deposit-addresses/', { token, body: {} }),
    ({ status }) => status === 200,
  ).then(async ({ body }) => {
    // The route's own shape: a list of chains and addresses.
    const rows = body['data'] as readonly { readonly chain: string; readonly address: string }[];
    await pay(
      world.urls.venues.venue_a.bridge ?? '',
      rows.find(({ chain }) => chain === 'BASE')?.address ?? '',
    );
  });
  const holding = () => call('GET', '/api/venue_a/holding/', { token });
  await until(holding, ({ body }) => JSON.stringify(body['cash'] ?? {}).includes('"settled":"25"'));
  const market = environment.markets[0];
  const order = { marketId: market?.marketId, side: 'yes', amount: '5', orderType: 'market' };
  await until(
    () =>
      call('POST', '/api/venue_a/order/', {
        token: service,
        body: order,
        headers: { 'idempotency-key': 'buy' },
      }),
    ({ status }) => status < 300,
  );
  await call('POST', '/api/venue_a/order/', { token: `${service}x`, body: order });
  await call('POST', '/api/venue_a/order/', { token, body: { ...order, amount: token } });
  await call('GET', `/api/venue_a/order/?cursor=${encodeURIComponent(service)}`, { token });
  await call('GET', '/api/web3/export-private-key', { token });
  await call('POST', '/api/auth/google', { body: {} });

  const challenge = await until(
    () => call('POST', '/api/web3/export-private-key/code', { token }),
    ({ status }) => status === 200,
  );
  const proof = note('a one-time code', telephone.codeFor(PHONE));
  const proven = (given: string) => ({
    'x-challenge-id': String(challenge.body['challengeId']),
    'x-one-time-code': given,
  });
  await call('GET', '/api/web3/export-private-key?wallet=evm', {
    token,
    headers: proven('111111'),
  });
  note(
    'the EVM key',
    (
      await call('GET', '/api/web3/export-private-key?wallet=evm', {
        token,
        headers: proven(proof),
        gives: true,
      })
    ).body['privateKey'],
  );
  world.faults.arm('relayer-lost', { times: 1 });
  await call('POST', '/api/venue_a/safe/withdraw/', {
    token,
    body: { amount: '2' },
    headers: { 'idempotency-key': 'out' },
  });
  note('the Solana key', await secondKey());
  // Within ten seconds the same device gets the same answer again; later the session would be over.
  await call('POST', '/api/auth/refresh', { body: { refreshToken: refresh }, gives: true });
  await call('GET', '/api/user/notifications/', { token });
  await call('GET', '/readyz');
  await call('GET', '/metrics');
  await call('POST', '/api/auth/logout', { token, body: {} });
  await call('GET', '/api/user/profile', { token });
  return { canaries, answers };

  /** The other key wants a code of its own. */
  async function secondKey(): Promise<unknown> {
    const { body } = await until(
      () => call('POST', '/api/web3/export-private-key/code', { token }),
      ({ status }) => status === 200,
    );
    const second = note('a one-time code', telephone.codeFor(PHONE));
    return (
      await call('GET', '/api/web3/export-private-key?wallet=solana', {
        token,
        headers: { 'x-challenge-id': String(body['challengeId']), 'x-one-time-code': second },
        gives: true,
      })
    ).body['privateKey'];
  }
}

/** Another wallet pays 25 USDC on Base, once: a bridge that is away has taken nothing. */
async function pay(bridge: string, address: string): Promise<void> {
  const body = JSON.stringify({
    transaction: 'one',
    chainId: String(BASE_CHAIN.chainId),
    address,
    token: BASE_CHAIN.usdc,
    amount: '25000000',
  });
  for (;;) {
    const answer = await fetch(`${bridge}/sandbox/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    if (answer.ok) return;
    if (answer.status !== 502) throw new Error(`the payment was refused: ${await answer.text()}`);
  }
}
