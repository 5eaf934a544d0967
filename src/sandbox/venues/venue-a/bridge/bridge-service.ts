import { encodeFunctionData, getAddress, type Hex } from 'viem';
import { BRIDGE_MODEL } from '../../../../../config/limits/sandbox-chains.ts';
import { AppError } from '../../../../domain/errors.ts';
import type { Clock, Timer } from '../../../../ports/clock.ts';
import { VENUE_A_CHAIN } from '../chain/chain-addresses.ts';
import { chainAccount } from '../../../chains/evm/chain-keys.ts';
import { TOKEN_ABI } from '../../../chains/evm/contract-abis.ts';
import {
  creditMicros,
  isTransferOver,
  nextBridgeState,
  NON_EVM,
  type BridgeTransfer,
} from './bridge-model.ts';
import type { FaultBoard } from '../../../faults.ts';
import type { RecordStore } from '../../../storage/record-store.ts';
import { AccountQueue, type QueuedTransaction } from '../../../chains/evm/account-queue.ts';
import { bridgeAddresses, type BridgeAddresses } from './bridge-addresses.ts';
import { confirmationsOf, pollEvm, type SeenPayment } from './bridge-evm-watch.ts';
import { createSolanaWatch } from './bridge-solana-watch.ts';
import type { DeployedChain } from '../../../chains/evm/deploy-chain.ts';

/** A wallet that asked for deposit addresses. */
interface BridgeWallet {
  readonly wallet: Hex;
}

export interface BridgeServiceOptions {
  /**
   * Where credits are paid, by the sandbox's bridge account alone; payments there count as well.
   */
  readonly polygon: DeployedChain;
  readonly base: DeployedChain;
  readonly solanaRpcUrl: string;
  readonly faults: FaultBoard;
  readonly clock: Clock;
  /** A whole bitcoin in millionths of a dollar now. */
  readonly btcUsdMicros: () => bigint;
  /** What the bridge remembers over a stop: wallets, transfers, and the queue of its account. */
  readonly wallets: RecordStore<BridgeWallet>;
  readonly transfers: RecordStore<BridgeTransfer>;
  readonly transactions: RecordStore<QueuedTransaction>;
}

/**
 * Watches deposit addresses, and pays for each payment once: the credit is signed and kept before
 * it is sent, under the payment's own name. Chains without a node here (Ethereum, Arbitrum,
 * Optimism, BSC, Bitcoin, Tron) are modelled: `pay` receives payments there.
 */
export class BridgeService {
  readonly #options: BridgeServiceOptions;
  readonly #queue: AccountQueue;
  readonly #solana: ReturnType<typeof createSolanaWatch>;
  readonly #walletOf = new Map<string, Hex>();
  readonly #open = new Map<string, BridgeTransfer>();
  readonly #scannedTo = new Map<number, number>();
  #running: Promise<void> | null = null;
  #timer: Timer | null = null;
  #waitMs: number = BRIDGE_MODEL.pollMs;
  #isClosed = false;

