import { TOKEN_TRANSFER } from '../../../config/limits/funds.ts';
import { addressKey } from '../../domain/chain-address.ts';
import { scaledDecimal } from '../../domain/decimal-text.ts';
import { AppError } from '../../domain/errors.ts';
import type { GasPaid } from '../../domain/fill.ts';
import type { TransactionId, UserId } from '../../domain/ids.ts';
import { formatTokenAmount, worthMicros } from '../../domain/token-amount.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import { usdcMicros } from '../../domain/units.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreReader } from '../../ports/store.ts';
import { audit, auditRefusal } from '../audit.ts';
import { openHold } from '../books/holds.ts';
import type { CodeSent, Codes, OwnPurpose } from '../sign-in/codes.ts';
import { REMOVED_ADDRESSES } from '../sign-in/tables.ts';
import { phoneOf } from '../sign-in/user-phone.ts';
import type { TokenPrices } from '../tokens/token-prices.ts';
import { reserveOut } from '../transactions/daily-out.ts';
import { sendsSince } from '../transactions/sends-since.ts';
import { transactionByKey } from '../transactions/transaction-records.ts';
import {
  purposeFor,
  progressOf,
  requestTransaction,
  transactionViews,
  type TransactionProgress,
  type TransactionViews,
} from '../transactions/transaction-requests.ts';
import {
  assertUnreserved,
  reservesBefore,
  reservesOf,
  type DemandedWallet,
} from '../transactions/wallet-reserves.ts';
import type { Transactions } from '../transactions/transactions.ts';
import { DAILY_OUT } from '../transactions/tables.ts';
import { assertMayLeave } from './stopped-money.ts';
import { badField, type Sending, type TransferChain } from './transfer-chains.ts';

/** A transfer a user asks for. */
interface TokenTransferRequest {
  readonly chain: Web3ChainId;
  /** Symbol or address. */
  readonly token: string;
  /** Decimal text, in whole tokens. */
  readonly amount: string;
  readonly to: string;
}

/** What proves that the phone's owner wants it; null for what is missing. */
interface TransferProof {
  readonly challengeId: string | null;
  readonly code: string | null;
}

/**
 * How far a transfer has come: `queued` here, `sent` to the chain, `settled` there, or `failed`:
 * nothing but fees has moved.
 */
export interface TokenTransferView extends TransactionProgress {
  readonly transferId: TransactionId;
  readonly chain: Web3ChainId;
  /** Its ticker, or the address of one that nothing vouches for. */
  readonly token: string;
  /** Null for the chain's own coin. */
  readonly tokenAddress: string | null;
  readonly amount: string;
  readonly to: string;
  /** What the network took for it; absent while that is not known. */
  readonly gas?: GasPaid;
}

/**
 * Tokens of users' own wallets to whomever they name, against a code that is good for this amount
 * to this address alone.
 */
export interface TokenTransfers extends TransactionViews<TokenTransferView> {
  /**
   * Sends the code for one transfer to the user's phone. Errors: those of the request as `transfer`
   * gives them, `phone_required`, and those of `Sessions.requestCode`.
   */
  requestCode(userId: UserId, request: TokenTransferRequest): Promise<CodeSent>;
  /**
   * Holds the amount and sends it; resolves with the chain's word, or how far it is after `waitMs`.
   * Errors, nothing having moved: `invalid_request`, `not_found` for no token, `amount_too_small`,
   * `trading_stopped`, `insufficient_funds`, `chain_reverted` where the chain
   * would not do what was asked, `cap_exceeded` beyond what may leave in a day,
   * `code_required`, `code_invalid`, `code_expired` (also for a code of another transfer),
   * `too_many_attempts`, `idempotency_mismatch`, `chain_unavailable`, `limit_reached`,
   * `store_unavailable`.
   */
  transfer(
    userId: UserId,
    request: TokenTransferRequest,
    given: TransferProof & { readonly key?: string; readonly waitMs: number },
  ): Promise<TokenTransferView>;
}

export interface TokenTransferDeps extends Pick<Runtime, 'store' | 'commit'> {
  readonly transactions: Transactions;
  readonly chains: readonly TransferChain[];
  readonly codes: Codes;
  readonly prices: Pick<TokenPrices, 'newest' | 'warm'>;
  readonly vault: Pick<KeyVault, 'unseal'>;
  /** Wall time. */
  readonly clock: Clock;
  /** Market time, in which the books are kept. */
  readonly marketClock: Clock;
}

const DAY_MS = 86_400_000;

