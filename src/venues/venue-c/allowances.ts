import { VENUE_C_ALLOWANCE } from '../../../config/limits/venue-c.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import { chainAccountOf } from '../../domain/cash.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address, type UserId } from '../../domain/ids.ts';
import type { TradeSide } from '../../domain/order.ts';
import { isTransactionOver, type TransactionRecord } from '../../domain/transaction.ts';
import type { EvmClients } from '../../ports/chain-clients.ts';
import type { TransactionDraft } from '../../services/transactions/transaction-records.ts';
import type { TransactionQueue } from '../../services/transactions/transactions.ts';
import {
  allowanceCall,
  approvalQuestion,
  callsBody,
  uintOf,
} from '../../services/wallets/contract-calls.ts';
import { isSameAddress, type Allowance } from '../../services/wallets/contracts.ts';
import type { Accounts } from './accounts.ts';
import { VENUE_C_ID } from './id.ts';

/** What an order is to be settled by. */
interface OrderContracts {
  readonly side: TradeSide;
  /** The exchange it is signed for. */
  readonly exchange: string;
  /** Of a market of a group; null elsewhere. */
  readonly adapter: string | null;
}

/** The rights that wallets give the venue's contracts before they trade. */
export interface Allowances {
  /**
   * Resolves once the wallet has given the rights an order needs (venue_c.md section 5): those that
   * are missing are sent by the account's own queue and waited for, so long as people wait. Errors:
   * `wallet_not_ready` (retryable while a right is on its way), `chain_unavailable`,
   * `limit_reached`, `store_unavailable`.
   */
  ensure(userId: UserId, order: OrderContracts): Promise<void>;
  /** The same for an adapter of groups, which takes the shares that it redeems. */
  ensureShares(userId: UserId, adapter: string): Promise<void>;
  /**
   * How many rights an order needs that the wallet has not given. Errors: `wallet_not_ready` for a
   * contract that is not trusted, `chain_unavailable`.
   */
  missing(userId: UserId, order: OrderContracts): Promise<number>;
  /** The venue found a right missing: the chain is asked again. */
  forget(userId: UserId): void;
}

/** Contracts that orders are settled by. */
interface SettlingContracts {
  readonly usdc: string;
  readonly conditionalTokens: string;
  /** Those that the operator trusts; a right is given to no other. */
  readonly exchanges: readonly string[];
  /** Of groups: those to whom shares alone are allowed. */
  readonly adapters: readonly string[];
}

/** What the chain says of rights. */
interface RightsOnChain {
  readonly evm: Pick<EvmClients['evm'], 'call'>;
  readonly accounts: Pick<EvmClients['accounts'], 'allowance'>;
}

/**
 * Creates the rights. They are without end: one for less than the wallet holds would make every
 * order wait for a block, and one for what it holds protects nothing that is there. What protects
 * the wallet is that exchanges are the operator's list, never what a market names, and that they
 * move nothing without an order that the wallet has signed.
 */
export function createAllowances({
  accounts,
  walletOf,
  transactions,
  chain,
  ...contracts
}: SettlingContracts & {
  readonly accounts: Pick<Accounts, 'missing'>;
  readonly walletOf: (userId: UserId) => Promise<Address>;
  readonly transactions: TransactionQueue;
  readonly chain: RightsOnChain;
}): Allowances {
  /** Rights known to be given, by user. */
  const known = new BoundedMap<string, true>(VENUE_C_ALLOWANCE.knownMaximum);
  /** Those who ask at once share one asking. */
  const asking = new Map<string, Promise<void>>();
  /** Counted up where what was known of a user is no longer. */
  const forgotten = new BoundedMap<UserId, number>(VENUE_C_ALLOWANCE.knownMaximum);
  const nameOf = (userId: UserId, right: Allowance): string =>
    `${userId} ${forgotten.get(userId) ?? 0} ${keyOf(right)}`;

  const notKnown = (userId: UserId, needed: readonly Allowance[]) =>
    needed.filter((right) => known.get(nameOf(userId, right)) !== true);

  /** Those of some rights that the chain does not have. */
  async function notGiven(userId: UserId, rights: readonly Allowance[]) {
    if (rights.length === 0) return [];
    const owner = await walletOf(userId);
    const missing: Allowance[] = [];
    for (const right of rights)
      if (await isGiven(chain, owner, right)) known.set(nameOf(userId, right), true);
      else missing.push(right);
    return missing;
  }

  async function give(userId: UserId, side: TradeSide, rights: readonly Allowance[]) {
    const missing = await notGiven(userId, rights);
    if (missing.length === 0) return;
    const owner = await walletOf(userId);
    const [problem] = await accounts.missing(userId);
    if (problem !== undefined) throw new AppError('wallet_not_ready', problem, { retryable: true });
    const records = await transactions.enqueue(
      missing.map((right) => draftOf(transactions, { userId, owner, right, side })),
    );
    const { waitMs, askEveryMs } = VENUE_C_ALLOWANCE;
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += askEveryMs) {
      for (const record of records) assertNotFailed(await transactions.settled(record, askEveryMs));
      const given = await Promise.all(missing.map((right) => isGiven(chain, owner, right)));
      if (given.every((is) => is)) return;
    }
    throw new AppError(
      'wallet_not_ready',
      "your wallet is allowing the venue's exchange to settle your orders; place the order again in some seconds",
      { retryable: true, retryAfterMs: VENUE_C_ALLOWANCE.retryAfterMs },
    );
  }

  async function ensureAll(userId: UserId, side: TradeSide, needed: readonly Allowance[]) {
    const rights = notKnown(userId, needed);
    if (rights.length === 0) return;
    const name = rights.map((right) => nameOf(userId, right)).join(' ');
    const running =
      asking.get(name) ?? give(userId, side, rights).finally(() => asking.delete(name));
    asking.set(name, running);
    await running;
  }

  return {
    ensure: async (userId, order) => ensureAll(userId, order.side, rightsOf(contracts, order)),
    async ensureShares(userId, adapter) {
      assertTrusted(contracts.adapters, adapter);
      await ensureAll(userId, 'sell', [sharesFor(contracts, adapter)]);
    },
    async missing(userId, order) {
      return (await notGiven(userId, notKnown(userId, rightsOf(contracts, order)))).length;
    },
    forget(userId) {
      forgotten.set(userId, (forgotten.get(userId) ?? 0) + 1);
    },
  };
}

