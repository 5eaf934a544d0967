import { weatherNaively } from '../support/storms/naive-storm.ts';
import { weatherStorm } from '../support/storms/order-storm.ts';
import type { Row } from './row.ts';

const SIZE = { users: 50, wishesEach: 200, cuts: 20, seed: 'bench' } as const;
const WISHES = SIZE.users * SIZE.wishesEach;
/** The peer runs in real time: a quarter of the wishes shows its rate. */
const PEER_SIZE = { ...SIZE, wishesEach: SIZE.wishesEach / 4 } as const;
const PEER_SHARE = PEER_SIZE.wishesEach / SIZE.wishesEach;
const PEER = `@polymarket/clob-client-v2 1.1.0, made again on error; from ${WISHES * PEER_SHARE}`;

/**
 * Ten thousand wishes to trade through a venue that loses, delays, refuses and doubles answers, over loopback sockets:
 * ours with twenty power cuts besides, the official client without. Counted from the venue's own orders.
 */
export async function run(): Promise<readonly Row[]> {
  const ours = await weatherStorm(SIZE);
  const calm = await weatherNaively({ ...SIZE, wishesEach: 10 }, false);
  if (calm.duplicates > 0 || calm.lost > 0)
    throw new Error('this machine is too busy: the peer meets time-outs where there are no faults');
  const peer = await weatherNaively(PEER_SIZE);
  const row = (work: string, figure: 'duplicates' | 'lost' | 'taken', bar: number | null): Row => ({
    work: `${WISHES} intents under faults: ${work}`,
    ours: ours[figure],
    peer: { name: PEER, figure: peer[figure] / PEER_SHARE },
    unit: 'orders',
    bar,
  });
  return [
    row('duplicate orders', 'duplicates', 0),
    row('orders whose fate the caller has wrong', 'lost', 0),
    row('intents of which an order reached the venue', 'taken', null),
    {
      work: `${WISHES} intents under faults: users whose cash differs from the venue's`,
      ours: ours.cashDiffers,
      peer: null,
      unit: 'users',
      bar: 0,
    },
    {
      work: `${WISHES} intents under faults: submissions that left us in doubt`,
      ours: ours.doubts,
      peer: null,
      unit: 'orders',
      bar: null,
    },
  ];
}
