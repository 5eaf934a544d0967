import { address, type Address, type EncodedAccount } from '@solana/kit';
import {
  Clock as ClockSysvar,
  FailedTransactionMetadata,
  LiteSVM,
  type SimulatedTransactionInfo,
} from 'litesvm';
import { SOLANA_SANDBOX } from '../../../../config/limits/sandbox-chains.ts';
import type { Clock, Timer } from '../../../ports/clock.ts';
import { noteUnkept, openChainStore } from './chain-store.ts';
import { createChainTime, genesisHashOf, type ChainTime, type Commitment } from './chain-time.ts';
import {
  execution,
  landedTransaction,
  seeBalances,
  type LandedTransaction,
} from './landed-transaction.ts';
import { readFailure, type TransactionError } from './transaction-errors.ts';
import { loadedAddresses, type WireTransaction } from './wire-transaction.ts';

/**
 * What became of a transaction: in a block with or without an error, or dropped as though it had
 * never come.
 */
export type Executed =
  | { readonly kind: 'landed'; readonly transaction: LandedTransaction }
  | { readonly kind: 'dropped'; readonly error: TransactionError };

/** What a transaction would do. */
interface Simulated
  extends Pick<
    LandedTransaction,
    'error' | 'logs' | 'computeUnits' | 'returnData' | 'innerInstructions'
  > {
  readonly postAccounts: readonly EncodedAccount[];
}

/** A Solana of one node: every transaction is a block's only one as soon as it comes. */
export interface SolanaChain {
  readonly time: ChainTime;
  account(key: string): EncodedAccount | null;
  accountsOf(program: Address): readonly EncodedAccount[];
  minimumBalance(dataBytes: number): number;
  execute(wire: WireTransaction): Executed;
  simulate(
    wire: WireTransaction,
    checks: { readonly signatures: boolean; readonly blockhash: boolean },
  ): Simulated;
  transaction(signature: string): LandedTransaction | null;
  /** Newest first. */
  transactionsOf(key: string): Iterable<LandedTransaction>;
  transactionCount(): number;
  /**
   * How sure a landed transaction is. It is confirmed when a kill of the process can no longer undo
   * it.
   */
  commitmentOf(transaction: LandedTransaction): Commitment;
  /** Keeps what has landed now, and not at the slot's end: no kill undoes it any more. */
  keep(): void;
  /** Called for each transaction once it has landed, failed ones included. */
  onLanded(listener: (transaction: LandedTransaction) => void): () => void;
  /**
   * Called, with their signatures, for transactions that had landed and are in no block any more.
   */
  onDropped(listener: (signatures: ReadonlySet<string>) => void): () => void;
  close(): void;
}

