import { AppError, assert } from '../../../src/domain/errors.ts';
import type { Address } from '../../../src/domain/ids.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { EvmChain, EvmLog, Hex } from '../../../src/ports/evm.ts';
import type { MoneyContracts } from '../../../src/services/wallets/contracts.ts';
import { ChainState, type Emit } from '../../support/fakes/fake-chain-state.ts';
import { hashOf, transferLog, ZERO } from '../../support/fakes/fake-chain-logs.ts';

/** A block with something in it, or on top of one. */
export interface DayBlock {
  readonly number: number;
  /** Transactions that went into it. */
  readonly landed: readonly LandedTransaction[];
  /** Transactions that could not be carried out any more: nothing of them is left. */
  readonly dropped: readonly Hex[];
}

/** A transaction in a block. */
export interface LandedTransaction {
  readonly hash: Hex;
  readonly logs: readonly EvmLog[];
}

/** How a block is taken back. */
interface TakingBack {
  /** Blocks, from 1 to `TAKEN_BACK_MAXIMUM`. */
  readonly depth: number;
  /**
   * Payments from outside are lost with it: they were promised and never came. All else comes
   * again, in its order.
   */
  readonly losesPayments: boolean;
}

/** The chain of a simulated day: it goes on only while something is moved on it. */
export interface DayChain extends EvmChain {
  readonly contracts: MoneyContracts;
  readonly state: ChainState;
  /** Sends a transaction under a name of its own; gives its hash. */
  send(run: (state: ChainState, emit: Emit) => void, name?: string): Hex;
  /** Brings collateral from nowhere, as a payment from outside does. */
  mint(to: Address, micros: number): Hex;
  onBlock(listener: (block: DayBlock) => void): void;
  /** Hears of the first block that is gone, and of what it and those after it held. */
  onTakenBack(listener: (first: number, gone: readonly LandedTransaction[]) => void): void;
  /** Takes blocks back as soon as the oldest of them holds something. */
  takeBack(next: TakingBack): void;
  /** Blocks that were taken back so far. */
  readonly takenBack: number;
  allLogs(): readonly EvmLog[];
  /** Answers no question until it is lifted. */
  setDown(isDown: boolean): void;
}

/** One block fewer than anybody counts before a thing is final. */
export const TAKEN_BACK_MAXIMUM = 2;

interface Waiting {
  readonly hash: Hex;
  readonly run: (state: ChainState, emit: Emit) => void;
  readonly isPayment: boolean;
}

/** A block that may still be taken back. */
interface Loose {
  readonly number: number;
  readonly headBefore: { readonly blockNumber: number; readonly atMs: number; readonly hash: Hex };
  readonly stateBefore: ChainState;
  readonly sent: readonly Waiting[];
  readonly landed: readonly LandedTransaction[];
}

const BLOCK_MS = 2_000;
/** Blocks on top of the newest transaction: more than anybody waits for. */
const BLOCKS_ON_TOP = 8;
const FIRST_BLOCK = 10;

