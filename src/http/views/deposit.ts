import { z } from 'zod';
import type { DepositRecord } from '../../domain/deposit.ts';
import { explainDeposit } from '../../domain/deposit-reason.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { formatMicros } from '../../domain/units.ts';
import type { BridgeAsset } from '../../ports/bridge.ts';
import type { DepositListing } from '../../services/funding/deposit-addresses.ts';
import { decimalOut, timeOut } from '../routes/fields.ts';

/** Chains money can come from (spec, Funding). */
export const chainOut = z.enum([
  'ETHEREUM',
  'POLYGON',
  'ARBITRUM',
  'BASE',
  'OPTIMISM',
  'BSC',
  'SOLANA',
  'BITCOIN',
  'TRON',
]);

const statusOut = z.enum([
  'detected',
  'processing',
  'origin_confirmed',
  'submitted',
  'arriving',
  'unproven',
  'completed',
  'failed',
  'vanished',
]);

const reasonOut = z.string().nullable().meta({
  description:
    'Why it failed, will not be credited, is not proven or is in the books no more, in one sentence, also where the bridge says no reason; null where there is nothing to explain.',
});

/** A deposit in answers and on sockets. */
export const depositOut = z
  .object({
    depositId: z.string(),
    chain: chainOut.nullable().meta({ description: 'Null for a token the bridge does not take.' }),
    chainId: z.string(),
    symbol: z.string().nullable(),
    tokenAddress: z.string(),
    amountRaw: z.string(),
    amount: decimalOut.meta({ description: 'Of the token that was sent.' }).nullable(),
    status: statusOut.meta({
      description:
        "The bridge's word up to `submitted` and in `failed`. `arriving`: it says it has paid, and the chain has not shown it yet; `unproven`: it still has not, which is looked into; `completed`: the chain's proof is booked; `vanished`: its chain took the payment back.",
    }),
    problem: z
      .enum(['token_not_taken', 'below_minimum'])
      .nullable()
      .meta({ description: 'Why it will not be credited, as far as that is known beforehand.' }),
    reason: reasonOut,
    minimumUsd: decimalOut
      .nullable()
      .meta({ description: 'The least the bridge takes of this token.' }),
    transactionHash: z.string().nullable().meta({ description: 'Of the credit on Polygon.' }),
    creditedUsdc: decimalOut
      .nullable()
      .meta({ description: 'What the books have of it; null before.' }),
    createdAtMs: timeOut.nullable(),
    history: z
      .array(z.object({ status: statusOut, seenAtMs: timeOut }))
      .meta({ description: 'States as they were seen, oldest first.' }),
  })
  .meta({ id: 'Deposit' });

/** A line of the list of deposits. */
export const depositLineOut = z
  .object({
    depositId: z.string(),
    via: z.enum(['bridge', 'safe_transfer', 'direct', 'venue']).meta({
      description:
        'A payment to a deposit address, a transfer of yours to the Safe, anything else that came to it, or what the venue reported.',
    }),
    status: statusOut.meta({
      description:
        '`completed` once it is in the books; `vanished` where it is there no more, since its chain took it back.',
    }),
    reason: reasonOut,
    creditedUsdc: decimalOut
      .nullable()
      .meta({ description: 'What the books have of it; null before.' }),
    transactionHash: z.string().nullable().meta({ description: 'Of the credit on Polygon.' }),
    createdAtMs: timeOut.meta({
      description: 'When a payment was first seen, or other money was booked, epoch milliseconds.',
    }),
    payment: depositOut.nullable().meta({
      description: 'What the bridge tells of it; null where it did not come by the bridge.',
    }),
  })
  .meta({ id: 'DepositLine' });

/** Writes a line of the list of deposits. */
export function viewDepositLine({ line, asset }: DepositListing): z.input<typeof depositLineOut> {
  if (line.kind === 'arrival') {
    const { transferId, via, usdc, transactionHash, arrivedAtMs, takenBackAtMs } = line.arrival;
    const credited = formatMicros(usdc);
    return {
      depositId: transferId,
      via,
      ...(takenBackAtMs === undefined
        ? { status: 'completed', reason: null, creditedUsdc: credited }
        : {
            status: 'vanished',
            reason: `The chain took back the block that brought ${credited} USDC, and did not carry it out again.`,
            creditedUsdc: null,
          }),
      transactionHash,
      createdAtMs: arrivedAtMs,
      payment: null,
    };
  }
  const payment = viewDeposit(line.deposit, asset);
  const { depositId, status, reason, creditedUsdc, transactionHash } = payment;
  return {
    depositId,
    via: 'bridge',
    status,
    reason,
    creditedUsdc,
    transactionHash,
    createdAtMs: line.deposit.seenAtMs,
    payment,
  };
}

/** Writes a deposit as callers see it. */
export function viewDeposit(
  { depositId, transfer, state, problem, credit, history }: DepositRecord,
  asset: BridgeAsset | null,
): z.input<typeof depositOut> {
  const { chainId, tokenAddress, amount, transactionHash, createdAtMs } = transfer;
  return {
    depositId,
    chain: asset?.chain ?? null,
    chainId,
    symbol: asset?.symbol ?? null,
    tokenAddress,
    amountRaw: amount,
    amount: asset === null ? null : formatTokenAmount(BigInt(amount), asset.decimals),
    status: state,
    problem,
    reason: explainDeposit({ state, problem }),
    minimumUsd: asset?.minimumUsd ?? null,
    transactionHash,
    creditedUsdc: credit === null ? null : formatMicros(credit.usdc),
    createdAtMs,
    history: history.map((past) => ({ status: past.state, seenAtMs: past.atMs })),
  };
}
