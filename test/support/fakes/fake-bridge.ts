import { BRIDGE } from '../../../config/limits/bridge.ts';
import type { BridgeTransfer, BridgeTransferStatus } from '../../../src/domain/deposit.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import type { Bridge, BridgeAsset } from '../../../src/ports/bridge.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Hex } from '../../../src/ports/evm.ts';
import type { FakeChain } from './fake-chain.ts';

/** What the fake bridge takes. */
const USDC_ON_BASE: BridgeAsset = {
  chain: 'BASE',
  chainId: '8453',
  symbol: 'USDC',
  name: 'USD Coin',
  tokenAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  decimals: 6,
  minimumUsd: '2',
};

interface Payment {
  readonly address: string;
  readonly wallet: Address;
  readonly token: string;
  readonly amount: string;
  /** `lies`: says that it has paid, and has not. */
  readonly script: 'credited' | 'refused' | 'lies' | 'stuck';
  status: BridgeTransferStatus;
  hash: Hex | null;
  readonly createdAtMs: number;
}

const NEXT: Readonly<Record<BridgeTransferStatus, BridgeTransferStatus>> = {
  detected: 'processing',
  processing: 'origin_confirmed',
  origin_confirmed: 'submitted',
  submitted: 'completed',
  completed: 'completed',
  failed: 'failed',
};

/**
 * A bridge in memory that credits Safes on the fake chain: a step every few seconds. A model, not a
 * mock.
 */
export class FakeBridge implements Bridge {
  readonly payments: Payment[] = [];
  /** While set, it does not answer. */
  isDown = false;
  questions: string[] = [];
  readonly #clock: Clock;
  readonly #chain: FakeChain;
  readonly #wallets = new Map<string, Address>();

  constructor(clock: Clock, chain: FakeChain) {
    this.#clock = clock;
    this.#chain = chain;
  }

  /** Lets it work every four seconds. */
  start(): void {
    this.#clock.after(4_000, () => {
      this.work();
      this.start();
    });
  }

  /**
   * Another wallet pays to a deposit address; `hash` names the transaction that credits it, where
   * the chain has it already.
   */
  pay(
    address: string,
    amount: string,
    {
      token = USDC_ON_BASE.tokenAddress,
      script = 'credited',
      hash = null,
    }: {
      readonly token?: string;
      readonly script?: Payment['script'];
      readonly hash?: Hex | null;
    } = {},
  ): void {
    const wallet = this.#wallets.get(address);
    if (wallet === undefined) throw new Error(`${address} is an address of this bridge`);
    this.payments.push({
      address,
      wallet,
      token,
      amount,
      script,
      status: 'detected',
      hash,
      createdAtMs: this.#clock.nowMs(),
    });
  }

  /** The chains these payments were made on take them back. */
  takeBack(address: string): void {
    this.payments.splice(
      0,
      this.payments.length,
      ...this.payments.filter((payment) => payment.address !== address),
    );
  }

  /** Moves every payment a step. */
  work(): void {
    for (const payment of this.payments) {
      if (payment.script === 'stuck' && payment.status === 'processing') continue;
      payment.status =
        payment.script === 'refused' && payment.status === 'processing'
          ? 'failed'
          : NEXT[payment.status];
      if (payment.status === 'submitted' && payment.script === 'credited' && payment.hash === null)
        payment.hash = this.#chain.mint(
          this.#chain.contracts.collateral,
          payment.wallet,
          BigInt(payment.amount),
        );
      if (payment.status === 'completed' && payment.script === 'lies')
        payment.hash = `0x${'de'.repeat(32)}`;
    }
  }

  async supportedAssets(): Promise<readonly BridgeAsset[]> {
    this.#answer('assets');
    return [USDC_ON_BASE];
  }

  async depositAddresses(wallet: Address) {
    this.#answer('addresses');
    const evm = `0xd${wallet.slice(3)}`;
    const addresses = {
      evm,
      solana: `S${wallet.slice(3)}`,
      bitcoin: `B${wallet.slice(3)}`,
      tron: `T${wallet.slice(3)}`,
    };
    for (const address of Object.values(addresses))
      this.#wallets.set(address, asId<Address>(wallet));
    return addresses;
  }

  async status(address: string): Promise<readonly BridgeTransfer[]> {
    this.#answer(address);
    return this.payments
      .filter((payment) => payment.address === address)
      .slice(-BRIDGE.transfersMaximum)
      .map(({ token, amount, status, hash, createdAtMs }) => ({
        chainId: USDC_ON_BASE.chainId,
        tokenAddress: token,
        amount,
        status,
        transactionHash: hash === null ? null : `0x${hash.slice(2).toUpperCase()}`,
        createdAtMs: status === 'detected' ? null : createdAtMs,
      }));
  }

  #answer(question: string): void {
    this.questions.push(question);
    if (this.isDown)
      throw new AppError('bridge_unavailable', 'the bridge does not answer', { retryable: true });
  }
}
