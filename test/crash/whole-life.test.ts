import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { familyOf, killDaemons, startDaemon, untilGone, type Daemon } from './support/daemon.ts';

/** A life takes half a minute, and longer where other tests run beside. */
const LIFE = { timeout: 900_000 };
const PHONE = '+12025550147';
const BASE_USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const REFUSALS_OF_A_MOMENT = [409, 503];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-life-'));
});
afterEach(async () => {
  await killDaemons();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  // Each reader below names the fields of its own route.
  readonly body: Record<string, unknown>;
}

interface Held {
  readonly marketId: string;
  readonly state: string;
  readonly shares: string;
  readonly settledShares: string;
}

/** A user who calls the API over whatever process serves it now. */
class Person {
  life: Daemon;
  token = '';

  constructor(life: Daemon) {
    this.life = life;
  }

  async call(method: string, path: string, body?: object, key?: string): Promise<Answer> {
    const headers = {
      'content-type': 'application/json',
      ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    };
    const response = await fetch(`${await this.life.url()}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }

  async signIn(): Promise<void> {
    const { challengeId } = (await this.call('POST', '/api/auth/otp/request', { phone: PHONE }))
      .body;
    const [, code] = await this.life.saw(/code for \S+0147: (\d{6})/);
    this.token = String(
      (await this.call('POST', '/api/auth/otp/verify', { challengeId, code })).body['accessToken'],
    );
  }

  async holding(): Promise<{
    readonly cash: Readonly<Record<'settled' | 'provisional' | 'available', string>>;
    readonly data: readonly Held[];
  }> {
    return (await this.call('GET', '/api/venue_a/holding/?positionType=all'))
      .body as unknown as Awaited<ReturnType<Person['holding']>>;
  }

  /**
   * Collateral in the Safe, and USDC in the EVM wallet on the venue's chain, as the chain says; and
   * native coins of the wallets that pay no gas.
   */
  async onChain(): Promise<{
    readonly safe: string;
    readonly evm: string;
    readonly native: readonly string[];
  }> {
    const { wallets } = (await this.call('GET', '/api/web3/view')).body as {
      readonly wallets: readonly {
        readonly chain: string;
        readonly walletType: string;
        readonly native: { readonly balance: string } | null;
        readonly tokens: readonly { readonly symbol: string; readonly balance: string }[];
      }[];
    };
    const held = (walletType: string, token: string) =>
      wallets
        .find((wallet) => wallet.chain === 'POLYGON' && wallet.walletType === walletType)
        ?.tokens.find(({ symbol }) => symbol === token)?.balance ?? 'none';
    return {
      safe: held('SAFE', 'pUSD'),
      evm: held('EVM', 'USDC'),
      // These two pay for their own transactions, and a new wallet is endowed for that.
      native: wallets.flatMap(({ chain, native }) =>
        chain === 'SOLANA' || chain === 'BASE' ? [] : (native?.balance ?? []),
      ),
    };
  }

  /** Asks until the answer satisfies; the test's own limit ends it. */
  async until<T>(ask: () => Promise<T>, satisfies: (answer: T) => boolean): Promise<T> {
    for (;;) {
      const answer = await ask();
      if (satisfies(answer)) return answer;
      await new Promise((resolve) => void setTimeout(resolve, 250));
    }
  }

  /** Waits until ledger and chain say the same, and gives what they say. */
  async agreed(): Promise<string> {
    const both = async () => ({ ledger: (await this.holding()).cash, chain: await this.onChain() });
    const { chain } = await this.until(
      both,
      ({ ledger, chain: { safe } }) => ledger.provisional === '0' && ledger.settled === safe,
    );
    expect(new Set(chain.native)).toEqual(new Set(['0']));
    return chain.safe;
  }

  /** Buys of one outcome in a round until the venue takes it; false when the round ended before. */
  async buy(marketId: string, side: 'yes' | 'no'): Promise<boolean> {
    const { status } = await this.until(
      () =>
        this.call('POST', '/api/venue_a/order/', {
          marketId,
          side,
          amount: '5',
          orderType: 'limit',
          price: '0.97',
        }),
      ({ status, body }) => {
        if (status < 300 || body['code'] === 'market_closed') return true;
        if (REFUSALS_OF_A_MOMENT.includes(status)) return false;
        throw new Error(`the order was refused: ${JSON.stringify(body)}`);
      },
    );
    return status < 300;
  }

  /**
   * Buys both outcomes of a round; of the next one where a busy machine let the first end
   * meanwhile.
   */
  async buyBoth(): Promise<string> {
    for (;;) {
      const marketId = await roundOf(this);
      if ((await this.buy(marketId, 'yes')) && (await this.buy(marketId, 'no'))) return marketId;
    }
  }
}

/** A 5-minute round with some time before it ends. */
async function roundOf(person: Person): Promise<string> {
  const { data } = (await person.call('GET', '/api/venue_a/markets/?limit=200')).body as {
    readonly data: readonly {
      readonly marketId: string;
      readonly acceptingOrders: boolean;
      readonly window: { readonly minutes: number; readonly endsAtMs: number } | null;
    }[];
  };
  const rounds = data
    .filter(({ window, acceptingOrders }) => window?.minutes === 5 && acceptingOrders)
    .sort((one, other) => (one.window?.endsAtMs ?? 0) - (other.window?.endsAtMs ?? 0));
  const round = rounds[1] ?? rounds[0];
  if (round === undefined) throw new Error('the world lists 5-minute rounds');
  return round.marketId;
}

it(
  'L3, L4, L9: a phone becomes wallets, a deposit from another chain, trades, a resolution, a redemption and a withdrawal; ledger and chain agree at each step, no native coin is spent, and a SIGKILL in the middle changes nothing',
  LIFE,
  async () => {
    const first = startDaemon({ PREDICTD_DATA: folder });
    const ada = new Person(first);
    await ada.signIn();
    await ada.call('PUT', '/api/user/profile', { username: 'ada' });
    const { wallets } = (await ada.call('GET', '/api/user/profile')).body;
    expect(wallets).toEqual({
      evm: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      solana: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
      safe: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    });
    await ada.until(
      () => ada.holding(),
      ({ cash }) => cash.settled === '1000',
    );
    expect(await ada.agreed()).toBe('1000');

    const [, bridge = ''] = await first.saw(/bridge +(http:\S+)/);
    const addresses = (await ada.call('POST', '/api/venue_a/bridge/deposit-addresses/', {}))
      .body as { readonly data: readonly { readonly chain: string; readonly address: string }[] };
    const payTo = addresses.data.find(({ chain }) => chain === 'BASE')?.address;
    const paid = await fetch(`${bridge}/sandbox/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        transaction: 'one',
        chainId: '8453',
        address: payTo,
        token: BASE_USDC,
        amount: '25000000',
      }),
    });
    expect(paid.status).toBe(200);
    await ada.until(
      () => ada.holding(),
      ({ cash }) => cash.settled === '1025',
    );
    expect(await ada.agreed()).toBe('1025');

    const marketId = await ada.buyBoth();
    const isOf = (held: Held) => held.marketId === marketId;
    await ada.until(
      () => ada.holding(),
      ({ data }) =>
        data.filter(isOf).length === 2 &&
        data.filter(isOf).every(({ shares, settledShares }) => shares === settledShares),
    );
    await ada.agreed();

    const family = familyOf(first.pid);
    first.signal('SIGKILL');
    await first.ended;
    await untilGone(family);
    ada.life = startDaemon({ PREDICTD_DATA: folder });

    const ended = await ada.until(
      () => ada.holding(),
      ({ data }) => data.every(({ state }) => state === 'redeemed' || state === 'lost'),
    );
    expect(
      ended.data
        .filter(isOf)
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['lost', 'redeemed']);
    const all = await ada.agreed();

    const withdrawal = (
      await ada.call('POST', '/api/venue_a/safe/withdraw/', { amount: all }, 'all-of-it')
    ).body;
    await ada.until(
      () => ada.call('GET', `/api/venue_a/safe/withdraw/${String(withdrawal['withdrawalId'])}/`),
      ({ body }) => body['state'] === 'settled',
    );
    expect(await ada.agreed()).toBe('0');
    expect((await ada.onChain()).evm).toBe(all);
    const again = (
      await ada.call('POST', '/api/venue_a/safe/withdraw/', { amount: all }, 'all-of-it')
    ).body;
    expect(again['withdrawalId']).toBe(withdrawal['withdrawalId']);

    ada.life.signal('SIGTERM');
    expect(await ada.life.ended).toEqual({ code: 0, signal: null });
  },
);
