import { z } from 'zod';
import { explainTransaction } from '../../domain/transaction-reason.ts';
import { reasonFields } from './reason.ts';
import { AGENT_IDS } from '../../domain/ids.ts';
import type { GasPaid } from '../../domain/fill.ts';
import type { RegistryRecord } from '../../domain/registry.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { web3Chain } from '../../domain/web3-chains.ts';
import type { CoinPrice } from '../../services/orders/estimate.ts';
import { decimalOut, timeOut } from '../routes/fields.ts';
import { gasPaidOut, viewGasPaid } from './gas-paid.ts';

const SOL_DECIMALS = 9;

/** An entry in the agent registry, or feedback left there. */
export const registryOut = z
  .object({
    entryId: z.string(),
    kind: z.enum(['agent', 'feedback']),
    state: z.enum(['queued', 'recorded', 'failed']).meta({
      description:
        'Waiting or on its way to the chain, proven to be there, or proven never to come: then nothing but a fee has left.',
    }),
    chain: z.literal('SOLANA'),
    agent: z.enum(AGENT_IDS).nullable().meta({
      description: 'Which of your agents an entry is of; null for feedback.',
    }),
    asset: z.string().meta({ description: 'The address of the entry, yours or the one rated.' }),
    fileUri: z.string().nullable().meta({ description: 'Where what it says can be read.' }),
    skills: z.array(z.string()).meta({
      description: 'What an entry says its agent can do; empty for feedback and older entries.',
    }),
    domains: z.array(z.string()).meta({ description: 'In the same way: in what fields.' }),
    costSol: decimalOut.meta({ description: 'What a trial of the transaction took.' }),
    transactionHash: z.string().nullable(),
    transactionUrl: z.string().nullable(),
    ...reasonFields,
    gas: gasPaidOut,
    createdAtMs: timeOut,
    updatedAtMs: timeOut,
  })
  .meta({ id: 'RegistryRecord' });

/** What an entry is shown with. */
interface EntryFacts {
  /** That its transaction took, as far as it is known. */
  readonly gas: GasPaid | undefined;
  readonly coinPrice: CoinPrice;
}

/** Shows an entry or feedback. */
export function viewRegistry(
  record: RegistryRecord,
  { gas, coinPrice }: EntryFacts,
): z.input<typeof registryOut> {
  const { transactionHash } = record;
  return {
    entryId: record.entryId,
    kind: record.kind,
    state: record.state,
    chain: 'SOLANA',
    agent: record.agentId,
    asset: record.asset,
    fileUri: record.fileUri,
    skills: [...(record.skills ?? [])],
    domains: [...(record.domains ?? [])],
    costSol: formatTokenAmount(BigInt(record.costLamports), SOL_DECIMALS),
    transactionHash,
    transactionUrl:
      transactionHash === null ? null : `${web3Chain('SOLANA').explorerUrl}${transactionHash}`,
    ...explainTransaction(record.reason),
    gas: viewGasPaid(gas, coinPrice),
    createdAtMs: record.createdAtMs,
    updatedAtMs: record.updatedAtMs,
  };
}
