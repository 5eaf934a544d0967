import { ClobClient, OrderType, Side } from '../../peers/clob-client-v2.ts';
import { peerSigner } from '../../peers/signer.ts';
import { OTHER_KEY, UP } from '../../conformance/venue-a-fixture.ts';
import type { Caller, Peer, Reported } from './caller.ts';

/** The venue's own order client, unmodified. It has no sockets. */
export const officialClient: Peer = {
  name: '@polymarket/clob-client-v2',
  version: '1.1.0',
  read: null,
  async open({ rest }): Promise<Caller> {
    const signer = peerSigner(OTHER_KEY);
    const options = {
      host: rest,
      chain: signer.chain.id,
      signer,
      throwOnError: true,
      retryOnError: true,
    };
    const client = new ClobClient({
      ...options,
      creds: await new ClobClient(options).createOrDeriveApiKey(),
    });
    const sign = (price: number, shares: number) =>
      client.createOrder({ tokenID: UP, price: price / 100, size: shares, side: Side.BUY });
    return {
      buy: async (price, shares) =>
        reportedOf(await client.postOrder(await sign(price, shares), OrderType.GTC)),
      async buyAll(prices) {
        const orders = await Promise.all(
          prices.map(async (price) => ({ order: await sign(price, 10), orderType: OrderType.GTC })),
        );
        const answers: unknown = await client.postOrders(orders);
        return Array.isArray(answers) ? answers.map(reportedOf) : [];
      },
      cancel: (id) => client.cancelOrder({ orderID: id }),
      order: async (id) => reportedOf(await client.getOrder(id)),
      trades: async () => JSON.stringify(await client.getTrades()),
      close: async () => undefined,
    };
  },
};

/** Reads an answer of the venue as the client hands it on. */
function reportedOf(answer: unknown): Reported {
  const field = (name: string): string => {
    const value: unknown =
      typeof answer === 'object' && answer !== null ? Reflect.get(answer, name) : undefined;
    return typeof value === 'string' ? value : '';
  };
  return {
    id: field('orderID') || field('id'),
    status: field('status').toLowerCase(),
    error: field('errorMsg') || field('error'),
  };
}
