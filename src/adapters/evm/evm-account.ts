import {
  createClient,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  http,
  isHex,
  parseEventLogs,
  type EIP1193RequestFn,
  type PublicRpcSchema,
} from 'viem';
import { z } from 'zod';
import { CHAIN, EVM_RAIL } from '../../../config/limits/chain.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address } from '../../domain/ids.ts';
import type { EvmAccounts, Movement, Simulation } from '../../ports/evm-account.ts';
import type { Hex } from '../../ports/evm.ts';
import type { SendOutcome } from '../../ports/transactions.ts';
import { readCoins } from './multicall.ts';
import { contractError, plainText, revertReason } from './revert.ts';
import { createRpc, type RpcOptions } from './rpc.ts';

const quantity = z
  .string()
  .regex(/^0x[0-9a-f]+$/i)
  .transform(BigInt);
const hexText = z
  .string()
  .regex(/^0x([0-9a-f]{2})*$/i)
  .transform((text) => text as Hex);
const logSchema = z.object({ address: hexText, topics: z.array(hexText), data: hexText });
const simulatedSchema = z
  .array(
    z.object({
      calls: z.array(
        z.object({
          status: quantity,
          gasUsed: quantity,
          logs: z.array(logSchema).nullish(),
          returnData: hexText.nullish(),
          error: z.object({ message: z.string(), data: z.unknown() }).nullish(),
        }),
      ),
    }),
  )
  .length(1);
const receiptSchema = z
  .object({
    from: hexText,
    blockNumber: quantity,
    gasUsed: quantity,
    effectiveGasPrice: quantity,
  })
  .nullable();
const blockSchema = z.object({ baseFeePerGas: quantity });
const fullBlockSchema = z.object({
  transactions: z.array(z.object({ hash: hexText, to: hexText.nullish(), value: quantity })),
});

/**
 * Where nodes that trace transfers of the coin say they happened (the execution interfaces'
 * `eth_simulateV1`).
 */
const COIN_LOGS = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';

/** Reads what an account of one's own needs from a node, and hands it signed bytes. */
export function createEvmAccounts(options: RpcOptions): EvmAccounts {
  const rpc = createRpc(options);
  const client = createClient({
    transport: http(options.rpcUrl, {
      timeout: options.timeoutMs ?? CHAIN.callTimeoutMs,
      retryCount: 0,
    }),
  });
  // A client made without a schema serves the public methods; its type says less than that.
  const request = client.request as EIP1193RequestFn<PublicRpcSchema>;
  const ask = <T>(method: string, params: readonly unknown[], schema: z.ZodType<T>): Promise<T> =>
    rpc
      // viem's list leaves some methods out
      .ask((send) => (send as (call: unknown) => Promise<unknown>)({ method, params }))
      .then((answer) => {
        const read = schema.safeParse(answer);
        if (read.success) return read.data;
        throw new AppError(
          'chain_unavailable',
          `chain ${options.chainId} answered ${method} in an unexpected format`,
          { retryable: true },
        );
      });
  const head = () => ask('eth_blockNumber', [], quantity);
  return {
    async nonce(account, depth) {
      const block = depth <= 1 ? 'latest' : blockAt(await head(), depth);
      return Number(await ask('eth_getTransactionCount', [account, block], quantity));
    },
    async fees() {
      const [{ baseFeePerGas }, asked] = await Promise.all([
        ask('eth_getBlockByNumber', ['latest', false], blockSchema),
        ask('eth_maxPriorityFeePerGas', [], quantity),
      ]);
      const least = EVM_RAIL.priorityFeeMinimumWei[options.chainId] ?? 0n;
      const maxPriorityFeePerGas = asked > least ? asked : least;
      return { maxPriorityFeePerGas, maxFeePerGas: baseFeePerGas * 2n + maxPriorityFeePerGas };
    },
    gas: (from, { to, data, valueWei }) =>
      ask('eth_estimateGas', [{ from, to, data, value: text(valueWei) }], quantity),
    async send(bytes) {
      try {
        await request({ method: 'eth_sendRawTransaction', params: [bytes] });
        return { kind: 'accepted', handle: bytes.slice(0, 20) };
      } catch (error) {
        return outcomeOf(error);
      }
    },
    async simulate(from, calls) {
      const answer = await ask(
        'eth_simulateV1',
        [
          {
            blockStateCalls: [
              {
                calls: calls.map(({ to, data, valueWei }) => ({
                  from,
                  to,
                  data,
                  value: text(valueWei),
                })),
              },
            ],
            traceTransfers: true,
            validation: false,
          },
          'latest',
        ],
        simulatedSchema,
      );
      return simulationOf(answer[0]?.calls ?? []);
    },
    async coinChange(account, transactionHash) {
      const receipt = await ask('eth_getTransactionReceipt', [transactionHash], receiptSchema);
      if (receipt === null) return null;
      const { blockNumber, gasUsed, effectiveGasPrice, from } = receipt;
      const [after, before] = await Promise.all(
        [blockNumber, blockNumber - 1n].map((block) =>
          ask('eth_getBalance', [account, text(block)], quantity),
        ),
      );
      const fee = from.toLowerCase() === account.toLowerCase() ? gasUsed * effectiveGasPrice : 0n;
      return (after ?? 0n) - (before ?? 0n) + fee;
    },
    coins: (owners, block) =>
      readCoins(
        (to, data) => ask('eth_call', [{ to, data }, text(BigInt(block))], hexText),
        owners,
      ),
    async received(owner, block, without) {
      const method = 'eth_getBlockByNumber';
      const { transactions } = await ask(method, [text(BigInt(block)), true], fullBlockSchema);
      return transactions
        .filter(({ hash, to }) => to?.toLowerCase() === owner.toLowerCase() && !without.has(hash))
        .reduce((sum, { value }) => sum + value, 0n);
    },
    async allowance(token, owner, spender) {
      const data = encodeFunctionData({
        abi: erc20Abi,
        functionName: 'allowance',
        args: [hexOf(owner), hexOf(spender)],
      });
      const answer = await ask('eth_call', [{ to: token, data }, 'latest'], hexText);
      if (answer === '0x') throw new AppError('chain_reverted', `there is no token at ${token}`);
      return decodeFunctionResult({ abi: erc20Abi, functionName: 'allowance', data: answer });
    },
  };
}

