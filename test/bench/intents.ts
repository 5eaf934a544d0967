import { runNaively } from '../support/loads/naive-load.ts';
import { runOrderLoad } from '../support/loads/order-load.ts';
import type { Bar, Row } from './row.ts';

const SIZE = { users: 50, requestsEach: 200, cuts: 20, seed: 'bench' } as const;
const REQUESTS = SIZE.users * SIZE.requestsEach;
/** The peer runs in real time: a quarter of the requests shows its rate. */
const PEER_SIZE = { ...SIZE, requestsEach: SIZE.requestsEach / 4 } as const;
const PEER_SHARE = PEER_SIZE.requestsEach / SIZE.requestsEach;
const PEER = `@polymarket/clob-client-v2 1.1.0, made again on error; from ${REQUESTS * PEER_SHARE}`;

/**
 * Ten thousand requests to trade through a venue that loses, delays, refuses and doubles answers,
 * over loopback sockets: ours with twenty power failures besides, the official client without.
 * Counted from the venue's own orders.
 */
export async function run(): Promise<readonly Row[]> {
  const ours = await runOrderLoad(SIZE);
  const calm = await runNaively({ ...SIZE, requestsEach: 10 }, false);
  if (calm.duplicates > 0 || calm.lost > 0)
    throw new Error('this machine is too busy: the peer meets time-outs where there are no faults');
  const peer = await runNaively(PEER_SIZE);
  const row = (work: string, figure: 'duplicates' | 'lost' | 'taken', bar: Bar | null): Row => ({
    work: `${REQUESTS} intents under faults: ${work}`,
    ours: ours[figure],
    peer: { name: PEER, figure: peer[figure] / PEER_SHARE },
    unit: 'orders',
    bar,
  });
  return [
    row('duplicate orders', 'duplicates', { atMost: 0 }),
    row('orders whose status the caller has wrong', 'lost', { atMost: 0 }),
    row('intents of which an order reached the venue', 'taken', null),
    {
      work: `${REQUESTS} intents under faults: users whose cash differs from the venue's`,
      ours: ours.cashDiffers,
      peer: null,
      unit: 'users',
      bar: { atMost: 0 },
    },
    {
      work: `${REQUESTS} intents under faults: submissions that left us in doubt`,
      ours: ours.doubts,
      peer: null,
      unit: 'orders',
      bar: null,
    },
  ];
}
