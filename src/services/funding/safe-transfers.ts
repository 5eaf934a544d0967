import { SAFE_TRANSFER, WITHDRAWAL } from '../../../config/limits/funds.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address, type TransactionId, type UserId } from '../../domain/ids.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import { formatMicros, usdcMicros, type UsdcMicros } from '../../domain/units.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { EvmCall, EvmChain } from '../../ports/evm.ts';
import type { Permits } from '../../ports/permits.ts';
import { audit, auditRefusal } from '../audit.ts';
import { transactionByKey, openTransactions } from '../transactions/transaction-records.ts';
import {
  purposeFor,
  progressOf,
  requestTransaction,
  transactionViews,
  type TransactionProgress,
  type TransactionViews,
} from '../transactions/transaction-requests.ts';
import { assertUnreserved, reservesBefore, reservesOf } from '../transactions/wallet-reserves.ts';
import {
  approveCall,
  callsBody,
  permitCall,
  transferFromCall,
  wrapCall,
} from '../wallets/contract-calls.ts';
import {
  isSameAddress,
  safeAccount,
  symbolOf,
  type DollarToken,
  type MoneyContracts,
} from '../wallets/contracts.ts';
import type { Onboarding } from '../wallets/onboarding.ts';
import type { Transactions } from '../transactions/transactions.ts';

/** Dollars a user wants in their Safe. */
interface TransferRequest {
  /** Symbol or address of one of the venue chain's dollars. */
  readonly token: string;
  readonly amount: UsdcMicros;
  /** The same key gives the same transfer. */
  readonly key?: string;
}

/**
 * How far a transfer has come: `queued` here, `sent` to the chain, `settled` there and in the
 * books, or `failed`: nothing moved, or what did is wrapped later.
 */
export interface TransferView extends TransactionProgress {
  readonly transferId: TransactionId;
  readonly token: string;
  readonly amount: UsdcMicros;
  readonly to: Address;
}

/**
 * Dollars of the owner's EVM wallet into the Safe, gasless by the owner's permit; plain ones become
 * the venue's collateral on the way.
 */
export interface SafeTransfers extends TransactionViews<TransferView> {
  /**
   * Resolves with the chain's word, or how far it is after some seconds. What arrives is booked
   * with its end, as the deposit it is. Errors, nothing having moved: `invalid_request` for a token
   * that is not one of these or takes no permit, `amount_too_small`, `insufficient_funds`,
   * `conflict` while another transfer is under way, `wallet_not_ready`, `chain_unavailable`,
   * `limit_reached`, `store_unavailable`.
   */
  transfer(userId: UserId, request: TransferRequest): Promise<TransferView>;
}

export interface SafeTransferDeps extends Pick<Runtime, 'store' | 'commit' | 'clock'> {
  readonly transactions: Transactions;
  readonly onboarding: Pick<Onboarding, 'safeOf' | 'assertReady'>;
  readonly chain: Pick<EvmChain, 'balances'>;
  readonly permits: Permits;
  readonly contracts: Pick<MoneyContracts, 'collateral' | 'onramp' | 'dollars'>;
  readonly ownerOf: (userId: UserId) => Address;
  readonly loadKeys: (userId: UserId) => Promise<unknown>;
}

/** Makes the service. */
export function createSafeTransfers(deps: SafeTransferDeps): SafeTransfers {
  const viewOf = (record: TransactionRecord): TransferView => view(record, deps.contracts);
  return {
    ...transactionViews(deps.store, 'transfer', viewOf),
    async transfer(userId, request) {
      const { key, amount } = request;
      // Not a token of a person's choosing: its name could be any text.
      const wanted = {
        userId,
        action: 'transfer_refused',
        detail: `${formatMicros(amount)} of the EVM wallet`,
      } as const;
      const terms = { kind: 'transfer', key, waitMs: WITHDRAWAL.answerWithinMs } as const;
      return viewOf(
        await requestTransaction(deps.transactions, userId, terms, () =>
          auditRefusal(deps, wanted, () => intend(deps, userId, request)),
        ),
      );
    },
  };
}

