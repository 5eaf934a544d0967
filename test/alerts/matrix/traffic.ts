import { Client } from 'undici';
import type { Called, Sandbox } from './sandbox.ts';

/** Does something again and again until the function it gives is called. */
export type Traffic = (sandbox: Sandbox) => () => void;

/** Fewer than one address may ask for in a day. */
const CODES_PER_ADDRESS = 20;
/** Areas with numbers reserved for fiction: 100 in each. */
const AREAS = ['202', '213', '312', '415', '617'] as const;
/** A market of venue_a that stays open. */
const MARKET = 'hottest-month-on-record';

/** Calls `run` every so many ms, one at a time; a call that fails is part of the fault. */
function often(everyMs: number, run: () => Promise<unknown>): () => void {
  let isOver = false;
  const again = (): void => {
    if (isOver) return;
    void run()
      .catch(() => undefined)
      .finally(() => setTimeout(again, everyMs));
  };
  again();
  return () => {
    isOver = true;
  };
}

/** Orders that rest and are taken back, purchases of a dollar, and reads beside them. */
export const trading: Traffic = (sandbox) => {
  let marketId = '';
  let turn = 0;
  const stops = [
    often(1_500, async () => {
      marketId ||= await openMarket(sandbox);
      turn += 1;
      if (turn % 3 === 0)
        return sandbox.call('POST', '/api/venue_a/order/', {
          marketId,
          side: 'yes',
          amount: 1,
          orderType: 'market',
        });
      const { body } = await rest(sandbox, marketId);
      if (typeof body['id'] === 'string')
        await sandbox.call('DELETE', `/api/venue_a/order/${body['id']}/`);
    }),
    often(1_000, () => sandbox.call('GET', '/api/portfolio/')),
  ];
  return () => stops.forEach((stop) => stop());
};

/** Orders that stay at the venue. */
export const resting: Traffic = (sandbox) => {
  let marketId = '';
  return often(1_500, async () => {
    marketId ||= await openMarket(sandbox);
    await rest(sandbox, marketId);
  });
};

/** Orders that are refused before they leave: a price off the tick. */
export const faultyOrders: Traffic = (sandbox) => {
  let marketId = '';
  return often(650, async () => {
    marketId ||= await openMarket(sandbox);
    await sandbox.call('POST', '/api/venue_a/order/', {
      marketId,
      side: 'yes',
      amount: 5,
      orderType: 'limit',
      price: '0.123',
    });
  });
};

/** Quotes of swaps. */
export const quotes: Traffic = (sandbox) =>
  often(1_000, () =>
    sandbox.call('POST', '/api/web3/exchange/get-quote/', {
      fromChain: 'POLYGON',
      toChain: 'BASE',
      sellTokenTicker: 'USDC',
      buyTokenTicker: 'ETH',
      amount: '25',
      walletType: 'EVM',
    }),
  );

/** Lists of tokens, each another one, so that none comes from memory. */
export const tokenLists: Traffic = (sandbox) => {
  let turn = 0;
  return often(1_000, () => {
    turn += 1;
    return sandbox.call('GET', `/api/web3/search/?query=token${turn}`);
  });
};

/** Deposit addresses of the bridge, and what is asked about them. */
export const deposits: Traffic = (sandbox) => {
  const status = async (): Promise<void> => {
    await sandbox.call('GET', '/api/venue_a/bridge/supported-assets/');
    await sandbox.call('POST', '/api/venue_a/bridge/deposit-addresses/', {});
  };
  return often(1_000, status);
};

/** Withdrawals of a dollar. */
export const withdrawals: Traffic = (sandbox) =>
  often(4_000, () => sandbox.call('POST', '/api/venue_a/safe/withdraw/', { amount: '1' }));

/**
 * A browser that hears of every fill, until it says that it wants to hear no more: the push service
 * of a sandbox that is killed knows it no longer.
 */
export const browser: Traffic = (sandbox) => {
  const subscribed = subscribe(sandbox).catch(() => null);
  const stop = trading(sandbox);
  return () => {
    stop();
    void subscribed.then(async (id) => {
      if (id !== null) await sandbox.call('DELETE', `/api/user/push/subscriptions/${id}`);
    });
  };
};

/** Resolves with the id of the subscription. */
async function subscribe(sandbox: Sandbox): Promise<string> {
  const { body } = await sandbox.call('GET', '/api/user/push/vapid-key');
  const answer = await fetch(`${sandbox.addresses()['push']}/browsers`, {
    method: 'POST',
    body: JSON.stringify({ applicationServerKey: body['publicKey'] }),
  });
  const made = await sandbox.call(
    'POST',
    '/api/user/push/subscriptions',
    Object(await answer.json()).subscription,
  );
  return String(made.body['id']);
}

/** One-time codes for numbers that use none, from several addresses of this machine. */
export const codes: Traffic = (sandbox) => {
  let number = 0;
  return often(500, async () => {
    number += 1;
    const client = new Client(sandbox.url, {
      localAddress: `127.0.1.${1 + Math.floor(number / CODES_PER_ADDRESS)}`,
    });
    await client.request({
      method: 'POST',
      path: '/api/auth/otp/request',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        phone: `+1${AREAS[Math.floor(number / 100)] ?? ''}55501${String(number % 100).padStart(2, '0')}`,
      }),
    });
    await client.close();
  });
};

function rest(sandbox: Sandbox, marketId: string): Promise<Called> {
  return sandbox.call('POST', '/api/venue_a/order/', {
    marketId,
    side: 'yes',
    amount: 1,
    orderType: 'limit',
    price: '0.10',
  });
}

async function openMarket(sandbox: Sandbox): Promise<string> {
  const { body } = await sandbox.call('GET', `/api/venue_a/markets/${MARKET}`);
  return String(body['marketId'] ?? '');
}