/** Makes the service. */
export function createTokenTransfers(deps: TokenTransferDeps): TokenTransfers {
  const { store, codes } = deps;
  return {
    ...transactionViews(store, 'send', view),
    async requestCode(userId, request) {
      const { sending, on } = await read(deps, userId, request);
      assertMayLeave(store, userId);
      const phone = phoneOf(store, userId);
      const before = reservesBefore(store, userId);
      const { micros, ...wallet } = await payable(deps, on, sending);
      assertUnreserved(store, userId, { ...wallet, before, path: '/amount' });
      assertWithinDay(store, userId, { micros, nowMs: deps.clock.nowMs(), besides: null });
      const purpose = purposeOf(userId, on, sending);
      return codes.requestFor(userId, deps.vault.unseal(phone.sealed), purpose);
    },
    async transfer(userId, request, { key, waitMs, ...proof }) {
      const wanted = {
        userId,
        action: 'send_refused',
        detail: `a transfer on ${request.chain}`,
      } as const;
      return view(
        await requestTransaction(deps.transactions, userId, { kind: 'send', key, waitMs }, () =>
          auditRefusal(deps, wanted, () => intend(deps, userId, { request, proof, key })),
        ),
      );
    },
  };
}

/**
 * Checks, proves, holds and queues; what decides is looked at once more in the one transaction
 * (L5).
 */
async function intend(
  deps: TokenTransferDeps,
  userId: UserId,
  {
    request,
    proof: { challengeId, code },
    key,
  }: {
    readonly request: TokenTransferRequest;
    readonly proof: TransferProof;
    readonly key: string | undefined;
  },
): Promise<TransactionRecord> {
  const { store, codes, transactions, clock, marketClock } = deps;
  const { sending, on } = await read(deps, userId, request);
  assertMayLeave(store, userId);
  if (challengeId === null || code === null)
    throw new AppError(
      'code_required',
      'ask for a code first with POST /api/web3/transfer/code, and send it with its challenge in the headers X-Challenge-Id and X-One-Time-Code',
    );
  const before = reservesBefore(store, userId);
  const { micros, ...wallet } = await payable(deps, on, sending);
  await codes.prove(challengeId, code, purposeOf(userId, on, sending));
  const { token, units, to } = sending;
  const usdc = token.cashAccount === null ? null : usdcMicros(Number(units));
  const draft = {
    userId,
    account: on.accountOf(userId),
    purpose: {
      owner: 'send',
      kind: 'send',
      data: {
        token: token.token,
        symbol: token.symbol,
        decimals: token.decimals,
        units: String(units),
        to,
        usdc,
      },
    } as const,
    body: on.bodyOf(sending),
    reserves: reservesOf(wallet),
    key,
  };
  return deps.commit((tx) => {
    assertMayLeave(tx, userId);
    assertInUse(tx, to);
    if (transactionByKey(tx, userId, key) === null)
      assertUnreserved(tx, userId, { ...wallet, before, path: '/amount' });
    return transactions.intend(tx, draft, ({ transactionId }) => {
      assertWithinDay(tx, userId, { micros, nowMs: clock.nowMs(), besides: transactionId });
      // the code for this very transfer is a proof as fresh as any, so that it is never refused
      // here; it counts for what leaves by other ways
      reserveOut(
        tx,
        {
          userId,
          transactionId,
          micros,
          atMs: clock.nowMs(),
          isFresh: true,
        },
        0,
      );
      codes.use(tx, challengeId);
      if (usdc !== null && token.cashAccount !== null)
        openHold(
          tx,
          {
            userId,
            holdId: transactionId,
            purpose: 'transfer',
            cashAccount: token.cashAccount,
            usdc,
          },
          marketClock.nowMs(),
        );
      audit(tx, {
        userId,
        atMs: clock.nowMs(),
        action: 'send_requested',
        subject: transactionId,
        detail: `${textOf(sending)} on ${on.chain} to ${to}`,
      });
    });
  });
}

