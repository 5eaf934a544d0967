import { z } from 'zod';
import { explainTransaction } from '../../domain/transaction-reason.ts';
import { reasonFields } from './reason.ts';
import type { GasPaid } from '../../domain/fill.ts';
import { IMAGE_TYPES, type ImageRecord, type LaunchRecord } from '../../domain/launch.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { web3Chain } from '../../domain/web3-chains.ts';
import type { LaunchEstimate } from '../../services/launches/launches.ts';
import type { CoinPrice } from '../../services/orders/estimate.ts';
import { decimalOut, timeOut } from '../routes/fields.ts';
import { gasPaidOut, viewGasPaid } from './gas-paid.ts';
import { refusalOut, viewRefusal } from './refusal.ts';

const SOL_DECIMALS = 9;
const MICRO_DECIMALS = 6;
const usdOut = decimalOut.nullable().meta({
  description: 'At our own price of SOL; null without one.',
});

/** A picture that was uploaded. */
export const imageOut = z
  .object({
    imageId: z.string(),
    mediaType: z.enum(IMAGE_TYPES),
    bytes: z.int(),
    uri: z.string().meta({ description: 'Where anybody can read it.' }),
    createdAtMs: timeOut,
  })
  .meta({ id: 'TokenImage' });

/** What a launch would cost. */
export const launchEstimateOut = z
  .object({
    chain: z.literal('SOLANA'),
    costSol: decimalOut.meta({ description: 'What leaves your wallet at most, fees included.' }),
    rentSol: decimalOut.meta({ description: 'Of it, what the accounts of the token hold.' }),
    feeSol: decimalOut.meta({ description: 'Of it, the fee of the network at most.' }),
    costUsd: usdOut,
    walletAddress: z.string(),
    walletSol: decimalOut.meta({ description: 'What the wallet holds, in SOL.' }),
    isEnough: z.boolean(),
    mayLaunchAtMs: timeOut.nullable().meta({
      description: 'When your next launch is possible; null for now.',
    }),
    warnings: z.array(z.enum(['look_alike', 'low_liquidity', 'fresh', 'odd_name'])).meta({
      description: 'What its name and ticker would be marked with wherever tokens are listed.',
    }),
    refusal: refusalOut.nullable().meta({
      description:
        'What launching it would be refused for now, a stop of trading too; null where nothing is seen.',
    }),
  })
  .meta({ id: 'LaunchEstimate' });

/** A launch. */
export const launchOut = z
  .object({
    launchId: z.string(),
    state: z.enum(['queued', 'launched', 'failed']).meta({
      description:
        'Waiting or on its way to the chain, proven to be there, or proven never to come: then nothing but a fee has left.',
    }),
    chain: z.literal('SOLANA'),
    name: z.string(),
    symbol: z.string(),
    description: z.string(),
    mint: z.string().meta({ description: "The token's address." }),
    bondingCurve: z.string().meta({ description: 'The curve that sells it.' }),
    imageUri: z.string(),
    metadataUri: z.string(),
    costSol: decimalOut.meta({ description: 'What a trial of the transaction took.' }),
    costUsd: usdOut,
    transactionHash: z.string().nullable(),
    transactionUrl: z.string().nullable(),
    ...reasonFields,
    gas: gasPaidOut,
    createdAtMs: timeOut,
    updatedAtMs: timeOut,
  })
  .meta({ id: 'Launch' });

/** Shows a picture. */
export function viewImage({
  imageId,
  mediaType,
  bytes,
  uri,
  createdAtMs,
}: ImageRecord): z.input<typeof imageOut> {
  return { imageId, mediaType, bytes, uri, createdAtMs };
}

/** Puts what a launch would cost into words. */
export function viewLaunchEstimate({
  rentLamports,
  feeLamports,
  costMicros,
  walletAddress,
  walletLamports,
  mayLaunchAtMs,
  warnings,
  refusal,
}: LaunchEstimate): z.input<typeof launchEstimateOut> {
  const cost = BigInt(rentLamports + feeLamports);
  return {
    chain: 'SOLANA',
    costSol: sol(cost),
    rentSol: sol(BigInt(rentLamports)),
    feeSol: sol(BigInt(feeLamports)),
    costUsd: usd(costMicros),
    walletAddress,
    walletSol: sol(walletLamports),
    isEnough: walletLamports >= cost,
    mayLaunchAtMs,
    warnings: [...warnings],
    refusal: viewRefusal(refusal),
  };
}

/** What a launch is shown with. */
interface LaunchFacts {
  /** The curve of a token. */
  curveOf(mint: string): string;
  /** That its transaction took, as far as it is known. */
  readonly gas: GasPaid | undefined;
  readonly coinPrice: CoinPrice;
}

/** Puts a launch into words. */
export function viewLaunch(
  launch: LaunchRecord,
  { curveOf, gas, coinPrice }: LaunchFacts,
): z.input<typeof launchOut> {
  const { transactionHash, mint } = launch;
  return {
    launchId: launch.launchId,
    state: launch.state,
    chain: 'SOLANA',
    name: launch.name,
    symbol: launch.symbol,
    description: launch.description,
    mint,
    bondingCurve: curveOf(mint),
    imageUri: launch.imageUri,
    metadataUri: launch.metadataUri,
    costSol: sol(BigInt(launch.costLamports)),
    costUsd: usd(launch.costMicros),
    transactionHash,
    transactionUrl:
      transactionHash === null ? null : `${web3Chain('SOLANA').explorerUrl}${transactionHash}`,
    ...explainTransaction(launch.reason),
    gas: viewGasPaid(gas, coinPrice),
    createdAtMs: launch.createdAtMs,
    updatedAtMs: launch.updatedAtMs,
  };
}

function sol(lamports: bigint): string {
  return formatTokenAmount(lamports, SOL_DECIMALS);
}

function usd(micros: number | null): string | null {
  return micros === null ? null : formatTokenAmount(BigInt(micros), MICRO_DECIMALS);
}
