import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExchangeMarket } from '../../../src/sandbox/engine/exchange-types.ts';
import { keepAlive, type KeptDaemon } from './kept-daemon.ts';
import { KILLER, killing, momentsIn, type Kills } from './kills.ts';
import { atRest, errorsIn, onChain } from './money-end.ts';
import type { MoneyEnvironment } from './money-environment.ts';
import { worldSettings } from './world-settings.ts';
import { BASE_CHAIN } from '../../../src/sandbox/chains/evm/chain-addresses.ts';

/** What a day left, in words that do not depend on ids, addresses and times. */
export interface MoneyDayEnd {
  /**
   * Durable steps come to, in order, and the moments the daemon was killed at: `before` or `after`
   * and the step.
   */
  readonly steps: readonly string[];
  readonly killedAt: readonly string[];
  readonly lives: number;
  /** Wallets, cash, positions and the withdrawal as the API shows them. */
  readonly api: unknown;
  /** True when a repeated call gave the same answer each time. */
  readonly repeats: readonly boolean[];
  /** Safe, allowances, balances, and every transaction that touched them, as the chain has them. */
  readonly chain: unknown;
  /** Users, actions, orders, balances, journal and laws as the store has them. */
  readonly store: unknown;
  readonly errors: readonly string[];
}

/** The user whose day it is. */
interface Person {
  readonly environment: MoneyEnvironment;
  readonly daemon: KeptDaemon;
  readonly phone: string;
  readonly market: ExchangeMarket;
}

interface Wallets {
  readonly evm: string;
  readonly solana: string;
  readonly safe: string;
}

interface Holding {
  readonly data: readonly {
    readonly state: string;
    readonly shares: string;
    readonly settledShares: string;
    readonly provisionalShares: string;
    readonly realizedPnl: string;
    readonly costUsdc: string;
    readonly feesUsdc: string;
  }[];
  readonly cash: {
    readonly settled: string;
    readonly provisional: string;
    readonly reserved: string;
    readonly available: string;
  };
}

/**
 * Lives one person's day, from a phone to a withdrawal, on a daemon that is killed and started
 * again on the way. `number` is the person's place in the environment.
 */