  constructor(options: BridgeServiceOptions) {
    this.#options = options;
    this.#solana = createSolanaWatch(options.solanaRpcUrl);
    this.#queue = new AccountQueue({
      client: options.polygon.node.client,
      account: chainAccount(options.polygon.seed, 'bridge'),
      records: options.transactions,
      clock: options.clock,
    });
    for (const { wallet } of options.wallets.all()) this.#know(wallet);
    for (const transfer of options.transfers.all())
      if (!isTransferOver(transfer.state)) this.#open.set(transfer.id, transfer);
    this.#schedule();
  }

  /** The wallet's addresses: the same each time. Errors: `limit_reached`. */
  addressesOf(wallet: Hex): BridgeAddresses {
    const { wallets } = this.#options;
    const name = wallet.toLowerCase();
    if (wallets.get(name) === null) {
      if (wallets.size() >= BRIDGE_MODEL.walletsMaximum)
        throw new AppError('limit_reached', 'the bridge takes no more wallets');
      wallets.put(name, { wallet });
    }
    return this.#know(wallet);
  }

  /** Transfers to an address, oldest first. */
  transfersTo(address: string): readonly BridgeTransfer[] {
    const name = address.startsWith('0x') ? address.toLowerCase() : address;
    return this.#options.transfers
      .all()
      .filter((transfer) => nameOf(transfer.address) === name)
      .slice(-BRIDGE_MODEL.listedMaximum);
  }

  isOurs(address: string): boolean {
    return this.#walletOf.has(nameOf(address));
  }

  /** True for a chain whose payments are seen there, false for one that is modelled. */
  hasNode(chainId: string): boolean {
    return chainId === '137' || chainId === '8453';
  }

  /**
   * Makes test dollars at an address, as though a wallet had paid them. Errors:
   * `chain_unavailable`, `chain_reverted`.
   */
  async makePayment(
    chainId: string,
    { address, token, amount }: Omit<SeenPayment, 'id'>,
  ): Promise<Hex> {
    const data = encodeFunctionData({
      abi: TOKEN_ABI,
      functionName: 'mint',
      args: [getAddress(address), BigInt(amount)],
    });
    const { transactionHash } = await this.#chainOf(chainId)
      .sender('deployer')
      .send({ to: getAddress(token), data });
    return transactionHash;
  }

  /** Takes in a payment to an address of the bridge; one that is known already changes nothing. */
  pay(chainId: string, { id, address, token, amount }: SeenPayment): void {
    const { transfers, clock, btcUsdMicros } = this.#options;
    const wallet = this.#walletOf.get(nameOf(address));
    if (wallet === undefined || transfers.get(id) !== null) return;
    if (transfers.size() >= BRIDGE_MODEL.transfersMaximum)
      throw new AppError('limit_reached', 'the bridge remembers no more transfers');
    const credit = creditMicros({ chainId, token, amount }, btcUsdMicros());
    this.#put({
      id,
      address,
      wallet,
      chainId,
      token,
      amount,
      creditMicros: credit?.toString() ?? null,
      state: 'DEPOSIT_DETECTED',
      creditHash: null,
      seenAtMs: clock.nowMs(),
    });
  }

  /**
   * Looks once at every chain and moves each transfer a step at most; runs by itself as well.
   * Errors: those of the chains.
   */
  async work(): Promise<void> {
    await this.#running;
    this.#running = this.#poll().finally(() => (this.#running = null));
    await this.#running;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    // Whoever asked for a poll received its failure.
    await this.#running?.catch(() => undefined);
    await this.#queue.close();
    this.#options.wallets.close();
    this.#options.transfers.close();
  }

  #know(wallet: Hex): BridgeAddresses {
    const addresses = bridgeAddresses(this.#options.polygon.seed, wallet);
    for (const address of Object.values(addresses)) this.#walletOf.set(nameOf(address), wallet);
    return addresses;
  }

  #chainOf(chainId: string): DeployedChain {
    return chainId === '137' ? this.#options.polygon : this.#options.base;
  }

  #put(transfer: BridgeTransfer): void {
    this.#options.transfers.put(transfer.id, transfer);
    if (isTransferOver(transfer.state)) this.#open.delete(transfer.id);
    else this.#open.set(transfer.id, transfer);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.after(this.#waitMs, () => {
      void this.work()
        .then(
          () => (this.#waitMs = BRIDGE_MODEL.pollMs),
          () => (this.#waitMs = Math.min(this.#waitMs * 2, BRIDGE_MODEL.pollMaximumMs)),
        )
        .then(() => this.#schedule());
    });
  }

  async #poll(): Promise<void> {
    const { polygon, base, faults } = this.#options;
    const wallets = this.#options.wallets
      .all()
      .map(({ wallet }) => bridgeAddresses(polygon.seed, wallet));
    if (wallets.length === 0 && this.#open.size === 0) return;
    // What is seen now is moved by the next poll, so that every status can be seen from outside.
    const waiting = [...this.#open.values()];
    const heads = new Map<string, number>();
    for (const { node } of [polygon, base]) {
      const { head, payments } = await pollEvm(node.client, {
        sinceBlock: this.#scannedTo.get(node.chainId) ?? 0,
        addresses: wallets.map(({ evm }) => evm),
      });
      for (const payment of payments) this.pay(String(node.chainId), payment);
      this.#scannedTo.set(node.chainId, head);
      heads.set(String(node.chainId), head);
    }
    await this.#solana.poll(
      wallets.map(({ svm }) => svm),
      (payment) => this.pay(NON_EVM.solana, payment),
    );
    for (const transfer of waiting) {
      if (!faults.isArmed('bridge-stuck', { address: transfer.address }))
        await this.#advance(transfer, heads);
    }
  }

  async #advance(transfer: BridgeTransfer, heads: ReadonlyMap<string, number>): Promise<void> {
    const confirmations = await this.#confirmationsOf(transfer, heads);
    // The chain took the payment back before it was paid for: it did not happen.
    if (
      confirmations === 0 &&
      (transfer.state === 'DEPOSIT_DETECTED' || transfer.state === 'PROCESSING')
    ) {
      this.#options.transfers.remove(transfer.id);
      this.#open.delete(transfer.id);
      return;
    }
    if (
      transfer.state === 'PROCESSING' &&
      this.#options.faults.take('bridge-failed', { address: transfer.address }) !== null
    ) {
      this.#put({ ...transfer, state: 'FAILED' });
      return;
    }
    if (transfer.state === 'ORIGIN_TX_CONFIRMED') await this.#credit(transfer);
    const credit = this.#queue.get(transfer.id);
    const result =
      credit === null
        ? 'none'
        : credit.state === 'refused' || (credit.state === 'reverted' && this.#queue.isFinal(credit))
          ? 'failed'
          : credit.state === 'succeeded' && this.#queue.isFinal(credit)
            ? 'done'
            : 'open';
    const state = nextBridgeState(transfer, {
      isOriginFinal: confirmations >= BRIDGE_MODEL.originConfirmations,
      credit: result,
    });
    const creditHash = credit?.signed?.hash ?? transfer.creditHash;
    if (state !== transfer.state || creditHash !== transfer.creditHash)
      this.#put({ ...transfer, state, creditHash });
  }

  /**
   * Hands the credit to the queue under the payment's name: what is there already was handed over
   * before.
   */
  async #credit({ id, wallet, creditMicros: micros }: BridgeTransfer): Promise<void> {
    if (micros === null || this.#queue.get(id) !== null) return;
    await this.#fillFloat();
    this.#queue.enqueue(id, {
      to: VENUE_A_CHAIN.collateral,
      data: encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'transfer',
        args: [wallet, BigInt(micros)],
      }),
    });
  }

  async #fillFloat(): Promise<void> {
    const { polygon } = this.#options;
    const held = await polygon.node.client.readContract({
      address: VENUE_A_CHAIN.collateral,
      abi: TOKEN_ABI,
      functionName: 'balanceOf',
      args: [this.#queue.address],
    });
    if (held >= BigInt(BRIDGE_MODEL.floatMinimumMicros)) return;
    await polygon.sender('deployer').send({
      to: VENUE_A_CHAIN.collateral,
      data: encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'mint',
        args: [this.#queue.address, BigInt(BRIDGE_MODEL.floatMicros)],
      }),
    });
  }

  async #confirmationsOf(
    { id, chainId, seenAtMs }: BridgeTransfer,
    heads: ReadonlyMap<string, number>,
  ): Promise<number> {
    const head = heads.get(chainId);
    if (head !== undefined) return confirmationsOf(this.#chainOf(chainId).node.client, id, head);
    if (chainId === NON_EVM.solana) return BRIDGE_MODEL.originConfirmations;
    const waitMs =
      chainId === NON_EVM.bitcoin ? BRIDGE_MODEL.bitcoinMs : BRIDGE_MODEL.otherChainsMs;
    return this.#options.clock.nowMs() - seenAtMs >= waitMs ? BRIDGE_MODEL.originConfirmations : 1;
  }
}

function nameOf(address: string): string {
  return address.startsWith('0x') ? address.toLowerCase() : address;
}