/** Makes the chain. Every transaction is carried out whole or not at all. */
export function createDayChain(clock: Clock, contracts: MoneyContracts): DayChain {
  const logs: EvmLog[] = [];
  const receipts = new Map<
    Hex,
    { readonly blockNumber: number; readonly logs: readonly EvmLog[] }
  >();
  const listeners: ((block: DayBlock) => void)[] = [];
  const takers: ((first: number, gone: readonly LandedTransaction[]) => void)[] = [];
  const waiting: Waiting[] = [];
  const loose: Loose[] = [];
  let wanted: TakingBack | null = null;
  let takenBack = 0;
  let state = new ChainState(contracts.collateral);
  let head = {
    blockNumber: FIRST_BLOCK,
    atMs: clock.nowMs(),
    hash: hashOf(`block ${FIRST_BLOCK}`),
  };
  let lastLanded = FIRST_BLOCK;
  let serial = 0;
  let isMining = false;
  let isDown = false;

  function mine(): void {
    isMining = false;
    const blockNumber = head.blockNumber + 1;
    const [headBefore, stateBefore] = [head, state];
    const sent: Waiting[] = [];
    const landed: LandedTransaction[] = [];
    const dropped: Hex[] = [];
    for (const transaction of waiting.splice(0)) {
      const { hash, run } = transaction;
      if (receipts.has(hash)) continue;
      const trial = state.copy();
      const reported: EvmLog[] = [];
      try {
        run(trial, (log) =>
          reported.push({ ...log, blockNumber, transactionHash: hash, logIndex: reported.length }),
        );
      } catch {
        dropped.push(hash);
        continue;
      }
      state = trial;
      logs.push(...reported);
      receipts.set(hash, { blockNumber, logs: reported });
      landed.push({ hash, logs: reported });
      sent.push(transaction);
    }
    head = {
      blockNumber,
      atMs: clock.nowMs(),
      hash: hashOf(
        takenBack === 0 ? `block ${blockNumber}` : `block ${blockNumber} after ${takenBack}`,
      ),
    };
    loose.push({ number: blockNumber, headBefore, stateBefore, sent, landed });
    if (loose.length > TAKEN_BACK_MAXIMUM) loose.shift();
    if (landed.length > 0) lastLanded = blockNumber;
    if (blockNumber < lastLanded + BLOCKS_ON_TOP) goOn();
    for (const listener of listeners) listener({ number: blockNumber, landed, dropped });
    if (wanted !== null && (loose.at(-wanted.depth)?.landed.length ?? 0) > 0) goBack(wanted);
  }

  function goBack({ depth, losesPayments }: TakingBack): void {
    wanted = null;
    const gone = loose.splice(loose.length - depth);
    const [first] = gone;
    if (first === undefined) return;
    takenBack += gone.length;
    head = first.headBefore;
    state = first.stateBefore;
    lastLanded = head.blockNumber;
    for (const { landed } of gone) for (const { hash } of landed) receipts.delete(hash);
    logs.splice(0, logs.length, ...logs.filter(({ blockNumber }) => blockNumber < first.number));
    waiting.unshift(
      ...gone.flatMap(({ sent }) => sent).filter(({ isPayment }) => !(isPayment && losesPayments)),
    );
    goOn();
    for (const listener of takers)
      listener(
        first.number,
        gone.flatMap(({ landed }) => landed),
      );
  }

  function goOn(): void {
    if (isMining) return;
    isMining = true;
    clock.after(BLOCK_MS, mine);
  }

  function send(
    run: (state: ChainState, emit: Emit) => void,
    name = `transaction ${(serial += 1)}`,
    isPayment = false,
  ): Hex {
    const hash = hashOf(name);
    waiting.push({ hash, run, isPayment });
    goOn();
    return hash;
  }

  async function answer<T>(read: () => T): Promise<T> {
    if (isDown)
      throw new AppError('chain_unavailable', 'the chain does not answer', { retryable: true });
    return read();
  }

  return {
    chainId: contracts.chainId,
    contracts,
    send: (run, name) => send(run, name),
    get state() {
      return state;
    },
    mint: (to, micros) =>
      send(
        (trial, emit) => {
          trial.addToken(contracts.collateral, to, BigInt(micros));
          emit(transferLog(contracts.collateral, ZERO, { to, amount: BigInt(micros) }));
        },
        undefined,
        true,
      ),
    onBlock: (listener) => void listeners.push(listener),
    onTakenBack: (listener) => void takers.push(listener),
    takeBack(next) {
      assert(
        next.depth >= 1 && next.depth <= TAKEN_BACK_MAXIMUM,
        `no ${next.depth} blocks are ever taken back`,
      );
      wanted = next;
    },
    get takenBack() {
      return takenBack;
    },
    allLogs: () => logs,
    setDown(next) {
      isDown = next;
    },
    head: () => answer(() => head),
    call: (to, data) =>
      answer(() => `0x${state.answer(to, data).toString(16).padStart(64, '0')}` as const),
    hasCode: (address) => answer(() => state.nonces.has(address.toLowerCase())),
    codeHash: () => answer(() => null),
    balances: (owner, tokens) =>
      answer(() => ({ wei: 0n, tokens: tokens.map((token) => state.tokenOf(token, owner)) })),
    shares: (owner, _contract, tokenIds) =>
      answer(() => tokenIds.map((tokenId) => state.sharesOf(owner, tokenId))),
    hasBlock: (blockNumber) => answer(() => blockNumber <= head.blockNumber),
    receipt: (transactionHash) =>
      answer(() => {
        const found = receipts.get(transactionHash);
        return found === undefined
          ? null
          : {
              transactionHash,
              succeeded: true,
              ...found,
              confirmations: head.blockNumber - found.blockNumber + 1,
            };
      }),
    logs: ({ address, topics, fromBlock, toBlock }) =>
      answer(() => {
        const isWanted = (log: EvmLog) =>
          (address === null || log.address.toLowerCase() === address.toLowerCase()) &&
          topics.every(
            (wanted, index) =>
              wanted === null ||
              (Array.isArray(wanted) ? wanted : [wanted]).includes(log.topics[index] ?? '0x'),
          );
        const first = logs.findIndex(({ blockNumber }) => blockNumber >= fromBlock);
        return first < 0
          ? []
          : logs.slice(first).filter((log) => log.blockNumber <= toBlock && isWanted(log));
      }),
  };
}
