import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { createSystemRandom } from '../../src/adapters/random/system-random.ts';
import { createOtlpTracing } from '../../src/adapters/tracing/otlp-tracing.ts';
import { aLimitBuy, aUserId } from '../support/builders.ts';
import { createKeptMetrics } from '../support/quiet.ts';
import { tradingOver, wireTo } from './decision-to-wire.ts';
import type { Row } from './row.ts';
import type { SubmitOutcome } from '../../src/ports/order-gateway.ts';

const BATCHES = 20;
const PAIRS_A_BATCH = 100;
const WARM_UP_BATCHES = 3;
/** What tracing may add to the time from a decision to its bytes, as a part of it. */
const BAR = 1.05;

/** How long an order of each kind took, or so many of them in the middle, µs. */
interface Pair {
  readonly off: number;
  readonly on: number;
}

/** A receiver of spans that reads and answers, in a thread of its own. */
const RECEIVER = `
const { parentPort } = require('node:worker_threads');
const server = require('node:http').createServer((request, answer) => {
  request.resume().on('end', () => answer.setHeader('content-type', 'application/json').end('{}'));
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** Which orders are traced, by what the venue says to them. */
const CASES: readonly { readonly work: string; readonly answer: SubmitOutcome }[] = [
  {
    work: 'tracing as it ships: usual orders, one in a hundred kept',
    answer: { kind: 'unfilled', reason: 'measured' },
  },
  {
    work: 'every order kept: the venue refuses each',
    answer: { kind: 'rejected', reason: 'measured' },
  },
];

/**
 * Decision to wire with tracing to a receiver and without, in turns, over a store each. Two orders
 * a turn, and the second is measured: what follows an order is in the way of one of its own kind.
 */
export async function run(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { work, answer } of CASES) rows.push(...(await compare(work, answer)));
  return rows;
}

async function compare(work: string, answer: SubmitOutcome): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'traced-orders-'));
  const receiver = new Worker(RECEIVER, { eval: true });
  const [port] = await once(receiver, 'message');
  const sink = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
  await once(sink, 'listening');
  const socket = connect((sink.address() as AddressInfo).port, '127.0.0.1'); // it has a port
  await once(socket, 'connect');
  const metrics = createKeptMetrics();
  const tracing = createOtlpTracing({
    url: `http://127.0.0.1:${port}/v1/traces`,
    version: 'bench',
    instance: 'bench',
    random: createSystemRandom(),
    metrics,
    log: { warn: () => undefined },
  });
  const line = wireTo(socket, answer);
  const stores = [
    await openLmdbStore({ path: join(folder, 'off') }),
    await openLmdbStore({ path: join(folder, 'on') }),
  ] as const;
  const off = await tradingOver(stores[0], line.gateway);
  const on = await tradingOver(stores[1], line.gateway, tracing);
  const placed = async ({ orders }: typeof off): Promise<number> => {
    const startedAt = process.hrtime.bigint();
    await orders.place(aUserId(1), aLimitBuy({ amount: { unit: 'shares', micros: 5_000_000 } }));
    const micros = Number(line.leftAt() - startedAt) / 1_000;
    await new Promise((resolve) => setImmediate(resolve));
    return micros;
  };
  const secondOf = async (trading: typeof off): Promise<number> => {
    await placed(trading);
    return placed(trading);
  };
  try {
    const batches: Pair[] = [];
    for (let batch = 0; batch < BATCHES + WARM_UP_BATCHES; batch += 1) {
      const pairs: Pair[] = [];
      for (let pair = 0; pair < PAIRS_A_BATCH; pair += 1)
        pairs.push({ off: await secondOf(off), on: await secondOf(on) });
      const middle = {
        off: middleOf(pairs.map((each) => each.off)),
        on: middleOf(pairs.map((each) => each.on)),
      };
      if (batch >= WARM_UP_BATCHES) batches.push(middle);
    }
    const ratios = batches.map((each) => each.on / each.off).toSorted((a, b) => a - b);
    const at = (share: number) =>
      (ratios[Math.floor(ratios.length * share)] ?? Number.NaN).toFixed(2);
    return [
      {
        work: `decision to bytes on the socket, ${work}, p50 of the quietest batch`,
        ours: Math.min(...batches.map((each) => each.on)),
        peer: { name: 'untraced', figure: Math.min(...batches.map((each) => each.off)) },
        unit: 'µs',
        bar: null,
      },
      {
        work: `… traced ÷ untraced, p50 of ${BATCHES} batches (middle half ${at(0.25)} to ${at(0.75)})`,
        ours: middleOf(ratios),
        peer: null,
        unit: '×',
        bar: { atMost: BAR },
      },
      {
        work: '… spans that were lost',
        ours: [...metrics.counts]
          .filter(([name]) => name.startsWith('trace_spans_dropped_total'))
          .reduce((sum, [, count]) => sum + count, 0),
        peer: null,
        unit: 'spans',
        bar: null,
      },
    ];
  } finally {
    await off.orders.stop();
    await on.orders.stop();
    await tracing.stop();
    for (const store of stores) await store.close();
    socket.destroy();
    sink.close();
    await receiver.terminate();
    rmSync(folder, { recursive: true });
  }
}

function middleOf(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? Number.NaN;
}
