import { expect, it } from 'vitest';
import { newDeposit } from '../../../src/domain/deposit.ts';
import { asId, type DepositId } from '../../../src/domain/ids.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { depositLineOut, viewDepositLine } from '../../../src/http/views/deposit.ts';
import { aUserId } from '../../support/builders.ts';

it('shows money that came as completed, and with a reason as vanished once its chain has taken it back', () => {
  const arrival = {
    transferId: 'BASE:0x01',
    usdc: usdcMicros(5_000_000),
    transactionHash: '0x01',
    via: 'direct',
    arrivedAtMs: 1,
  } as const;
  const shown = [arrival, { ...arrival, takenBackAtMs: 2 }].map((each) => {
    const line = viewDepositLine({ line: { kind: 'arrival', arrival: each }, asset: null });
    const { status, creditedUsdc, reason } = depositLineOut.parse(line);
    return [status, creditedUsdc, reason];
  });
  expect(shown).toEqual([
    ['completed', '5', null],
    [
      'vanished',
      null,
      'The chain took back the block that brought 5 USDC, and did not carry it out again.',
    ],
  ]);
});

it('a payment that failed by the bridge has a reason in its line and in itself', () => {
  const shown = ([null, 'below_minimum'] as const).map((problem) => {
    const deposit = newDeposit(
      {
        chainId: '8453',
        tokenAddress: '0x1',
        amount: '1',
        status: 'failed',
        transactionHash: null,
        createdAtMs: null,
      },
      { depositId: asId<DepositId>('dep_1'), userId: aUserId(1), address: '0x2', problem },
      1,
    );
    const line = viewDepositLine({ line: { kind: 'bridge', deposit }, asset: null });
    const { reason, payment } = depositLineOut.parse(line);
    return [reason, payment?.reason];
  });
  expect(shown).toEqual([
    Array(2).fill(expect.stringContaining('does not say why')),
    Array(2).fill(expect.stringContaining('less than the least')),
  ]);
});
