import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  foldCredit,
  foldTime,
  foldTransfer,
  foldUnseen,
  isDepositOver,
  newDeposit,
  type BridgeTransfer,
  type BridgeTransferStatus,
  type DepositRecord,
  type DepositTerms,
} from '../../src/domain/deposit.ts';
import { matchTransfers } from '../../src/domain/deposit-match.ts';
import { asId, type DepositId } from '../../src/domain/ids.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import { aUserId } from '../support/builders.ts';

const TERMS: DepositTerms = { unprovenAfterMs: 100, vanishedAfterMs: 200, historyMaximum: 6 };
const aTransfer = (over: Partial<BridgeTransfer> = {}): BridgeTransfer => ({
  chainId: '8453',
  tokenAddress: '0xAb',
  amount: '5000000',
  status: 'detected',
  transactionHash: null,
  createdAtMs: null,
  ...over,
});
const aDeposit = (over: Partial<BridgeTransfer> = {}, depositId = 'dep_1'): DepositRecord =>
  newDeposit(
    aTransfer(over),
    { depositId: asId<DepositId>(depositId), userId: aUserId(1), address: '0xd', problem: null },
    0,
  );
const reported = (
  record: DepositRecord,
  over: Partial<BridgeTransfer>,
  nowMs: number,
  problem: DepositRecord['problem'] = null,
) => foldTransfer(record, { transfer: aTransfer(over), problem, nowMs }, TERMS);
const CREDIT = { transferId: '0x1', usdc: usdcMicros(5_000_000) };

