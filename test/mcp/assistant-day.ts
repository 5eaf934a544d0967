import type { Assistant } from './assistant.ts';

/** What the person does beside their assistant. */
export interface Person {
  /** Confirms what the page of this address shows. */
  confirm(url: string): Promise<void>;
  /** The `imageId` of a picture they have uploaded. */
  readonly imageId: string;
  /** Waits as long as an answer says, or a moment where none does. */
  wait(seconds?: number): Promise<void>;
}

/** What came of each of the twelve tasks of a day, in the words of the answers. */
export type Day = Readonly<Record<string, unknown>>;

/** States of an order that is not decided yet. */
const UNDER_WAY = ['intended', 'signed', 'submitting', 'live', 'delayed', 'matched', 'unknown'];
/** How often something that is under way is asked for again, every two seconds or so. */
const TRIES = 30;

/**
 * Does twelve tasks as a model would: it asks, reads, and goes on with what it was answered. An
 * answer that it may repeat later it repeats.
 */
export async function liveDay(assistant: Assistant, person: Person, nowMs: number): Promise<Day> {
  /** Ids of its own making: new ones every day. */
  const mine = (what: string) => `mine-${nowMs}-${what}`;
  const ask = async (name: string, given: Record<string, unknown> = {}) =>
    (await assistant.call(name, given)).value;
  /** Repeats a call while its answer says that it may succeed later. */
  const insist = async (name: string, given: Record<string, unknown>) => {
    for (let tried = 1; ; tried += 1) {
      const { isError, text, value } = await assistant.call(name, given);
      if (!isError) return value;
      if (tried === TRIES || !text.includes('may succeed later')) throw new Error(text);
      await person.wait(Number(/, in (\d+) s\./.exec(text)?.[1] ?? 2));
    }
  };
  const ended = async (name: string, given: Record<string, unknown>, states: readonly string[]) => {
    for (let tried = 1; ; tried += 1) {
      const value = await ask(name, given);
      if (tried === TRIES || !states.includes(String(value['state']))) return value;
      await person.wait();
    }
  };
  const { cursor } = await ask('events_since');

  // 1: a market that ends today, and its rules
  const today = new Date(nowMs + 86_400_000).toISOString().slice(0, 10);
  const { items } = await ask('markets_list', {
    search: 'will',
    endsBeforeAtMs: today,
    sort: 'volume',
  });
  const open = (items as Readonly<Record<string, unknown>>[]).toSorted(
    (a, b) => Number(b['endsAtMs']) - Number(a['endsAtMs']),
  );
  const { marketId } = Object(open.find(({ yes }) => Object(yes).ask !== undefined));
  const market = await ask('market_get', { marketId });

  // 2: preview, and buy
  const order = { marketId, side: 'yes', amount: '5', orderType: 'market' };
  const preview = await ask('orders_create', { ...order, preview: true });
  // the market may move away under a market order, which then ends with nothing: once more
  const buy = async (tries: number): Promise<Record<string, unknown>> => {
    const clientRequestId = mine(`buy-${tries}`);
    const bought = await insist('orders_create', { ...order, clientRequestId });
    const { orderId } = Object(bought['result']);

    // 3: what it cost
    const cost = await ended('order_get', { orderId }, UNDER_WAY);
    const isNothing = cost['filledShares'] === '0' && tries > 1;
    return isNothing ? buy(tries - 1) : { clientRequestId, bought, cost };
  };
  const { clientRequestId, bought, cost } = await buy(3);

  // 9: the answer was lost: the same call once more
  const again = await insist('orders_create', { ...order, clientRequestId });

  // 4: close it
  const close = { marketId, side: 'yes', clientRequestId: mine('close') };
  const closed = await insist('position_close', close);

  // 5: what there is, everywhere
  const account = await ask('account_summary');

  // 6: a quote, a swap, and its end
  const swap = {
    fromChain: 'SOLANA',
    toChain: 'SOLANA',
    sellTokenTicker: 'USDC',
    buyTokenTicker: 'SOL',
  };
  const quote = await insist('swap_quote', { ...swap, amount: '5' });
  const { quoteId } = quote;
  const tried = await insist('swap_execute', { quoteId, preview: true });
  const begun = await insist('swap_execute', { quoteId, clientRequestId: mine('swap') });
  const { swapId } = Object(begun['result']);
  const swapped = await ended('swap_status', { swapId }, ['queued', 'following']);

  // 7: more than the key may move
  const large = await insist('swap_quote', { ...swap, amount: '200' });
  const refused = await assistant.call('swap_execute', {
    quoteId: large['quoteId'],
    clientRequestId: mine('large'),
  });

  // 8: a launch
  const token = {
    name: 'Morning Coffee',
    symbol: 'BREW',
    description: '',
    imageId: person.imageId,
  };
  const price = await insist('memelaunch_launch_token', { ...token, preview: true });
  const launch = await insist('memelaunch_launch_token', {
    ...token,
    clientRequestId: mine('launch'),
  });
  const { launchId } = Object(launch['result']);
  const launched = await ended('launch_status', { launchId }, ['queued']);

  // 11: an order that its person confirms
  const dear = { ...order, side: 'no', amount: '30', clientRequestId: mine('dear') };
  const asked = await insist('orders_create', dear);
  await person.confirm(String(asked['confirmUrl']));
  const confirmed = await insist('orders_create', dear);

  // 10: stop everything
  const stopped = await ask('agents_stop_all');

  // 12: what happened since, up to the order of the morning: what agents did meanwhile lies between
  const events: unknown[] = [];
  const { orderId } = Object(Object(bought)['result']);
  for (let since: unknown = cursor, hasMore: unknown = true; hasMore === true; ) {
    const page = await ask('events_since', { since });
    events.push(...(page['items'] as readonly unknown[]));
    ({ cursor: since, hasMore } = page);
    if (JSON.stringify(events).includes(String(orderId))) break;
  }

  return {
    rules: String(market['description']).length,
    preview: preview['preview'],
    bought: Object(bought)['result'],
    cost,
    again,
    closed: closed['result'],
    account,
    tried: tried['preview'],
    swapped,
    refused: refused.text,
    price: price['preview'],
    launched,
    asked,
    confirmed,
    stopped: stopped['items'],
    events,
  };
}
