import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until, type Daemon } from './daemon.ts';

/** Operator of the daemon. */
export const SECRET = '0123456789abcdef0123456789abcdef';
const STRANGER = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

/** What the demo user does by hand beside its agents, on a daemon and a folder. */
export interface Trader {
  /**
   * Buys and sells at both venues, rests, withdraws, swaps and sends, as far as each is taken, and
   * waits until a market has paid.
   */
  trade(round: number): Promise<readonly string[]>;
  /** Lifts the stops of a restore: the operator's, then the demo user's, who has signed in anew. */
  resume(): Promise<void>;
  metric(name: string): Promise<number>;
  /** Opens what the daemon's account needs before it trades. */
  ready(): Promise<void>;
}

interface Listed {
  readonly data: readonly { readonly marketId: string }[];
}

/** Makes the hands of the demo user. */
export function traderOf(daemon: Daemon, folder: string): Trader {
  let number = 0;

  async function call(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly ok: boolean; readonly answer: unknown; readonly text: string }> {
    number += 1;
    const response = await fetch(`${await daemon.url()}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${readFileSync(join(folder, 'demo-token'), 'utf8').trim()}`,
        'idempotency-key': `${daemon.pid}-${number}`,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { ok: response.ok, text, answer: text === '' ? null : JSON.parse(text) };
  }

  async function send(): Promise<boolean> {
    const wanted = { chain: 'SOLANA', token: 'USDC', amount: '3', to: STRANGER };
    const asked = await call('POST', '/api/web3/transfer/code', wanted);
    if (!asked.ok) return false;
    const { challengeId } = asked.answer as { challengeId: string }; // the route's answer
    const codes = (): readonly RegExpMatchArray[] => [
      ...daemon.printed().matchAll(/code for \S+ (\d{6})/g),
    ];
    const before = codes().length;
    await until(() => codes().length >= Math.max(1, before));
    const code = codes().at(-1)?.[1] ?? '';
    const sent = await call('POST', '/api/web3/transfer/', wanted, {
      'x-challenge-id': challengeId,
      'x-one-time-code': code,
    });
    return sent.ok;
  }

  async function swap(): Promise<boolean> {
    const quote = await call('POST', '/api/web3/exchange/get-quote/', {
      fromChain: 'SOLANA',
      toChain: 'SOLANA',
      sellTokenTicker: 'USDC',
      buyTokenTicker: 'SOL',
      amount: '4',
    });
    if (!quote.ok) return false;
    const { quoteId } = quote.answer as { quoteId: string }; // the route's answer
    return (await call('POST', '/api/web3/exchange/execute/', { quoteId })).ok;
  }

  /** Tries market after market until so many orders were taken. */
  async function buy(venue: string, wanted: number, skip: number): Promise<number> {
    const { answer } = await call('GET', `/api/${venue}/markets/?limit=40`);
    const { data } = answer as Listed; // the route's answer
    let taken = 0;
    for (const { marketId } of [...data.slice(skip), ...data.slice(0, skip)]) {
      if (taken === wanted) break;
      const order = { marketId, side: 'yes', amount: '2', orderType: 'market' };
      if ((await call('POST', `/api/${venue}/order/`, order)).ok) taken += 1;
    }
    return taken;
  }

  async function rest(): Promise<boolean> {
    const { answer } = await call('GET', '/api/venue_a/markets/?limit=1');
    const [first] = (answer as Listed).data; // the route's answer
    const order = { marketId: first?.marketId, side: 'yes', amount: '1', orderType: 'limit' };
    return (await call('POST', '/api/venue_a/order/', { ...order, price: '0.01' })).ok;
  }

  async function sell(): Promise<boolean> {
    const { answer } = await call('GET', '/api/venue_b/portfolio/positions?limit=20');
    const { data } = answer as {
      data: readonly { marketId: string; side: string; state: string }[]; // the route's answer
    };
    for (const { marketId, side } of data.filter(({ state }) => state === 'open'))
      if ((await call('POST', '/api/venue_b/order/close-position', { marketId, side })).ok)
        return true;
    return false;
  }

  const internal = async (path: string): Promise<void> => {
    const response = await fetch(`${await daemon.url()}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-internal-secret': SECRET },
      body: JSON.stringify({ reason: 'all is adopted' }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  };

  return {
    async trade(round) {
      const paid = (): number => daemon.printed().split('paid out').length;
      const before = paid();
      const done = {
        'at venue_b': await buy('venue_b', 2, (round * 3) % 30),
        'at venue_a': await buy('venue_a', 1, round % 3),
        sold: await sell(),
        resting: await rest(),
        withdrawn: (await call('POST', '/api/venue_a/safe/withdraw/', { amount: '5' })).ok,
        swapped: await swap(),
        sent: await send(),
      };
      // A market of an agent's pays a Safe: what the books lack of it is no deposit.
      await until(() => paid() > before);
      return Object.entries(done)
        .filter(([, took]) => Number(took) > 0)
        .map(([name, took]) => (took === true ? name : `${Number(took)} ${name}`));
    },
    async resume() {
      await internal('/internal/resume');
      await daemon.saw(/demo user \S+; its token/);
      const resumed = await call('POST', '/api/user/resume');
      if (!resumed.ok) throw new Error(`the demo user could not resume: ${resumed.text}`);
    },
    async metric(name) {
      const text = await (await fetch(`${await daemon.url()}/metrics`)).text();
      return Number(new RegExp(`^predictd_${name} (\\S+)$`, 'm').exec(text)?.[1]);
    },
    async ready() {
      await daemon.saw(/allowances: done/);
    },
  };
}
