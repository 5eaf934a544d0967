import type { Address, MarketId, TokenId } from '../../../src/domain/ids.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { EvmChain, EvmLog, EvmReceipt, Hex } from '../../../src/ports/evm.ts';
import { addressTopic } from '../../../src/services/wallets/contract-calls.ts';
import type { MoneyContracts } from '../../../src/services/wallets/contracts.ts';
import { ChainState, type Emit } from './fake-chain-state.ts';
import { EXCHANGE, hashOf, transferLog, ZERO } from './fake-chain-logs.ts';

/** A transaction: changes the state and tells of it, or throws and changes nothing. */
export interface FakeTransaction {
  readonly hash: Hex;
  readonly run: (state: ChainState, emit: Emit) => void;
}

interface Block {
  readonly hash: Hex;
  readonly atMs: number;
  readonly before: ChainState;
  readonly transactions: readonly {
    readonly transaction: FakeTransaction;
    readonly logs: readonly EvmLog[];
  }[];
}

const BLOCK_MS = 2_000;

/**
 * A chain in memory: blocks on the virtual clock, token balances, Safes, a market's payouts,
 * reorganisations. A model, not a mock.
 */
export class FakeChain implements EvmChain {
  readonly chainId: number;
  readonly contracts: MoneyContracts;
  state: ChainState;
  waiting: FakeTransaction[] = [];
  /** While set, every question fails. */
  isDown = false;
  /** Of older blocks the node has neither the number nor the receipts any more. */
  oldestBlock = 0;
  /**
   * Events one block tells of at other places than the block before it did: reorganised blocks
   * order them anew.
   */
  #logOffset = 0;
  readonly #blocks: Block[] = [];
  readonly #clock: Clock;
  #serial = 0;

  constructor(clock: Clock, contracts: MoneyContracts) {
    this.#clock = clock;
    this.contracts = contracts;
    this.state = new ChainState(contracts.collateral);
    this.chainId = contracts.chainId;
    for (let number = 0; number < 10; number += 1) this.mine();
  }