type SimulatedCall = z.output<typeof simulatedSchema>[number]['calls'][number];

function simulationOf(calls: readonly SimulatedCall[]): Simulation {
  const failed = calls.find(({ status }) => status !== 1n);
  if (failed !== undefined || calls.length === 0) return revertedBy(failed);
  const logs = calls
    .flatMap((call) => call.logs ?? [])
    .map((log) => ({
      ...log,
      blockNumber: 0n,
      logIndex: 0,
      transactionHash: '0x',
      transactionIndex: 0,
      blockHash: '0x',
      removed: false,
    }));
  // only address, topics and data are read
  const events = parseEventLogs({ abi: erc20Abi, logs: logs as never });
  const movements: Movement[] = [];
  const approvals: Extract<Simulation, { kind: 'done' }>['approvals'][number][] = [];
  for (const event of events) {
    const { address } = event as unknown as { address: Hex }; // a log has one
    if (event.eventName === 'Transfer')
      movements.push({
        token: address.toLowerCase() === COIN_LOGS ? null : idOf(address),
        from: idOf(event.args.from),
        to: idOf(event.args.to),
        amount: event.args.value,
      });
    else
      approvals.push({
        token: idOf(address),
        owner: idOf(event.args.owner),
        spender: idOf(event.args.spender),
        amount: event.args.value,
      });
  }
  const gas = calls.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
  return { kind: 'done', movements, approvals, gas };
}

/** Nodes put a contract's error beside their own, or into what the call gave back. */
function revertedBy(failed: SimulatedCall | undefined): Simulation {
  const { error, returnData } = failed ?? {};
  const data = [error?.data, returnData].find((each) => isHex(each) && each !== '0x');
  if (!isHex(data)) return { kind: 'reverted', reason: plainText(error?.message ?? 'no reason') };
  const { reason, lacking } = contractError(data);
  return { kind: 'reverted', reason, ...(lacking === null ? {} : { lacking: idOf(lacking) }) };
}

/**
 * Nodes differ in their words; what none of these says leaves it open whether the bytes were taken
 * (L2).
 */
function outcomeOf(error: unknown): SendOutcome {
  const words = errorText(error);
  if (/already known|already imported|known transaction/i.test(words))
    return { kind: 'accepted', handle: 'known' };
  if (/nonce too low|old nonce/i.test(words)) return { kind: 'stale', reason: 'nonce too low' };
  const refusal =
    /underpriced|insufficient funds|intrinsic gas|exceeds block gas|fee cap|max fee/i.exec(words);
  if (refusal !== null) {
    const reason = refusal[0].toLowerCase();
    const isPoor = reason === 'insufficient funds';
    return { kind: 'refused', reason: isPoor ? `${reason} for gas` : reason };
  }
  const reason = revertReason(error);
  return reason === null
    ? { kind: 'unknown', reason: error instanceof Error ? error.name : 'unknown failure' }
    : { kind: 'refused', reason };
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const details = 'details' in error && typeof error.details === 'string' ? error.details : '';
  return `${error.message} ${details}`;
}

function blockAt(head: bigint, depth: number): Hex {
  const block = head - BigInt(depth - 1);
  return text(block > 0n ? block : 0n);
}

function text(value: bigint): Hex {
  return `0x${value.toString(16)}`;
}

function hexOf(address: Address): Hex {
  return address as unknown as Hex; // an Address is checksummed 0x hex by contract
}

function idOf(address: Hex): Address {
  return asId<Address>(getAddress(address));
}
