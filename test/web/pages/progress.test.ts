import { describe, expect, it } from 'vitest';
import { explainDeposit } from '../../../src/domain/deposit-reason.ts';
import {
  depositProgress,
  isDone,
  isUnderWay,
  launchProgress,
  swapNote,
  swapProgress,
  transferProgress,
  usualMs,
  withdrawalProgress,
  type Progress,
} from '../../../src/web/pages/wallet/progress.ts';

type Line = Parameters<typeof depositProgress>[0];
type Payment = NonNullable<Line['payment']>;
type Swap = Parameters<typeof swapProgress>[0];

/** A payment from Base that went through these states, a second each from 1,000 on. */
function deposit(states: readonly Payment['status'][], problem: Payment['problem'] = null): Line {
  const status = states.at(-1) ?? 'detected';
  const payment: Payment = {
    depositId: 'dep_1',
    chain: 'BASE',
    chainId: '8453',
    symbol: 'USDC',
    tokenAddress: '0x1',
    amountRaw: '25000000',
    amount: '25',
    status,
    problem,
    reason: explainDeposit({ state: status, problem }),
    minimumUsd: '2',
    transactionHash: null,
    creditedUsdc: null,
    createdAtMs: 500,
    history: states.map((each, index) => ({ status: each, seenAtMs: 1_000 * (index + 1) })),
  };
  return {
    depositId: 'dep_1',
    via: 'bridge',
    status,
    reason: null,
    creditedUsdc: null,
    transactionHash: null,
    createdAtMs: 1_000,
    payment,
  };
}

function swap(state: Swap['state'], sentHash: string | null = null): Swap {
  const side = { token: null, symbol: 'ETH', decimals: 18 };
  return {
    swapId: 'swp_1',
    state,
    sell: { ...side, chain: 'BASE' },
    buy: { ...side, chain: 'POLYGON' },
    amount: '1',
    expectedOut: '1',
    minimumOut: '1',
    received: null,
    receivedSide: null,
    receivedToken: null,
    reason: null,
    venueReason: null,
    gas: null,
    sentHash,
    sentUrl: null,
    receivedHash: null,
    receivedUrl: null,
    createdAtMs: 1_000,
    updatedAtMs: 9_000,
  };
}

const SENT = {
  to: '0x2',
  reason: null,
  transactionHash: null,
  createdAtMs: 1_000,
  updatedAtMs: 4_000,
};

const statesOf = ({ steps }: Progress) => steps.map(({ state }) => state);
const timesOf = ({ steps }: Progress) => steps.map(({ atMs }) => atMs);

describe('the steps of a deposit', () => {
  it('are done one after the other, each at the time it was seen, and the next one is awaited', () => {
    const progress = depositProgress(deposit(['detected', 'processing', 'origin_confirmed']));
    expect(statesOf(progress)).toEqual(['done', 'done', 'current', 'ahead']);
    expect(timesOf(progress)).toEqual([1_000, 3_000, null, null]);
    expect([isUnderWay(progress), isDone(progress)]).toEqual([true, false]);
  });

  it('are all done once it has arrived, also those that were never seen', () => {
    const progress = depositProgress(deposit(['detected', 'submitted', 'arriving', 'completed']));
    expect(statesOf(progress)).toEqual(['done', 'done', 'done', 'done']);
    expect(timesOf(progress)).toEqual([1_000, null, 2_000, 4_000]);
  });

  it('end at the one it failed at, with the reason, and nothing comes after that', () => {
    const progress = depositProgress(deposit(['detected', 'failed'], 'below_minimum'));
    expect(statesOf(progress)).toEqual(['done', 'failed']);
    expect(progress.steps[1]?.note).toBe(
      explainDeposit({ state: 'failed', problem: 'below_minimum' }),
    );
    expect(timesOf(progress)).toEqual([1_000, 2_000]);
    expect(isUnderWay(progress)).toBe(false);
  });

  it('end with what its chain took back after it had arrived without the bridge, and why', () => {
    const arrived = { ...deposit(['completed']), payment: null };
    expect(statesOf(depositProgress(arrived))).toEqual(['done']);
    const taken = depositProgress({ ...arrived, status: 'vanished', reason: 'Taken back.' });
    expect([statesOf(taken), taken.reason, isDone(taken)]).toEqual([
      ['done', 'returned'],
      'Taken back.',
      false,
    ]);
  });

  it('are not awaited where it will not be credited, before the bridge has said that it failed', () => {
    expect(statesOf(depositProgress(deposit(['detected'], 'token_not_taken')))).toEqual([
      'done',
      'failed',
    ]);
  });

  it.each([
    ['unproven', ['detected', 'submitted', 'arriving', 'unproven'], 'unknown', 4],
    ['vanished', ['detected', 'origin_confirmed', 'vanished'], 'returned', 3],
    ['failed', ['detected', 'submitted', 'failed'], 'failed', 4],
  ] as const)(
    'say of one that is %s how it ended, at its own step',
    (_state, states, end, steps) => {
      const progress = depositProgress(deposit(states));
      expect([statesOf(progress).at(-1), progress.steps.length]).toEqual([end, steps]);
    },
  );

  it('are one where it came without the bridge', () => {
    const progress = depositProgress({ ...deposit(['completed']), payment: null, via: 'direct' });
    expect([statesOf(progress), timesOf(progress)]).toEqual([['done'], [1_000]]);
  });
});

