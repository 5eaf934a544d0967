import { Agent } from 'node:http';
import { ask, type Reply } from '../ask.ts';
import type { Citizen } from './environment.ts';

/** What a trader saw. */
export interface TraderFigures {
  readonly placed: number;
  readonly cancelled: number;
  /**
   * Orders that had to wait for the venue's word on the one before: no fault, and not refused for
   * want of room.
   */
  readonly fenced: number;
  readonly placeMs: readonly number[];
  readonly faults: readonly string[];
}

/** A trader who rests a bid far below the market and takes it back, again and again. */
export interface Trader {
  /** Waits until the first order is taken: the Safe must be deployed and the deposit booked. */
  ready(): Promise<void>;
  /** Trades as often as the budget of changes allows. */
  trade(seconds: number): Promise<TraderFigures>;
  close(): void;
}

/** 120 changes a minute are one order and one cancel a second. */
const ROUND_MS = 1_050;

/** Gives a trader a connection of their own and a market. */
export function createTrader(
  port: number,
  { token }: Citizen,
  marketId: string,
  from: string,
): Trader {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const call = (method: string, path: string, body?: object): Promise<Reply> =>
    ask({
      port,
      method,
      path,
      from,
      agent,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const place = () =>
    call('POST', '/api/venue_a/order/', {
      marketId,
      side: 'yes',
      amount: '10',
      orderType: 'limit',
      price: '0.02',
      orderMode: 'shares',
    });
  const cancel = (id: string) => call('DELETE', `/api/venue_a/order/${id}/`);
  const idOf = ({ text }: Reply): string => String(JSON.parse(text).id);
  return {
    async ready() {
      for (let tries = 0; tries < 120; tries += 1) {
        const reply = await place();
        if (reply.status === 201) return void (await cancel(idOf(reply)));
        await pause(1_000);
      }
      throw new Error('a trader could not place an order in two minutes');
    },
    async trade(seconds) {
      const figures = {
        placed: 0,
        cancelled: 0,
        fenced: 0,
        placeMs: [] as number[],
        faults: [] as string[],
      };
      const endMs = performance.now() + seconds * 1_000;
      while (performance.now() < endMs) {
        const beganMs = performance.now();
        const placed = await place().catch((error: unknown) => String(error));
        if (
          typeof placed !== 'string' &&
          placed.status === 409 &&
          placed.text.includes('market_fenced')
        )
          figures.fenced += 1;
        else if (typeof placed === 'string' || placed.status !== 201)
          figures.faults.push(
            typeof placed === 'string'
              ? placed
              : `placing answered ${placed.status} ${placed.text.slice(0, 200)}`,
          );
        else {
          figures.placed += 1;
          figures.placeMs.push(performance.now() - beganMs);
          const cancelled = await cancel(idOf(placed)).catch((error: unknown) => String(error));
          if (
            typeof cancelled === 'string' ||
            (cancelled.status !== 200 && !cancelled.text.includes('order_not_cancellable'))
          )
            figures.faults.push(
              typeof cancelled === 'string'
                ? cancelled
                : `cancelling answered ${cancelled.status} ${cancelled.text.slice(0, 200)}`,
            );
          else figures.cancelled += 1;
        }
        await pause(Math.max(0, beganMs + ROUND_MS - performance.now()));
      }
      return figures;
    },
    close: () => agent.destroy(),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