/** The rights an order needs (venue_c.md section 5). Errors: `wallet_not_ready`. */
function rightsOf(
  contracts: SettlingContracts,
  { side, exchange, adapter }: OrderContracts,
): readonly Allowance[] {
  assertTrusted(contracts.exchanges, exchange);
  if (adapter !== null) assertTrusted(contracts.adapters, adapter);
  if (side === 'buy')
    return [
      { kind: 'erc20', token: asId<Address>(contracts.usdc), spender: asId<Address>(exchange) },
    ];
  return [exchange, ...(adapter === null ? [] : [adapter])].map((operator) =>
    sharesFor(contracts, operator),
  );
}

/** Errors: `wallet_not_ready`. */
function assertTrusted(trusted: readonly string[], contract: string): void {
  if (trusted.some((known) => isSameAddress(known, contract))) return;
  throw new AppError(
    'wallet_not_ready',
    `no wallet allows the contract ${contract} anything: it is not among those of the settings`,
  );
}

function sharesFor({ conditionalTokens }: SettlingContracts, operator: string): Allowance {
  return {
    kind: 'erc1155',
    token: asId<Address>(conditionalTokens),
    operator: asId<Address>(operator),
  };
}

async function isGiven(chain: RightsOnChain, owner: Address, right: Allowance): Promise<boolean> {
  if (right.kind === 'erc20') {
    const units = await chain.accounts.allowance(right.token, owner, right.spender);
    return units >= VENUE_C_ALLOWANCE.leastUnits;
  }
  return uintOf(await chain.evm.call(right.token, approvalQuestion(owner, right.operator))) > 0n;
}

/**
 * The transaction that gives a right: the one under way for it, if there is one. Errors:
 * `wallet_not_ready` where that failed too often.
 */
function draftOf(
  transactions: Pick<TransactionQueue, 'find'>,
  {
    userId,
    owner,
    right,
    side,
  }: {
    readonly userId: UserId;
    readonly owner: Address;
    readonly right: Allowance;
    readonly side: TradeSide;
  },
): TransactionDraft {
  for (let attempt = 1; attempt <= VENUE_C_ALLOWANCE.attemptsMaximum; attempt += 1) {
    const key = `${VENUE_C_ID} ${keyOf(right)} ${attempt}`;
    const made = transactions.find(userId, key);
    // One that has ended did not give it, or it was taken back since.
    if (made !== null && isTransactionOver(made.state)) continue;
    return {
      userId,
      account: chainAccountOf('usdc:base', owner),
      purpose: {
        owner: 'venue',
        kind: 'venue_call',
        data: { venue: VENUE_C_ID, side, data: { allows: keyOf(right) } },
      },
      body: callsBody([allowanceCall(right)]),
      key,
    };
  }
  throw new AppError(
    'wallet_not_ready',
    `the right ${keyOf(right)} was given ${VENUE_C_ALLOWANCE.attemptsMaximum} times and is missing`,
  );
}

/** Errors: `wallet_not_ready`. */
function assertNotFailed({ state, reason }: TransactionRecord): void {
  if (state !== 'failed') return;
  throw new AppError(
    'wallet_not_ready',
    `your wallet could not allow the venue's exchange to settle your orders: ${reason ?? 'no reason'}`,
    { retryable: true, retryAfterMs: VENUE_C_ALLOWANCE.retryAfterMs },
  );
}

function keyOf(right: Allowance): string {
  return right.kind === 'erc20' ? `usdc:${right.spender}` : `shares:${right.operator}`;
}
