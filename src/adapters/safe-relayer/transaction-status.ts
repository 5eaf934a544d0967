import { keccak256, toBytes } from 'viem';
import { CHAIN } from '../../../config/limits/chain.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address } from '../../domain/ids.ts';
import type { EvmChain, EvmLog, Hex } from '../../ports/evm.ts';
import type { SafeTransactionStatus, SafeTransactionName } from './safe-transaction.ts';

const topicOf = (signature: string): Hex => keccak256(toBytes(signature));
const SAFE_SETUP = topicOf('SafeSetup(address,address[],uint256,address,address)');
const EXECUTION_SUCCESS = topicOf('ExecutionSuccess(bytes32,uint256)');
const EXECUTION_FAILURE = topicOf('ExecutionFailure(bytes32,uint256)');
/** Selectors of `getThreshold()` and `nonce()`. */
const GET_THRESHOLD = '0xe75235b8';
const NONCE = '0xaffed0e0';
const WORD = /^0x[0-9a-fA-F]{64}$/;

/**
 * True once a Safe is deployed and has been set up: code without an owner is no wallet. Errors:
 * `chain_unavailable`.
 */
export async function isSafeDeployed(chain: EvmChain, safe: Address): Promise<boolean> {
  const answer = await chain.call(safe, GET_THRESHOLD);
  return WORD.test(answer) && BigInt(answer) > 0n;
}

/** The Safe's next nonce; 0 for one that is not deployed. Errors: `chain_unavailable`. */
export async function safeNonce(chain: EvmChain, safe: Address): Promise<number> {
  const answer = await chain.call(safe, NONCE);
  if (answer === '0x') return 0;
  if (!WORD.test(answer))
    throw new AppError('chain_unavailable', `${safe} answers no nonce`, { retryable: true });
  return Number(BigInt(answer));
}

/**
 * Asks the chain what became of a transaction. `sinceBlock` must be a block before it was signed.
 * Errors: `chain_unavailable`.
 */
export function safeTransactionStatus(
  chain: EvmChain,
  name: SafeTransactionName,
  sinceBlock: number,
): Promise<SafeTransactionStatus> {
  return name.kind === 'create'
    ? statusOfCreation(chain, name.safe, sinceBlock)
    : statusOfExecution(chain, name, sinceBlock);
}

async function statusOfCreation(
  chain: EvmChain,
  safe: Address,
  sinceBlock: number,
): Promise<SafeTransactionStatus> {
  if (!(await isSafeDeployed(chain, safe))) return { kind: 'open' };
  const { blockNumber: newest } = await chain.head();
  const [setup] = await chain.logs({
    address: safe,
    topics: [SAFE_SETUP],
    fromBlock: sinceBlock,
    toBlock: newest,
  });
  return setup === undefined ? { kind: 'done_earlier' } : done(setup, newest);
}

type Execution = Extract<SafeTransactionName, { kind: 'execute' }>;

/**
 * A Safe emits one event for each nonce it has used, in order: the event as far from the end as our
 * nonce is from the next one is the one that used it. If it is not there the node has not shown
 * everything, and nothing is concluded (L2).
 */
async function statusOfExecution(
  chain: EvmChain,
  name: Execution,
  sinceBlock: number,
): Promise<SafeTransactionStatus> {
  for (let read = 0; read < CHAIN.statusReadsMaximum; read += 1) {
    const next = await safeNonce(chain, name.safe);
    if (next <= name.nonce) return { kind: 'open' };
    const { blockNumber: newest } = await chain.head();
    const events = await chain.logs({
      address: name.safe,
      topics: [[EXECUTION_SUCCESS, EXECUTION_FAILURE]],
      fromBlock: sinceBlock,
      toBlock: newest,
    });
    // Something was executed between the reads: they do not speak of the same moment.
    if ((await safeNonce(chain, name.safe)) !== next) continue;
    const event = events[events.length - (next - name.nonce)];
    if (event === undefined) break;
    if (hashOf(event).toLowerCase() !== name.safeTxHash.toLowerCase())
      return {
        kind: 'failed',
        cause: 'superseded',
        reason: `nonce ${name.nonce} was used by another transaction`,
      };
    return event.topics[0] === EXECUTION_SUCCESS
      ? done(event, newest)
      : { kind: 'failed', cause: 'reverted', reason: 'the call inside the Safe failed' };
  }
  throw new AppError(
    'chain_unavailable',
    `the events of ${name.safe} do not reach nonce ${name.nonce} yet`,
    { retryable: true },
  );
}

/** The hash is indexed since version 1.4 of the Safe and in the data before. */
function hashOf({ topics, data }: EvmLog): string {
  return topics[1] ?? data.slice(0, 66);
}

function done({ transactionHash, blockNumber }: EvmLog, newest: number): SafeTransactionStatus {
  return { kind: 'done', transactionHash, blockNumber, confirmations: newest - blockNumber + 1 };
}
