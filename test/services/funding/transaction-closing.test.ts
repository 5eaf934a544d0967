import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import type { TransactionRecord } from '../../../src/domain/transaction.ts';
import {
  purposeFrom,
  type PurposeOf,
  type TransactionPurpose,
} from '../../../src/domain/transaction-purpose.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { launchClosings, registryClosings } from '../../../src/services/funding/record-closings.ts';
import { createSafeClosings } from '../../../src/services/funding/safe-closing.ts';
import { createSendClosings } from '../../../src/services/funding/send-closing.ts';
import { createSwapClosings } from '../../../src/services/funding/swap-closing.ts';
import { createVenueClosings } from '../../../src/services/funding/venue-closing.ts';
import {
  createTransactionBooking,
  type TransactionOwners,
} from '../../../src/services/funding/transaction-closing.ts';
import { writeStop } from '../../../src/services/orders/stop-check.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { CONTRACTS } from '../../support/worlds/money-world.ts';

const SAFE = asId<Address>(`0x${'5a'.repeat(20)}`);
const clock = createVirtualClock(T0);
const times = { clock, marketClock: clock };
const owners: TransactionOwners = {
  safe: createSafeClosings({ contracts: CONTRACTS, fundsInSafes: true, ...times }),
  send: createSendClosings(clock),
  swaps: createSwapClosings({ ...times, random: createSeededRandom('closing') }),
  launches: launchClosings,
  registry: registryClosings,
  venue: createVenueClosings(times),
};
const books = createTransactionBooking(owners);

function aTransaction(purpose: TransactionPurpose): TransactionRecord {
  return {
    transactionId: asId('tx_1'),
    userId: aUserId(1),
    account: { chain: 'POLYGON', rail: 'safe', address: SAFE },
    place: 1,
    purpose,
    body: { kind: 'calls', calls: [] },
    state: 'done',
    reason: null,
    attempts: [],
    dead: [],
    handle: null,
    sends: 1,
    lastSentAtMs: T0,
    refusals: 0,
    transactionHash: null,
    createdAtMs: T0,
    updatedAtMs: T0,
  };
}

/** Each kind as a log of format 1 holds it. */
const usdc = usdcMicros(1);
const FLAT = [
  { kind: 'deploy' },
  { kind: 'allowances', set: 'set-1' },
  { kind: 'withdraw', to: SAFE, usdc, token: SAFE },
  { kind: 'redeem', marketId: '0x1' },
  { kind: 'transfer', token: SAFE, amount: usdc },
  { kind: 'wrap', token: SAFE, amount: usdc },
  { kind: 'send', token: null, symbol: 'SOL', decimals: 9, units: '1', to: 'x', usdc: null },
  { kind: 'swap_approval', swapId: 'swp_1' },
  { kind: 'swap', swapId: 'swp_1' },
  { kind: 'launch', launchId: 'lnc_1' },
  { kind: 'registry', entryId: 'reg_1' },
] as const;
/** Those that records named the owner of from the first. */
const VENUE_REDEMPTION: TransactionPurpose = {
  owner: 'venue',
  kind: 'venue_redemption',
  data: {
    venue: asId('venue_c'),
    side: 'sell',
    marketId: asId('0x1'),
    cashAccount: 'usdc:base',
    token: SAFE,
  },
};
const VENUE_CALL: PurposeOf<'venue_call'> = {
  owner: 'venue',
  kind: 'venue_call',
  data: { venue: asId('venue_c'), side: 'buy', data: { allows: SAFE } },
};

describe('the books of transactions', () => {
  it.each(FLAT)('know $kind as an earlier version stored it, with its owner and data', (flat) => {
    const { kind, ...data } = flat;
    const purpose = purposeFrom(flat);
    expect([purpose.kind, purpose.data]).toEqual([kind, data]);
    expect(books.owns?.({ purpose })).toBe(true);
    expect(purposeFrom(purpose)).toBe(purpose);
  });

  it('have a closing for each kind of each owner, and no other', () => {
    const closings = Object.entries(owners).flatMap(([owner, rows]) =>
      Object.keys(rows).map((kind) => `${owner} ${kind}`),
    );
    expect(closings.toSorted()).toEqual(
      [...FLAT.map((flat) => purposeFrom(flat)), VENUE_CALL, VENUE_REDEMPTION]
        .map(({ owner, kind }) => `${owner} ${kind}`)
        .toSorted(),
    );
  });

  it('L6: give up a call of a venue that has not left once its time has passed, and a purchase under a stop', async () => {
    const store = createMemoryStore();
    const refusalOf = (side: 'buy' | 'sell', untilMs: number) => {
      const data = { ...VENUE_CALL.data, side, untilMs };
      return books.refusal?.(store, aTransaction({ ...VENUE_CALL, data }));
    };
    const passed = 'its time passed while it waited in its account’s queue';
    expect([refusalOf('buy', T0 + 1), refusalOf('buy', T0), refusalOf('sell', T0)]).toEqual([
      null,
      passed,
      passed,
    ]);
    await store.write((tx) => {
      const scope = { kind: 'self', userId: aUserId(1) } as const;
      writeStop(tx, { scope, stopped: true, reason: null, policy: 'keep', atMs: T0 });
    });
    expect([refusalOf('buy', T0 + 1), refusalOf('sell', T0 + 1)]).toEqual([
      expect.stringContaining('no money is sent out'),
      null,
    ]);
  });

  it('take what a venue has an account do for done with its block, and book nothing', async () => {
    const record = aTransaction(VENUE_CALL);
    expect(books.verdict(record, null)).toEqual({ state: 'done', reason: null });
    const store = createMemoryStore();
    await store.write((tx) => books.close(tx, record, null));
    expect(store.readJournal(0, 10)).toEqual([]);
  });

  it.each([
    ['safe', 'lend'],
    ['safe', 'toString'],
    ['safe', 'swap'],
    ['lender', 'withdraw'],
    ['lender', 'redeem'],
    ['toString', 'withdraw'],
    ['', 'withdraw'],
  ])('throw on owner "%s" with kind "%s", and book nothing', async (owner, kind) => {
    // what a newer version of the program could have stored
    const purpose = { owner, kind, data: {} } as unknown as TransactionPurpose;
    await refused(aTransaction(purpose));
  });

  it.each(['lend', 'toString', ''])(
    'throw on the kind "%s" without an owner, and book nothing',
    async (kind) => refused(aTransaction(purposeFrom({ kind }))),
  );
});

async function refused(record: TransactionRecord): Promise<void> {
  const refusal = expect.objectContaining({ code: 'internal' }) as Error;
  expect(books.owns?.(record)).toBe(false);
  expect(() => books.verdict(record, null)).toThrowError(refusal);
  const store = createMemoryStore();
  await expect(store.write((tx) => books.close(tx, record, null))).rejects.toThrowError(refusal);
  expect(store.readJournal(0, 10)).toEqual([]);
}