describe('a deposit', () => {
  it('is over once the proof is booked, the bridge has failed, or its own chain took it back', () => {
    const states = [
      'submitted',
      'arriving',
      'unproven',
      'completed',
      'failed',
      'vanished',
    ] as const;
    expect(states.filter(isDepositOver)).toEqual(['completed', 'failed', 'vanished']);
  });

  it('that is reported as paid at once has been paid now', () => {
    expect(aDeposit({ status: 'completed' })).toMatchObject({ state: 'arriving', paidAtMs: 0 });
    expect(aDeposit({ status: 'submitted' })).toMatchObject({ state: 'submitted', paidAtMs: null });
  });

  it('goes the way the bridge tells of, and is complete by the chain’s proof alone', () => {
    const statuses: readonly BridgeTransferStatus[] = [
      'processing',
      'origin_confirmed',
      'submitted',
      'completed',
    ];
    const paid = statuses.reduce(
      (record, status, index) => reported(record, { status, createdAtMs: 7 }, index + 1),
      aDeposit(),
    );
    expect([paid.state, isDepositOver(paid.state)]).toEqual(['arriving', false]);
    const done = foldCredit(paid, CREDIT, 9, TERMS);
    expect(done.history).toEqual([
      { state: 'detected', atMs: 0 },
      { state: 'processing', atMs: 1 },
      { state: 'origin_confirmed', atMs: 2 },
      { state: 'submitted', atMs: 3 },
      { state: 'arriving', atMs: 4 },
      { state: 'completed', atMs: 9 },
    ]);
    expect(done).toMatchObject({ state: 'completed', credit: CREDIT, updatedAtMs: 9 });
  });

  it('is unproven when the chain does not show in time what the bridge says it paid, and complete when it does after all', () => {
    const paid = reported(aDeposit(), { status: 'completed' }, 50);
    expect([foldTime(paid, 149, TERMS).state, foldTime(paid, 150, TERMS).state]).toEqual([
      'arriving',
      'unproven',
    ]);
    const unproven = foldTime(paid, 150, TERMS);
    expect([isDepositOver(unproven.state), foldTime(unproven, 900, TERMS) === unproven]).toEqual([
      false,
      true,
    ]);
    expect(foldCredit(unproven, CREDIT, 1_000, TERMS).state).toBe('completed');
  });

  it('is given its time from when the bridge says it paid, anew where it took that back', () => {
    const begun = reported(aDeposit(), { status: 'processing' }, 10);
    const paid = reported(begun, { status: 'completed' }, 50);
    expect(foldTime(paid, 149, TERMS).state).toBe('arriving');
    const again = reported(
      reported(paid, { status: 'submitted' }, 60),
      { status: 'completed' },
      70,
    );
    expect([foldTime(again, 169, TERMS).state, foldTime(again, 170, TERMS).state]).toEqual([
      'arriving',
      'unproven',
    ]);
  });

  it('counts as credited whatever the bridge says: the money is there', () => {
    for (const status of ['detected', 'submitted', 'failed'] as const)
      expect(foldCredit(aDeposit({ status }), CREDIT, 1, TERMS).state).toBe('completed');
    const done = foldCredit(aDeposit({ status: 'submitted' }), CREDIT, 1, TERMS);
    expect(reported(done, { status: 'failed' }, 2)).toMatchObject({
      state: 'completed',
      transfer: { status: 'failed' },
    });
  });

  it('vanishes when its own chain took it back: the bridge is silent about it for long, before it had counted it as final', () => {
    const unseen = foldUnseen(aDeposit({ status: 'processing' }), 10, TERMS);
    expect(unseen.state).toBe('processing');
    expect(foldUnseen(foldUnseen(aDeposit(), 10, TERMS), 210, TERMS).state).toBe('vanished');
    expect([foldUnseen(unseen, 209, TERMS), foldUnseen(unseen, 210, TERMS).state]).toEqual([
      unseen,
      'vanished',
    ]);
    expect(reported(unseen, { status: 'processing' }, 100).unseenSinceMs).toBeNull();
    expect(
      foldUnseen(foldUnseen(aDeposit({ status: 'submitted' }), 10, TERMS), 900, TERMS).state,
    ).toBe('submitted');
    const back = reported(foldUnseen(unseen, 210, TERMS), { status: 'processing' }, 300);
    expect(back.state).toBe('processing');
  });

  it('keeps what the bridge once said of hash and time, and takes a new hash', () => {
    const known = reported(
      aDeposit(),
      { status: 'submitted', transactionHash: '0x1', createdAtMs: 7 },
      1,
    );
    expect(known.transfer.createdAtMs).toBe(7);
    expect(reported(known, { status: 'submitted' }, 2)).toBe(known);
    expect(reported(aDeposit(), { createdAtMs: 7 }, 1).transfer.createdAtMs).toBe(7);
    expect(
      reported(known, { status: 'submitted', transactionHash: '0x2' }, 2).transfer.transactionHash,
    ).toBe('0x2');
  });

  it('says why it will not be credited, until the bridge goes on with it', () => {
    const small = reported(aDeposit(), { status: 'processing' }, 1, 'below_minimum');
    expect([
      newDeposit(aTransfer(), { ...aDeposit(), problem: 'token_not_taken' }, 0).problem,
      reported(aDeposit(), {}, 1, 'below_minimum').problem,
      small.problem,
      reported(small, { status: 'failed' }, 2, 'below_minimum').problem,
      reported(small, { status: 'origin_confirmed' }, 2, 'below_minimum').problem,
    ]).toEqual(['token_not_taken', 'below_minimum', 'below_minimum', 'below_minimum', null]);
  });

  it('stays the same record when nothing is new, and remembers a bounded past', () => {
    const record = aDeposit();
    expect(reported(record, {}, 50)).toBe(record);
    const restless = Array.from({ length: 30 }, (_, index) => index).reduce(
      (before, index) =>
        reported(before, { status: index % 2 === 0 ? 'processing' : 'detected' }, index),
      record,
    );
    expect(restless.history.length).toBe(TERMS.historyMaximum);
  });
});

const STATUSES: readonly BridgeTransferStatus[] = [
  'detected',
  'processing',
  'origin_confirmed',
  'submitted',
  'completed',
];

/**
 * Payments that each go their way a step at a time, reported with as little as the bridge says, in
 * any order.
 */
const lives = fc.record({
  /** Amount of each payment: few, so that many are alike. */
  amounts: fc.array(fc.constantFrom('1', '2'), { minLength: 1, maxLength: 6 }),
  /** Which payment moves on, poll by poll, and how the list is turned. */
  moves: fc.array(fc.record({ index: fc.nat(5), rotate: fc.nat(5) }), { maxLength: 40 }),
});