/** Starts the chain; with a folder it goes on where its last run ended. Errors: `store_corrupt`. */
export function openSolanaChain({
  clock,
  seed,
  folder,
  genesis,
  programs = [],
  forks = () => null,
}: {
  /** Wall time: blockhashes live a minute for people and wallets, however fast the markets run. */
  readonly clock: Clock;
  readonly seed: number;
  /** Where the chain outlives a stop; null keeps nothing. */
  readonly folder: string | null;
  /** Accounts that exist before the first transaction. */
  readonly genesis: readonly EncodedAccount[];
  /** Programs of our own; a chain that goes on gets them as they are now. Absent: none. */
  readonly programs?: readonly EncodedAccount[];
  /**
   * After how many ms the blocks from the one with this payer's transaction on are dropped for a
   * fork without them; null: never.
   */
  readonly forks?: (feePayer: string) => number | null;
}): SolanaChain {
  const store = folder === null ? null : openChainStore(folder, seed);
  const saved = store?.saved ?? null;
  const founding = saved ?? { foundedAtMs: clock.nowMs(), genesisHash: genesisHashOf(seed) };
  const time = createChainTime(founding, clock, saved?.slot ?? 0);
  let svm = machine(saved === null ? new LiteSVM() : LiteSVM.fromBytes(saved.state));
  const keepsState = canKeepState(svm);
  if (folder !== null && !keepsState) noteUnkept(folder);
  const history = new Map(
    (saved?.transactions ?? []).map((transaction) => [transaction.signature, transaction]),
  );
  const listeners = new Set<(transaction: LandedTransaction) => void>();
  const dropListeners = new Set<(signatures: ReadonlySet<string>) => void>();
  let unsaved: LandedTransaction[] = [];
  let saving: Timer | null = null;
  /** Accounts of a program until the next transaction: wallets are looked at far more often. */
  const accountsByProgram = new Map<Address, readonly EncodedAccount[]>();
  /** Forks to come, by the transaction from which on they drop everything. */
  const forking = new Map<string, Timer>();

  const save = (): void => {
    saving?.cancel();
    saving = null;
    const landed = unsaved;
    unsaved = [];
    if (keepsState) store?.save({ ...founding, slot: time.slot(), state: svm.toBytes() }, landed);
  };
  const account = (key: string): EncodedAccount | null => {
    const found = svm.getAccount(address(key));
    return found.exists ? found : null;
  };
  const remember = (transaction: LandedTransaction): void => {
    history.set(transaction.signature, transaction);
    unsaved.push(transaction);
    const [oldest] = history.keys();
    if (oldest !== undefined && history.size > SOLANA_SANDBOX.transactionsKeptMaximum)
      history.delete(oldest);
    saving ??= clock.after(time.untilNextSlotMs(), save);
    for (const listener of listeners) listener(transaction);
  };
  const rewind = (state: Uint8Array, first: string): void => {
    const all = [...history.keys()];
    const dropped = new Set(history.has(first) ? all.slice(all.indexOf(first)) : []);
    if (dropped.size === 0) return;
    saving?.cancel();
    saving = null;
    unsaved = [];
    for (const signature of dropped) {
      history.delete(signature);
      // What is gone may land again, in a state that this fork does not know.
      forking.get(signature)?.cancel();
      forking.delete(signature);
    }
    svm = machine(LiteSVM.fromBytes(state));
    accountsByProgram.clear();
    store?.rewind({
      ...founding,
      slot: time.slot(),
      state,
      transactions: [...history.values()],
    });
    for (const listener of dropListeners) listener(dropped);
  };
  const refusal = (
    { message, signatures }: WireTransaction,
    checks: { readonly signatures: boolean; readonly blockhash: boolean },
  ): TransactionError | null => {
    if (checks.signatures && signatures.includes(NO_SIGNATURE)) return 'SignatureFailure';
    if (checks.blockhash && !time.isAlive(message.lifetimeToken)) return 'BlockhashNotFound';
    return history.has(signatures[0] ?? '') ? 'AlreadyProcessed' : null;
  };

  for (const each of programs) svm.setAccount(each);
  // one that goes on may be older than an account that founds it now
  for (const each of genesis) if (account(each.address) === null) svm.setAccount(each);
  if (saved === null) save();
  return {
    time,
    account,
    accountsOf(program) {
      const known = accountsByProgram.get(program) ?? svm.getProgramAccounts(program);
      accountsByProgram.set(program, known);
      return known;
    },
    minimumBalance: (dataBytes) => Number(svm.minimumBalanceForRentExemption(BigInt(dataBytes))),
    execute(wire) {
      const refused = refusal(wire, { signatures: true, blockhash: true });
      if (refused !== null) return { kind: 'dropped', error: refused };
      const loaded = loadedAddresses(wire.message, (table) => account(table)?.data ?? null);
      if (loaded === null) return { kind: 'dropped', error: 'AddressLookupTableNotFound' };
      const accountKeys = [...wire.message.staticAccounts, ...loaded.writable, ...loaded.readonly];
      const before = seeBalances(accountKeys, account);
      const forkMs = keepsState ? forks(wire.message.staticAccounts[0] ?? '') : null;
      const stateBefore = forkMs === null ? null : svm.toBytes();
      setMachineTime(svm, time);
      const result = svm.sendTransaction(wire.transaction);
      accountsByProgram.clear();
      const error = result instanceof FailedTransactionMetadata ? readFailure(result) : null;
      const after = seeBalances(accountKeys, account);
      // A failure that cost the payer nothing was never in a block.
      if (error !== null && after.lamports[0] === before.lamports[0])
        return { kind: 'dropped', error };
      const meta = result instanceof FailedTransactionMetadata ? result.meta() : result;
      const transaction = landedTransaction({
        wire,
        meta,
        error,
        slot: time.slot(),
        blockTime: time.unixSeconds(),
        accountKeys,
        loaded,
        before,
        after,
      });
      remember(transaction);
      if (forkMs !== null && stateBefore !== null)
        forking.set(
          transaction.signature,
          clock.after(forkMs, () => rewind(stateBefore, transaction.signature)),
        );
      return { kind: 'landed', transaction };
    },
    simulate(wire, checks) {
      const refused = refusal(wire, checks);
      if (refused !== null)
        return {
          error: refused,
          logs: [],
          computeUnits: 0,
          returnData: null,
          innerInstructions: [],
          postAccounts: [],
        };
      setMachineTime(svm, time);
      const result = simulateOn(svm, wire, checks.signatures);
      if (result instanceof FailedTransactionMetadata)
        return { error: readFailure(result), ...execution(result.meta()), postAccounts: [] };
      return { error: null, ...execution(result.meta()), postAccounts: result.postAccounts() };
    },
    transaction: (signature) => history.get(signature) ?? null,
    *transactionsOf(key) {
      for (const transaction of [...history.values()].reverse())
        if (transaction.accountKeys.includes(key)) yield transaction;
    },
    transactionCount: () => history.size,
    commitmentOf(transaction) {
      if (unsaved.includes(transaction)) return 'processed';
      return time.slot() - transaction.slot >= SOLANA_SANDBOX.finalAfterSlots
        ? 'finalized'
        : 'confirmed';
    },
    keep: save,
    onLanded(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onDropped(listener) {
      dropListeners.add(listener);
      return () => void dropListeners.delete(listener);
    },
    close() {
      save();
    },
  };
}

/**
 * The machine knows one blockhash only and forgets signatures; the calendar and the history do
 * both.
 */
function machine(svm: LiteSVM): LiteSVM {
  return svm
    .withSigverify(true)
    .withBlockhashCheck(false)
    .withTransactionHistory(0n)
    .withLogBytesLimit(BigInt(SOLANA_SANDBOX.logMaximumBytes));
}

/** Base58 of 64 zero bytes: the place of a signature that is still missing. */
const NO_SIGNATURE = '1'.repeat(64);

function simulateOn(
  svm: LiteSVM,
  wire: WireTransaction,
  checksSignatures: boolean,
): FailedTransactionMetadata | SimulatedTransactionInfo {
  svm.withSigverify(checksSignatures);
  try {
    return svm.simulateTransaction(wire.transaction);
  } finally {
    svm.withSigverify(true);
  }
}

function setMachineTime(svm: LiteSVM, time: ChainTime): void {
  const slot = time.slot();
  const epoch = BigInt(Math.floor(slot / SOLANA_SANDBOX.slotsPerEpoch));
  svm.setClock(new ClockSysvar(BigInt(slot), 0n, epoch, epoch + 1n, BigInt(time.unixSeconds())));
}

/**
 * Reports whether this build of litesvm can give its state away: one before 1.5.0 cannot, which is
 * what the lock has for some platforms (config/README.md, "Platforms").
 */
function canKeepState(svm: LiteSVM): boolean {
  try {
    return svm.toBytes().length > 0;
  } catch {
    return false;
  }
}
