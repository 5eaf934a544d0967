import { z } from 'zod';
import { SOLANA_SANDBOX } from '../../../../config/limits/sandbox-chains.ts';
import { invalidParams } from './rpc-failure.ts';
import type { RpcMethod } from './rpc-method.ts';
import { addressParam, API_VERSION, contextConfig, contextOf, readParams } from './rpc-params.ts';
import { readWireMessage } from './wire-transaction.ts';

const configOnly = z.tuple([contextConfig.optional()]);

/** The state of the chain. */
export const blockMethods: Readonly<Record<string, RpcMethod>> = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': API_VERSION, 'feature-set': 0 }),
  getGenesisHash: ({ chain }) => chain.time.genesisHash,
  getSlot({ chain }, params) {
    const [config] = readParams(configOnly, params);
    return contextOf(chain, config).slot;
  },
  getBlockHeight({ chain }, params) {
    const [config] = readParams(configOnly, params);
    contextOf(chain, config);
    return chain.time.blockHeight();
  },
  getEpochInfo({ chain }, params) {
    const [config] = readParams(configOnly, params);
    const { slot } = contextOf(chain, config);
    const slotsInEpoch = SOLANA_SANDBOX.slotsPerEpoch;
    return {
      absoluteSlot: slot,
      blockHeight: chain.time.blockHeight(),
      epoch: Math.floor(slot / slotsInEpoch),
      slotIndex: slot % slotsInEpoch,
      slotsInEpoch,
      transactionCount: chain.transactionCount(),
    };
  },
  getLatestBlockhash({ chain }, params) {
    const [config] = readParams(configOnly, params);
    return {
      context: contextOf(chain, config),
      value: chain.time.latestBlockhash(config?.commitment ?? 'finalized'),
    };
  },
  isBlockhashValid({ chain }, params) {
    const [blockhash, config] = readParams(
      z.tuple([addressParam, contextConfig.optional()]),
      params,
    );
    return { context: contextOf(chain, config), value: chain.time.isAlive(blockhash) };
  },
  getFeeForMessage({ chain }, params) {
    const [encoded, config] = readParams(z.tuple([z.base64(), contextConfig.optional()]), params);
    const message = readMessage(encoded);
    const value = chain.time.isAlive(message.lifetimeToken)
      ? message.header.numSignerAccounts * SOLANA_SANDBOX.signatureFeeLamports +
        priorityFee(message)
      : null;
    return { context: contextOf(chain, config), value };
  },
  getRecentPrioritizationFees({ chain }, params) {
    readParams(z.tuple([z.array(addressParam).max(128).optional()]), params);
    const slot = chain.time.slot();
    // There is no competition for blocks here.
    return Array.from({ length: SOLANA_SANDBOX.blockhashLife }, (_, index) => ({
      slot: slot - SOLANA_SANDBOX.blockhashLife + 1 + index,
      prioritizationFee: 0,
    }));
  },
};

const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
/** Units of an instruction that asks for none (the network's default). */
const DEFAULT_UNITS = 200_000n;
const MICRO_LAMPORTS = 1_000_000n;

/** What a transaction bids on top of the base fee: price times units, rounded up. */
function priorityFee(message: ReturnType<typeof readWireMessage>): number {
  let units: bigint | null = null;
  let price = 0n;
  let others = 0n;
  for (const { programAddressIndex, data } of message.instructions) {
    if (message.staticAccounts[programAddressIndex] !== COMPUTE_BUDGET_PROGRAM) {
      others += 1n;
      continue;
    }
    const bytes = Buffer.from(data ?? []);
    if (bytes[0] === 2 && bytes.length >= 5) units = BigInt(bytes.readUInt32LE(1));
    if (bytes[0] === 3 && bytes.length >= 9) price = bytes.readBigUInt64LE(1);
  }
  return Number(((units ?? others * DEFAULT_UNITS) * price + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS);
}

function readMessage(encoded: string): ReturnType<typeof readWireMessage> {
  try {
    return readWireMessage(Buffer.from(encoded, 'base64'));
  } catch (cause) {
    throw invalidParams(`not a message: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
