import { expect, it } from 'vitest';
import { usdcMicros } from '../../../src/domain/units.ts';
import { depositLineOut, viewDepositLine } from '../../../src/http/views/deposit.ts';

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