describe('the steps of a swap', () => {
  it.each([
    ['queued', ['done', 'current', 'ahead']],
    ['following', ['done', 'done', 'current']],
    ['completed', ['done', 'done', 'done']],
    ['refunded', ['done', 'done', 'returned']],
    ['partial', ['done', 'done', 'returned']],
    ['failed', ['done', 'failed']],
    ['unproven', ['done', 'done', 'unknown']],
  ] as const)('of one that is %s are %s', (state, states) => {
    expect(statesOf(swapProgress(swap(state)))).toEqual(states);
  });

  it('say that it was sent before its chain has made that final', () => {
    expect(swapProgress(swap('queued')).steps[1]?.note).toBeNull();
    expect(swapProgress(swap('queued', '0xab')).steps[1]?.note).toMatch(/^Sent; /);
  });
});

describe('the steps of one transaction', () => {
  it('of a withdrawal that came back end where it was to be sent, as given back', () => {
    const progress = withdrawalProgress({
      ...SENT,
      withdrawalId: 'txn_1',
      state: 'returned',
      amount: '5',
      to: '0x2',
      token: 'USDC',
      reason: 'its chain refused it',
      venueReason: null,
    });
    expect([statesOf(progress), progress.reason]).toEqual([
      ['done', 'returned'],
      'its chain refused it',
    ]);
  });

  it('of a transfer are timed by its last change', () => {
    expect(timesOf(transferProgress({ ...SENT, state: 'sent' }))).toEqual([1_000, 4_000, null]);
    expect(timesOf(transferProgress({ ...SENT, state: 'settled' }))).toEqual([1_000, null, 4_000]);
  });

  it('of a launch go on once it has a transaction', () => {
    const launch: Parameters<typeof launchProgress>[0] = {
      ...SENT,
      launchId: 'lch_1',
      state: 'queued',
      chain: 'SOLANA',
      name: 'Coffee',
      symbol: 'BREW',
      description: '',
      mint: '5m',
      bondingCurve: '5c',
      imageUri: '',
      metadataUri: '',
      costSol: '0.1',
      costUsd: null,
      transactionUrl: null,
      venueReason: null,
      gas: null,
    };
    expect(statesOf(launchProgress(launch))).toEqual(['done', 'current', 'ahead']);
    expect(statesOf(launchProgress({ ...launch, transactionHash: '5x' }))).toEqual([
      'done',
      'done',
      'current',
    ]);
  });
});

describe('what is usual', () => {
  const took = (ms: number): Progress => {
    const { steps, ...rest } = swapProgress(swap('completed'));
    return {
      ...rest,
      steps: steps.map((step, index) => ({ ...step, atMs: index === 0 ? 0 : ms })),
    };
  };
  const { kind } = took(0);

  it('is the middle of what came to its end over the same way', () => {
    const all = [took(9_000), took(1_000), took(4_000), swapProgress(swap('failed'))];
    expect(usualMs(all, kind)).toBe(4_000);
    expect(usualMs(all, 'Base Solana')).toBeNull();
  });

  it('is not known from one alone', () => {
    expect(usualMs([took(9_000)], kind)).toBeNull();
  });
});

describe('what is said right after a swap was asked for', () => {
  it('stays true while it goes on, and is its end where it has one', () => {
    expect(swapNote({ state: 'following' })).toBe(
      'It was taken on. The list below says how far it is.',
    );
    expect(swapNote({ state: 'completed' })).toBe('Completed: both sides are proven.');
    expect(swapNote({ state: 'failed' })).toBe('Failed. Nothing but fees has moved.');
  });
});