describe('what the bridge tells', () => {
  it('is one record for each payment, however alike they are and in whatever order they are reported', () => {
    fc.assert(
      fc.property(lives, ({ amounts, moves }) => {
        const ranks = amounts.map(() => 0);
        const list = (rotate: number): readonly BridgeTransfer[] => {
          const rows = amounts.map((amount, index) => {
            const rank = ranks[index] ?? 0;
            return aTransfer({
              amount,
              status: STATUSES[rank] ?? 'detected',
              createdAtMs: rank === 0 ? null : 100 + index,
              transactionHash: rank < 3 ? null : `0x${index}`,
            });
          });
          return [...rows.slice(rotate % rows.length), ...rows.slice(0, rotate % rows.length)];
        };
        let records: readonly DepositRecord[] = [];
        let serial = 0;
        for (const { index, rotate } of [{ index: 0, rotate: 0 }, ...moves]) {
          const { pairs, fresh, unseen } = matchTransfers(records, list(rotate));
          expect(unseen).toEqual([]);
          const kept = pairs.map(({ record, transfer }) =>
            foldTransfer(record, { transfer, problem: null, nowMs: 1 }, TERMS),
          );
          records = [
            ...kept,
            ...fresh.map((transfer) =>
              newDeposit(
                transfer,
                {
                  depositId: asId<DepositId>(`dep_${(serial += 1)}`),
                  userId: aUserId(1),
                  address: '0xd',
                  problem: null,
                },
                1,
              ),
            ),
          ];
          expect(records.length).toBe(amounts.length);
          // Whatever was taken for whatever, no record ever goes back, and together they say what
          // the bridge says.
          expect(
            records.map(({ transfer: { amount, status } }) => `${amount} ${status}`).sort(),
          ).toEqual(
            list(0)
              .map(({ amount, status }) => `${amount} ${status}`)
              .sort(),
          );
          ranks[index % amounts.length] = Math.min(4, (ranks[index % amounts.length] ?? 0) + 1);
        }
        expect(
          records.every(({ history }) =>
            history.every(
              ({ state }, place) =>
                place === 0 ||
                ORDER.indexOf(state) > ORDER.indexOf(history[place - 1]?.state ?? ''),
            ),
          ),
        ).toBe(true);
      }),
    );
  });

  it.each<{
    readonly fact: string;
    readonly known: readonly (Partial<BridgeTransfer> & Partial<Pick<DepositRecord, 'state'>>)[];
    readonly reported: readonly Partial<BridgeTransfer>[];
    /** For each known one, which of those reported it is. */
    readonly as: readonly (number | null)[];
  }>([
    {
      fact: 'two payments of one transaction differ by their moments',
      known: [
        { status: 'submitted', transactionHash: '0x1' },
        { status: 'submitted', transactionHash: '0x1', createdAtMs: 5 },
      ],
      reported: [
        { status: 'submitted', transactionHash: '0x1', createdAtMs: 5 },
        { status: 'submitted', transactionHash: '0x1', createdAtMs: 6 },
      ],
      as: [1, 0],
    },
    {
      fact: 'a hash tells a payment before its moment is known',
      known: [{ status: 'submitted' }, { status: 'submitted', transactionHash: '0x1' }],
      reported: [
        { status: 'submitted', transactionHash: '0x1', createdAtMs: 5 },
        { status: 'submitted', transactionHash: '0x2', createdAtMs: 6 },
      ],
      as: [1, 0],
    },
    {
      fact: 'a moment tells a payment before its hash is known',
      known: [{ status: 'processing' }, { status: 'processing', createdAtMs: 7 }],
      reported: [
        { status: 'processing', createdAtMs: 7 },
        { status: 'processing', createdAtMs: 8 },
      ],
      as: [1, 0],
    },
    {
      fact: 'another moment is another payment',
      known: [{ createdAtMs: 5 }],
      reported: [{ createdAtMs: 6 }],
      as: [null],
    },
    {
      fact: 'another hash is another payment, unless the moment is the same',
      known: [{ status: 'submitted', transactionHash: '0x1' }],
      reported: [{ status: 'submitted', transactionHash: '0x2' }],
      as: [null],
    },
    {
      fact: 'a payment may be reported with less than before',
      known: [{ status: 'submitted', transactionHash: '0x1', createdAtMs: 5 }],
      reported: [{ status: 'submitted' }],
      as: [0],
    },
    {
      fact: 'and with more',
      known: [{}],
      reported: [{ status: 'submitted', transactionHash: '0x1', createdAtMs: 5 }],
      as: [0],
    },
    {
      fact: 'payments go forward: the one that has come less far is new',
      known: [{}],
      reported: [{}, { status: 'origin_confirmed' }],
      as: [1],
    },
    {
      fact: 'the one that has come furthest is reported as the furthest',
      known: [{}, { status: 'origin_confirmed' }],
      reported: [{ status: 'processing' }, { status: 'origin_confirmed' }],
      as: [0, 1],
    },
    {
      fact: 'one that would have to go back is the one that is not reported',
      known: [{ status: 'submitted' }, {}],
      reported: [{ status: 'processing' }],
      as: [null, 0],
    },
    {
      fact: 'one may stand still',
      known: [{ status: 'processing' }, {}],
      reported: [{ status: 'processing' }],
      as: [0, null],
    },
    {
      fact: 'one goes back where nothing else is reported, as little as it can',
      known: [{ status: 'submitted' }],
      reported: [{}, { status: 'processing' }],
      as: [1],
    },
    {
      fact: 'a payment that failed is reported again as failed',
      known: [{ status: 'failed', state: 'failed' }],
      reported: [{ status: 'failed' }],
      as: [0],
    },
    {
      fact: 'a payment that succeeds is not the one that failed',
      known: [{ status: 'failed', state: 'failed' }],
      reported: [{ status: 'completed' }],
      as: [null],
    },
    {
      fact: 'nor is one that comes',
      known: [{ status: 'failed', state: 'failed' }],
      reported: [{}],
      as: [null],
    },
    {
      fact: 'nor another failure at another moment',
      known: [{ status: 'failed', state: 'failed', createdAtMs: 5 }],
      reported: [{ status: 'failed', createdAtMs: 6 }],
      as: [null],
    },
    {
      fact: 'what vanished is reported again in the same words',
      known: [{ status: 'processing', state: 'vanished' }],
      reported: [{ status: 'origin_confirmed' }, { status: 'processing' }],
      as: [1],
    },
  ])('$fact', ({ known, reported: transfers, as }) => {
    const records = known.map(({ state, ...transfer }, index) => {
      const record = aDeposit(transfer, `dep_${index}`);
      return { ...record, state: state ?? record.state };
    });
    const list = transfers.map(aTransfer);
    const { pairs, fresh, unseen } = matchTransfers(records, list);
    const matched = records.map((record) => {
      const pair = pairs.find((one) => one.record === record);
      return pair === undefined ? null : list.indexOf(pair.transfer);
    });
    expect(matched).toEqual(as);
    expect(fresh).toEqual(list.filter((_, index) => !as.includes(index)));
    expect(unseen).toEqual(records.filter((_, index) => as[index] === null));
  });

  it('of a new payment like one that is over is a deposit of its own', () => {
    const old = {
      ...aDeposit({ status: 'completed', transactionHash: '0x1', createdAtMs: 5 }),
      state: 'completed' as const,
    };
    const { pairs, fresh, unseen } = matchTransfers(
      [old],
      [aTransfer(), aTransfer({ status: 'completed', transactionHash: '0x1', createdAtMs: 5 })],
    );
    expect([pairs.length, fresh, unseen]).toEqual([1, [aTransfer()], []]);
    const failed = { ...aDeposit({ status: 'failed' }), state: 'failed' as const };
    expect(matchTransfers([failed], [aTransfer(), aTransfer({ status: 'failed' })])).toMatchObject({
      pairs: [{ transfer: { status: 'failed' } }],
      fresh: [{ status: 'detected' }],
    });
    expect(matchTransfers([failed], [aTransfer({ status: 'failed' })]).fresh).toEqual([]);
  });

  it('tells a credit that was sent again by its moment, and hexadecimal in any case by what it means', () => {
    const record = aDeposit({ status: 'submitted', transactionHash: '0x1', createdAtMs: 5 });
    const again = aTransfer({
      status: 'submitted',
      transactionHash: '0x2',
      createdAtMs: 5,
      tokenAddress: '0xaB',
    });
    expect(matchTransfers([record], [again])).toEqual({
      pairs: [{ record, transfer: again }],
      fresh: [],
      unseen: [],
    });
    expect(
      matchTransfers([aDeposit({ tokenAddress: 'So1' })], [aTransfer({ tokenAddress: 'sO1' })])
        .fresh,
    ).toHaveLength(1);
  });
});

const ORDER: readonly string[] = [
  'detected',
  'processing',
  'origin_confirmed',
  'submitted',
  'arriving',
  'unproven',
  'completed',
];