async function intend(
  deps: SafeTransferDeps,
  userId: UserId,
  { token, amount, key }: TransferRequest,
): Promise<TransactionRecord> {
  const { onboarding, transactions, contracts, clock, commit } = deps;
  const dollar = contracts.dollars.find(
    ({ symbol, address }) =>
      symbol.toLowerCase() === token.toLowerCase() || isSameAddress(address, token),
  );
  if (dollar === undefined)
    throw refused(`none of ${contracts.dollars.map(({ symbol }) => symbol).join(', ')}`);
  const least = usdcMicros(SAFE_TRANSFER.minimumMicros);
  if (amount < least)
    throw new AppError(
      'amount_too_small',
      `a transfer is at least ${formatMicros(least)} ${dollar.symbol}`,
      { fields: [{ path: '/amount', message: `at least ${formatMicros(least)}` }] },
    );
  onboarding.assertReady(userId);
  assertAlone(deps.store, userId);
  const before = reservesBefore(deps.store, userId);
  const { calls, held } = await callsOf(deps, userId, { dollar, amount });
  const wallet = {
    chain: 'POLYGON',
    wallet: deps.ownerOf(userId),
    demands: [
      { token: dollar.address, symbol: dollar.symbol, decimals: 6, held, units: BigInt(amount) },
    ],
  } as const;
  const draft = {
    userId,
    account: safeAccount(onboarding.safeOf(userId)),
    purpose: {
      owner: 'safe',
      kind: 'transfer',
      data: { token: dollar.address, amount },
    } as const,
    body: callsBody(calls),
    reserves: reservesOf(wallet),
    key,
  };
  return commit((tx) => {
    // Two permits at once would carry the same number, and the second would be worth nothing.
    if (transactionByKey(tx, userId, key) === null) {
      assertAlone(tx, userId);
      assertUnreserved(tx, userId, { ...wallet, before, path: '/amount' });
    }
    return transactions.intend(tx, draft, ({ transactionId }) =>
      audit(tx, {
        userId,
        atMs: clock.nowMs(),
        action: 'transfer_requested',
        subject: transactionId,
        detail: `${formatMicros(amount)} ${dollar.symbol}`,
      }),
    );
  });
}

/**
 * Permit, take, and where it is not the venue's collateral turn into it: as a whole or not at all.
 * Resolves also with what the owner's wallet holds.
 */
async function callsOf(
  deps: SafeTransferDeps,
  userId: UserId,
  { dollar, amount }: { readonly dollar: DollarToken; readonly amount: UsdcMicros },
): Promise<{ readonly calls: readonly EvmCall[]; readonly held: bigint }> {
  const { chain, permits, contracts, clock } = deps;
  const owner = deps.ownerOf(userId);
  const safe = deps.onboarding.safeOf(userId);
  const {
    tokens: [held = 0n],
  } = await chain.balances(owner, [dollar.address]);
  const units = BigInt(amount);
  if (held < units) {
    const free = formatMicros(usdcMicros(Number(held)));
    throw new AppError(
      'insufficient_funds',
      `your wallet ${owner} holds ${free} ${dollar.symbol}`,
      { fields: [{ path: '/amount', message: `at most ${free}` }] },
    );
  }
  await deps.loadKeys(userId);
  const deadlineSeconds = Math.ceil((clock.nowMs() + SAFE_TRANSFER.permitLifeMs) / 1_000);
  const permit = await permits.sign(userId, {
    token: dollar.address,
    spender: safe,
    amount: units,
    deadlineSeconds,
  });
  if (permit === null)
    throw refused(
      `${dollar.symbol} takes no permits on this chain, so it cannot be moved without native coin`,
    );
  const taking = [
    permitCall(permit),
    transferFromCall(dollar.address, { from: owner, to: safe, amount: units }),
  ];
  if (isSameAddress(dollar.address, contracts.collateral)) return { calls: taking, held };
  const wrapping = [
    approveCall(dollar.address, contracts.onramp, units),
    wrapCall(contracts.onramp, { asset: dollar.address, to: safe, amount: units }),
  ];
  return { calls: [...taking, ...wrapping], held };
}

function assertAlone(reader: Parameters<typeof openTransactions>[0], userId: UserId): void {
  if (openTransactions(reader, userId).some(({ purpose }) => purpose.kind === 'transfer'))
    throw new AppError('transfer_in_progress', 'another transfer to your Safe is under way', {
      retryable: true,
    });
}

function refused(what: string): AppError {
  return new AppError('invalid_request', `token: ${what}`, {
    fields: [{ path: '/token', message: what }],
  });
}

function view(
  record: TransactionRecord,
  { dollars }: Pick<MoneyContracts, 'dollars'>,
): TransferView {
  const { token, amount } = purposeFor(record, 'transfer').data;
  return {
    transferId: record.transactionId,
    token: symbolOf(dollars, token),
    amount,
    to: asId<Address>(record.account.address),
    ...progressOf(record),
  };
}