export async function moneyDay(
  environment: MoneyEnvironment,
  number: number,
  kills: Kills | null,
): Promise<MoneyDayEnd> {
  const market = environment.markets[number];
  if (market === undefined)
    throw new Error(`the environment has ${environment.markets.length} markets, one a person`);
  const folder = mkdtempSync(join(tmpdir(), 'predictd-money-day-'));
  const done = join(folder, 'done');
  const { telephone } = environment;
  const daemon = keepAlive(
    {
      ...worldSettings(environment.world),
      PREDICTD_PROFILE: 'live',
      PREDICTD_DATA: join(folder, 'data'),
      PREDICTD_TWILIO_URL: telephone.url,
      PREDICTD_TWILIO_SERVICE: telephone.serviceSid,
      PREDICTD_TWILIO_ACCOUNT: telephone.username,
      PREDICTD_TWILIO_SECRET: telephone.password,
    },
    { preload: KILLER, environment: killing(kills, done) },
  );
  try {
    const { wallets, ...reported } = await live({
      environment,
      daemon,
      market,
      phone: `+12025550${110 + number}`,
    });
    await daemon.end();
    return {
      ...momentsIn(done),
      lives: daemon.lives(),
      ...reported,
      chain: await onChain(environment, market, wallets),
      store: await atRest(join(folder, 'data', 'store')),
      errors: errorsIn(daemon.printed()),
    };
  } finally {
    await daemon.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function live(
  person: Person,
): Promise<Pick<MoneyDayEnd, 'api' | 'repeats'> & { readonly wallets: Wallets }> {
  const { daemon, environment, market } = person;
  const holding = () => daemon.call<Holding>('GET', '/api/venue_a/holding/?positionType=all');
  await signIn(person);
  await daemon.call('PUT', '/api/user/profile', { username: 'ada' });
  const { wallets } = await daemon.call<{ wallets: Wallets }>('GET', '/api/user/profile');

  const payTo = await depositAddress(daemon);
  await pay(environment, payTo);
  await daemon.until(holding, ({ cash }) => cash.settled === '25');
  const deposits = () =>
    daemon.call<{ data: readonly { readonly status: string }[] }>(
      'GET',
      `/api/venue_a/bridge/status/${payTo}/`,
    );
  const {
    data: [deposit],
  } = await daemon.until(deposits, ({ data }) => data.some(({ status }) => status === 'completed'));

  const order = { marketId: market.marketId, side: 'yes', amount: '10', orderType: 'market' };
  const bought = await daemon.call<{ id: string }>('POST', '/api/venue_a/order/', order, 'buy');
  await daemon.until(
    holding,
    ({ data, cash }) =>
      cash.provisional === '0' &&
      data.some(
        ({ settledShares, provisionalShares }) =>
          settledShares === '25' && provisionalShares === '0',
      ),
  );

  environment.world.venues.venue_a.exchange.resolve(market.marketId, [10_000, 0]);
  await daemon.call('POST', '/api/venue_a/token/claim/', {}, 'claim');
  await daemon.until(holding, ({ data }) => data.some(({ state }) => state === 'redeemed'));

  const asked = await daemon.call<{ withdrawalId: string }>(
    'POST',
    '/api/venue_a/safe/withdraw/',
    { amount: '40' },
    'out',
  );
  const withdrawal = () =>
    daemon.call<{ state: string; amount: string; reason: string | null }>(
      'GET',
      `/api/venue_a/safe/withdraw/${asked.withdrawalId}/`,
    );
  const { state, reason } = await daemon.until(
    withdrawal,
    (each) => each.state !== 'reserved' && each.state !== 'sent',
  );

  const again = [
    (await daemon.call<{ id: string }>('POST', '/api/venue_a/order/', order, 'buy')).id ===
      bought.id,
    (
      await daemon.call<{ withdrawalId: string }>(
        'POST',
        '/api/venue_a/safe/withdraw/',
        { amount: '40' },
        'out',
      )
    ).withdrawalId === asked.withdrawalId,
    (await depositAddress(daemon)) === payTo,
    JSON.stringify(
      (await daemon.call<{ wallets: Wallets }>('GET', '/api/user/profile')).wallets,
    ) === JSON.stringify(wallets),
  ];
  const end = await holding();
  return {
    wallets,
    repeats: again,
    api: {
      deposit: deposit?.status,
      withdrawal: { state, reason },
      cash: end.cash,
      positions: end.data.map(timeless),
    },
  };
}

/**
 * A code is good for one use: when the answer was lost with the process, a person asks for another.
 */
async function signIn({ daemon, environment, phone }: Person): Promise<void> {
  for (;;) {
    const { challengeId } = await daemon.call<{ challengeId: string }>(
      'POST',
      '/api/auth/otp/request',
      { phone },
    );
    const code = environment.telephone.codeFor(phone) ?? '000000';
    const { accessToken } = await daemon.call<{ accessToken?: string }>(
      'POST',
      '/api/auth/otp/verify',
      { challengeId, code },
      null,
      [400, 401, 410],
    );
    if (accessToken === undefined) continue;
    daemon.useToken(accessToken);
    return;
  }
}

async function depositAddress(daemon: KeptDaemon): Promise<string> {
  const { data } = await daemon.call<{ data: readonly { chain: string; address: string }[] }>(
    'POST',
    '/api/venue_a/bridge/deposit-addresses/',
    {},
  );
  return data.find(({ chain }) => chain === 'BASE')?.address ?? 'none';
}

/** Another wallet pays 25 USDC on Base, once: a bridge that is away has taken nothing. */
async function pay({ world }: MoneyEnvironment, address: string): Promise<void> {
  const body = JSON.stringify({
    transaction: 'one',
    chainId: String(BASE_CHAIN.chainId),
    address,
    token: BASE_CHAIN.usdc,
    amount: '25000000',
  });
  for (;;) {
    const answer = await fetch(`${world.urls.venues.venue_a.bridge ?? ''}/sandbox/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    if (answer.ok) return;
    if (answer.status !== 502) throw new Error(`the payment was refused: ${await answer.text()}`);
  }
}

const TIMES_AND_IDS = new Set([
  'marketId',
  'tokenId',
  'question',
  'slug',
  'openedAtMs',
  'endsAtMs',
  'closedAtMs',
]);

function timeless(answer: object): unknown {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !TIMES_AND_IDS.has(name)));
}
