import { encodeFunctionData, type Hex } from 'viem';
import { CHAIN_VENUE } from '../../../../../config/limits/sandbox-chains.ts';
import type { Address, TradeId } from '../../../../domain/ids.ts';
import type { Clock, Timer } from '../../../../ports/clock.ts';
import { VENUE_A_CHAIN } from '../chain/chain-addresses.ts';
import { chainAccount } from '../../../chains/evm/chain-keys.ts';
import { TOKEN_ABI } from '../../../chains/evm/contract-abis.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import type { ExchangeMarket } from '../../../engine/exchange-types.ts';
import type { RecordStore } from '../../../storage/record-store.ts';
import { AccountQueue, type QueuedTransaction } from '../../../chains/evm/account-queue.ts';
import type { ChainAllowances } from './chain-allowances.ts';
import { createChainCleaner } from './clear-chain.ts';
import { ChainLedger } from './chain-ledger.ts';
import type { ChainSettler } from './chain-settler.ts';
import { keepConditions } from './condition-keeper.ts';
import { openMarketMaker } from './market-maker.ts';
import { makeTradable } from './trading-wallet.ts';
import type { DeployedChain } from '../../../chains/evm/deploy-chain.ts';

/** A venue whose users' money is on a chain. */
export interface ChainVenue {
  /**
   * Gives collateral to an address on the chain; resolves when the venue sees it. Errors:
   * `chain_unavailable`, `chain_reverted`.
   */
  mint(to: Address, micros: number): Promise<void>;
  /**
   * Gives an address coins and the allowances of the exchanges; resolves when the venue sees them.
   * Errors: `chain_reverted`.
   */
  makeTradable(wallet: Address): Promise<void>;
  /** Resolves once everything the chain says now has been taken over. */
  caughtUp(): Promise<void>;
  stop(): Promise<void>;
}

const ROLES = ['deployer', 'relayer', 'operator', 'bridge', 'oracle', 'fees'] as const;

/**
 * Joins them: conditions follow the listings, trades go to the chain, balances and settlements come
 * from it. Errors: `chain_unavailable`.
 */
export async function startChainVenue({
  chain,
  exchange,
  settler,
  allowances,
  questionIdOf,
  transactions,
  clock,
}: {
  readonly chain: DeployedChain;
  readonly exchange: VenueModel;
  /** The one the venue was made with. */
  readonly settler: ChainSettler;
  /** Those the venue goes by. */
  readonly allowances: ChainAllowances;
  readonly questionIdOf: (market: ExchangeMarket) => string;
  /** Transactions of the operator's account. */
  readonly transactions: RecordStore<QueuedTransaction>;
  /** The chains' time. */
  readonly clock: Clock;
}): Promise<ChainVenue> {
  const maker = await openMarketMaker(chain);
  const strangers = [maker.account.address, ...ROLES.map((role) => chain.sender(role).address)];
  const cleaner = createChainCleaner(chain.node.client, strangers);
  const conditions = keepConditions(chain, exchange, { questionIdOf, cleaner });
  const ledger = new ChainLedger(chain, {
    strangers,
    known: () => exchange.chainHoldings(),
  });
  const queue = new AccountQueue({
    client: chain.node.client,
    account: chainAccount(chain.seed, 'operator'),
    records: transactions,
    clock,
  });
  const polling = createPolling(async () => {
    await takeOver({ exchange, settler, allowances, ledger, queue });
    await conditions.update(ledger.head);
    await settler.send({ queue, maker, cleaner, isTradable: conditions.isTradable });
  }, clock);
  await polling.now();
  return {
    async mint(to, micros) {
      const data = encodeFunctionData({
        abi: TOKEN_ABI,
        functionName: 'mint',
        args: [to as string as Hex, BigInt(micros)],
      }); // an Address is 0x hex
      await chain.sender('deployer').send({ to: VENUE_A_CHAIN.collateral, data });
      await polling.now();
    },
    async makeTradable(wallet) {
      await makeTradable(chain, wallet as string as Hex); // an Address is 0x hex
      await polling.now();
    },
    caughtUp: () => polling.now(),
    async stop() {
      await polling.stop();
      conditions.stop();
      await queue.close();
    },
  };
}

/**
 * One poll after the other, again and again; a node that does not answer is asked again at the
 * next.
 */
function createPolling(
  poll: () => Promise<void>,
  clock: Clock,
): { now(): Promise<void>; stop(): Promise<void> } {
  let timer: Timer | null = null;
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  const again = (): void => {
    if (isStopped) return;
    timer = clock.after(CHAIN_VENUE.pollMs, () => {
      running = running
        .then(poll)
        .catch(() => undefined)
        .then(again);
    });
  };
  again();
  return {
    now() {
      const polled = running.then(poll);
      running = polled.catch(() => undefined);
      return polled;
    },
    async stop() {
      isStopped = true;
      timer?.cancel();
      await running;
    },
  };
}

/** Has the venue take over what the chain says anew. */
async function takeOver({
  exchange,
  settler,
  allowances,
  ledger,
  queue,
}: {
  readonly exchange: VenueModel;
  readonly settler: ChainSettler;
  readonly allowances: ChainAllowances;
  readonly ledger: ChainLedger;
  readonly queue: AccountQueue;
}): Promise<void> {
  const span = await ledger.read();
  const changed = span === null ? null : allowances.take(span.allowances, span.isAnew);
  const carriers = settler.carriers(queue);
  const landed = new Map<TradeId, number>();
  for (const [hash, block] of span?.transactions ?? []) {
    const tradeId = carriers.get(hash);
    if (tradeId !== undefined) landed.set(tradeId, block);
  }
  const words = settler.hear(queue, {
    landed,
    head: ledger.head,
    isAnew: span?.isAnew ?? false,
  });
  if (words.length > 0 || span !== null)
    exchange.takeNews({ words, balances: span?.balances ?? [], movements: span?.movements ?? [] });
  if (changed !== null) exchange.allowancesChanged(changed);
}