/** Reads a request. Its token may be asked of the chain. */
async function read(
  { chains, store }: TokenTransferDeps,
  userId: UserId,
  { chain, token: name, amount, to: recipient }: TokenTransferRequest,
): Promise<{ readonly sending: Sending; readonly on: TransferChain }> {
  const on = chains.find((each) => each.chain === chain);
  if (on === undefined)
    throw badField('/chain', `one of ${chains.map((each) => each.chain).join(', ')}`);
  const to = on.recipientOf(userId, recipient);
  const from = on.accountOf(userId).address;
  if (to === from) throw badField('/to', 'an address other than your own wallet');
  assertInUse(store, to);
  const token = await on.tokenOf(userId, name);
  if ((amount.split('.')[1] ?? '').length > token.decimals)
    throw badField('/amount', `a number of at most ${token.decimals} decimals`);
  const units = scaledDecimal(amount, token.decimals);
  if (units === null || units > UNITS_MAXIMUM)
    throw badField('/amount', `too large: more ${token.symbol} than any wallet holds`);
  if (units < token.minimumUnits) {
    const message = `at least ${formatTokenAmount(token.minimumUnits, token.decimals)} ${token.symbol}`;
    throw new AppError('amount_too_small', `a transfer is ${message}`, {
      fields: [{ path: '/amount', message }],
    });
  }
  return { sending: { from, to, token, units }, on };
}

/** No owner can sign in to a removed account again, for what its wallets hold. */
function assertInUse(reader: StoreReader, to: string): void {
  if (reader.get(REMOVED_ADDRESSES, [addressKey(to)]) !== null)
    throw badField('/to', 'a wallet in use: the account it belonged to was removed');
}

/** What the contracts of tokens count with. */
const UNITS_MAXIMUM = 2n ** 256n - 1n;

/**
 * Has the chain say that it can be paid; resolves with what that takes of the wallet, and with its
 * worth, null where unknown.
 */
async function payable(
  { prices }: TokenTransferDeps,
  on: TransferChain,
  sending: Sending,
): Promise<DemandedWallet & { readonly micros: number | null }> {
  const { chain } = on;
  const priced = [{ chain, address: sending.token.token }];
  const [demands] = await Promise.all([
    on.assertPayable(sending),
    prices.warm(priced, TOKEN_TRANSFER.priceWaitMs),
  ]);
  return { chain, wallet: sending.from, demands, micros: worthOf(prices, chain, sending) };
}

/** What a code is good for: this amount of this token to this address, and nothing else. */
function purposeOf(
  userId: UserId,
  { chain }: TransferChain,
  { token, units, to }: Sending,
): OwnPurpose {
  return `transfer ${userId} ${chain} ${token.token ?? token.symbol} ${units} ${to}`;
}

/** In millionths of a dollar; null where unknown. */
function worthOf(
  prices: Pick<TokenPrices, 'newest'>,
  chain: Web3ChainId,
  { token, units }: Sending,
): number | null {
  const price = prices.newest(chain, token.token);
  return price === null ? null : Number(worthMicros(units, token.decimals, price.priceE18));
}

/** What failed has moved nothing and counts for nothing. */
function assertWithinDay(
  reader: StoreReader,
  userId: UserId,
  {
    micros,
    nowMs,
    besides,
  }: {
    readonly micros: number | null;
    readonly nowMs: number;
    /** The one that is asked about, where it is queued already. */
    readonly besides: TransactionId | null;
  },
): void {
  const sent = sendsSince(reader, userId, nowMs - (nowMs % DAY_MS)).filter(
    ({ transactionId }) => transactionId !== besides,
  );
  if (sent.length >= TOKEN_TRANSFER.perDay)
    throw new AppError(
      'cap_exceeded',
      `${TOKEN_TRANSFER.perDay} transfers were made in this UTC day`,
    );
  const worth = sent.reduce(
    (sum, { transactionId }) =>
      sum + (reader.get(DAILY_OUT, [userId, transactionId])?.value.micros ?? 0),
    0,
  );
  const left = TOKEN_TRANSFER.dailyUsdMicros - worth;
  if ((micros ?? 0) <= left) return;
  const message = `at most ${formatTokenAmount(BigInt(Math.max(0, left)), 6)} USD may still leave by transfers in this UTC day`;
  throw new AppError('cap_exceeded', message, { fields: [{ path: '/amount', message }] });
}

function textOf({ units, token }: Pick<Sending, 'units' | 'token'>): string {
  const amount = formatTokenAmount(units, token.decimals);
  return token.token === null || token.token === token.symbol
    ? `${amount} ${token.symbol}`
    : `${amount} ${token.symbol} (${token.token})`;
}

function view(record: TransactionRecord): TokenTransferView {
  const { transactionId, account, fee } = record;
  const { token, symbol, units, decimals, to } = purposeFor(record, 'send').data;
  return {
    transferId: transactionId,
    chain: account.chain,
    token: symbol,
    tokenAddress: token,
    amount: formatTokenAmount(BigInt(units), decimals),
    to,
    ...(fee === undefined ? {} : { gas: { chain: account.chain, units: fee } }),
    ...progressOf(record),
  };
}