  /** Lets a block come every two seconds. */
  start(): void {
    this.#clock.after(BLOCK_MS, () => {
      this.mine();
      this.start();
    });
  }

  get blockNumber(): number {
    return this.#blocks.length - 1;
  }

  /** Makes a block of all that waits; what fails is left out, as by a relayer that tries first. */
  mine(): void {
    const before = this.state.copy();
    const number = this.#blocks.length;
    const transactions: { transaction: FakeTransaction; logs: EvmLog[] }[] = [];
    let logIndex = this.#logOffset;
    for (const transaction of this.waiting.splice(0)) {
      if (
        this.#find(transaction.hash) !== null ||
        transactions.some((known) => known.transaction.hash === transaction.hash)
      )
        continue;
      const trial = this.state.copy();
      const logs: EvmLog[] = [];
      try {
        transaction.run(trial, (log) =>
          logs.push({
            ...log,
            blockNumber: number,
            transactionHash: transaction.hash,
            logIndex: logIndex + logs.length,
          }),
        );
      } catch {
        continue;
      }
      logIndex += logs.length;
      this.state = trial;
      transactions.push({ transaction, logs });
    }
    this.#blocks.push({
      hash: hashOf(`block ${number} ${this.#serial++}`),
      atMs: this.#clock.nowMs(),
      before,
      transactions,
    });
  }

  /** Takes the newest blocks back; their transactions wait again, or are lost. */
  reorganise(depth: number, status: 'kept' | 'lost' = 'kept'): void {
    const taken = this.#blocks.splice(this.#blocks.length - depth);
    const [first] = taken;
    if (first === undefined) return;
    this.state = first.before;
    this.#logOffset += 1;
    if (status === 'kept')
      this.waiting.unshift(
        ...taken.flatMap(({ transactions }) => transactions.map(({ transaction }) => transaction)),
      );
  }

  /** Sends a transaction; gives its hash. */
  send(run: FakeTransaction['run'], name = `tx ${this.#serial++}`): Hex {
    const hash = hashOf(name);
    this.waiting.push({ hash, run });
    return hash;
  }

  /** Brings tokens from nowhere, as a bridge does. */
  mint(token: Address, to: Address, amount: bigint): Hex {
    return this.send((state, emit) => {
      state.addToken(token, to, amount);
      emit(transferLog(token, ZERO, { to, amount }));
    });
  }

  /**
   * Settles a trade of a Safe on the exchange: money and shares change hands, and the exchange
   * tells of it.
   */
  trade(
    safe: Address,
    {
      usdc,
      tokenId,
      shares,
    }: { readonly usdc: bigint; readonly tokenId: TokenId; readonly shares: bigint },
  ): Hex {
    const { collateral } = this.contracts;
    const exchange = EXCHANGE;
    return this.send((state, emit) => {
      state.addToken(collateral, safe, usdc);
      state.addShares(safe, tokenId, shares);
      emit(
        usdc < 0n
          ? transferLog(collateral, safe, { to: exchange, amount: -usdc })
          : transferLog(collateral, exchange, { to: safe, amount: usdc }),
      );
      emit({
        address: exchange,
        topics: [hashOf('OrderFilled'), hashOf('order'), addressTopic(safe)],
        data: '0x',
      });
    });
  }

  /** Reports how a market ended, on chain. */
  report(
    marketId: MarketId,
    payouts: readonly [bigint, bigint],
    tokens: readonly [TokenId, TokenId],
  ): void {
    this.send((state) => void state.payouts.set(marketId, { payouts, tokens }));
  }

  async head() {
    this.#answer();
    const block = this.#blocks.at(-1);
    if (block === undefined) throw new Error('a chain has a block');
    return { blockNumber: this.blockNumber, atMs: block.atMs, hash: block.hash };
  }

  async call(to: Address, data: Hex): Promise<Hex> {
    this.#answer();
    return `0x${this.state.answer(to, data).toString(16).padStart(64, '0')}`;
  }

  async hasCode(address: Address): Promise<boolean> {
    this.#answer();
    return this.state.nonces.has(address.toLowerCase());
  }

  async codeHash(address: Address): Promise<Hex | null> {
    return (await this.hasCode(address)) ? `0x${'c0'.repeat(32)}` : null;
  }

  async balances(owner: Address, tokens: readonly Address[]) {
    this.#answer();
    return { wei: 0n, tokens: tokens.map((token) => this.state.tokenOf(token, owner)) };
  }

  async shares(
    owner: Address,
    _contract: Address,
    tokenIds: readonly TokenId[],
  ): Promise<readonly bigint[]> {
    this.#answer();
    return tokenIds.map((tokenId) => this.state.sharesOf(owner, tokenId));
  }

  async receipt(transactionHash: Hex): Promise<EvmReceipt | null> {
    this.#answer();
    const found = this.#find(transactionHash);
    return found === null || found.number < this.oldestBlock
      ? null
      : {
          transactionHash,
          succeeded: true,
          blockNumber: found.number,
          confirmations: this.blockNumber - found.number + 1,
          logs: found.logs,
        };
  }

  async hasBlock(blockNumber: number): Promise<boolean> {
    this.#answer();
    return blockNumber >= this.oldestBlock && blockNumber <= this.blockNumber;
  }

  async logs({
    address,
    topics,
    fromBlock,
    toBlock,
  }: Parameters<EvmChain['logs']>[0]): Promise<readonly EvmLog[]> {
    this.#answer();
    const isWanted = (log: EvmLog) =>
      (address === null || log.address.toLowerCase() === address.toLowerCase()) &&
      topics.every(
        (wanted, index) =>
          wanted === null ||
          (Array.isArray(wanted) ? wanted : [wanted]).includes(log.topics[index] ?? '0x'),
      );
    return this.#blocks
      .slice(fromBlock, toBlock + 1)
      .flatMap(({ transactions }) => transactions.flatMap(({ logs }) => logs))
      .filter(isWanted);
  }

  /** Every event so far, for tests that count. */
  allLogs(): readonly EvmLog[] {
    return this.#blocks.flatMap(({ transactions }) => transactions.flatMap(({ logs }) => logs));
  }

  #answer(): void {
    if (this.isDown)
      throw new AppError('chain_unavailable', 'the chain does not answer', { retryable: true });
  }

  #find(hash: Hex): { readonly number: number; readonly logs: readonly EvmLog[] } | null {
    for (const [number, { transactions }] of this.#blocks.entries()) {
      const found = transactions.find(({ transaction }) => transaction.hash === hash);
      if (found !== undefined) return { number, logs: found.logs };
    }
    return null;
  }
}
