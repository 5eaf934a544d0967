import { z } from 'zod';
import type { DepositRecord } from '../../domain/deposit.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { formatMicros } from '../../domain/units.ts';
import type { BridgeAsset } from '../../ports/bridge.ts';
import { decimalOut, timeOut } from '../routes/fields.ts';

/** Chains money can come from (spec, Funding). */
export const chainOut = z.enum(['ETHEREUM', 'POLYGON', 'ARBITRUM', 'BASE', 'OPTIMISM', 'BSC', 'SOLANA', 'BITCOIN', 'TRON']);

const statusOut = z.enum(['detected', 'processing', 'origin_confirmed', 'submitted', 'arriving', 'unproven', 'completed', 'failed', 'vanished']);

/** A deposit in answers and on sockets. */
export const depositOut = z.object({
  depositId: z.string(),
  chain: chainOut.nullable().meta({ description: 'Null for a token the bridge does not take.' }),
  chainId: z.string(),
  symbol: z.string().nullable(),
  tokenAddress: z.string(),
  amountRaw: z.string(),
  amount: decimalOut.meta({ description: 'Of the token that was sent.' }).nullable(),
  status: statusOut.meta({ description: "The bridge's word up to `submitted` and in `failed`. `arriving`: it says it has paid, and the chain has not shown it yet; `unproven`: it still has not, which is looked into; `completed`: the chain's proof is booked; `vanished`: its chain took the payment back." }),
  problem: z.enum(['token_not_taken', 'below_minimum']).nullable().meta({ description: 'Why it will not be credited.' }),
  minimumUsd: decimalOut.nullable().meta({ description: 'The least the bridge takes of this token.' }),
  transactionHash: z.string().nullable().meta({ description: 'Of the credit on Polygon.' }),
  creditedUsdc: decimalOut.nullable().meta({ description: 'What the books have of it; null before.' }),
  createdAtMs: timeOut.nullable(),
  history: z.array(z.object({ status: statusOut, seenAtMs: timeOut })).meta({ description: 'States as they were seen, oldest first.' }),
}).meta({ id: 'Deposit' });

/** Writes a deposit as callers see it. */
export function viewDeposit({ depositId, transfer, state, problem, credit, history }: DepositRecord, asset: BridgeAsset | null): z.input<typeof depositOut> {
  const { chainId, tokenAddress, amount, transactionHash, createdAtMs } = transfer;
  return {
    depositId,
    chain: asset?.chain ?? null, chainId, symbol: asset?.symbol ?? null, tokenAddress, amountRaw: amount,
    amount: asset === null ? null : formatTokenAmount(BigInt(amount), asset.decimals),
    status: state, problem, minimumUsd: asset?.minimumUsd ?? null, transactionHash,
    creditedUsdc: credit === null ? null : formatMicros(credit.usdc),
    createdAtMs,
    history: history.map((past) => ({ status: past.state, seenAtMs: past.atMs })),
  };
}
