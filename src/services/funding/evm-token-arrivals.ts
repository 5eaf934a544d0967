import { EVM_ARRIVALS } from '../../../config/limits/arrivals.ts';
import { TOKEN_WARNINGS } from '../../../config/limits/tokens.ts';
import type { CashAccount } from '../../domain/cash.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address, type UserId } from '../../domain/ids.ts';
import { knownTokenAt } from '../../domain/known-tokens.ts';
import type { SwapReceipts } from '../../domain/swap.ts';
import type { TokenArrival } from '../../domain/token-arrival.ts';
import { judgeName } from '../../domain/token-listing.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EvmChain, EvmLog } from '../../ports/evm.ts';
import type { TokenFacts } from '../../ports/pair-exchange.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Key, StoreReader, StoreWriter } from '../../ports/store.ts';
import { TRANSFER_TOPIC, transferOf } from '../wallets/contract-calls.ts';
import { isSameAddress } from '../wallets/contracts.ts';
import { isOnItsWay, namesOf, ownTransactions } from './own-transactions.ts';
import type { AddressIndex } from './address-index.ts';
import {
  UNKNOWN_TOKENS,
  WAITING_ARRIVALS,
  type UnknownToken,
  type WaitingArrival,
} from './tables.ts';
import { recordTokenArrival, type ChosenToken } from './token-arrivals.ts';

export interface EvmTokenArrivalsDeps extends Pick<Runtime, 'store' | 'commit'> {
  readonly chain: Web3ChainId;
  readonly evm: Pick<EvmChain, 'logs' | 'balances'>;
  /** Users' own wallets of this kind of chain. */
  readonly wallets: Pick<AddressIndex, 'owners' | 'topics'>;
  readonly swaps: SwapReceipts;
  /** What a token says of itself; null without one. Errors: `chain_unavailable`. */
  readonly factsOf: (token: Address) => Promise<TokenFacts | null>;
  /** Tokens of a user's own choice, whose arrival they are notified of. */
  readonly ownTokensOf: (userId: UserId) => readonly ChosenToken[];
  /** Dollars of the books are notified by their booking. */
  readonly cashAccountOf: (place: {
    readonly chain: Web3ChainId;
    readonly address: string;
  }) => CashAccount | null;
  /** Waits a little between questions. */
  readonly pause: () => Promise<void>;
  /** Wall time. */
  readonly clock: Clock;
}

/** Looks for tokens that others sent to users' own wallets on one EVM chain. */
export interface EvmTokenArrivals {
  /**
   * Reads final blocks and stores what came in them: as an arrival, or as waiting while something
   * of the user's own that is under way may explain it. Errors: `chain_unavailable`,
   * `store_unavailable`.
   */
  read(fromBlock: number, toBlock: number): Promise<void>;
  /** Decides what waited and no longer has to. Errors: as `read`. */
  decide(): Promise<void>;
}

/** Makes the reader of arrivals. */
export function createEvmTokenArrivals(deps: EvmTokenArrivalsDeps): EvmTokenArrivals {
  const { chain, store, commit, evm, wallets, pause } = deps;
  return {
    async read(fromBlock, toBlock) {
      for (const topics of wallets.topics) {
        const logs = await evm.logs({
          address: null,
          topics: [TRANSFER_TOPIC, null, topics],
          fromBlock,
          toBlock,
        });
        const arrived = logs.flatMap((log) => arrivedBy(deps, log));
        if (arrived.length > 0)
          await commit((tx) => {
            for (const { userId, arrivalId, place, ...waiting } of arrived)
              tx.put(WAITING_ARRIVALS, [chain, userId, ...place, arrivalId], waiting);
          });
        await pause();
      }
    },
    async decide() {
      const round: Round = { unknown: new Set(), names: new Map() };
      const decided: { readonly key: Key; readonly arrival: Decided | null }[] = [];
      for (const { key, value } of store.range(WAITING_ARRIVALS, { prefix: [chain] })) {
        if (decided.length >= EVM_ARRIVALS.decidedPerPoll) break;
        const userId = asId<UserId>(String(key[1]));
        const arrived = { ...value, userId, arrivalId: String(key.at(-1)) };
        const arrival = await decisionOn(deps, arrived, round);
        if (arrival !== 'waits') decided.push({ key, arrival });
      }
      if (decided.length > 0)
        await commit((tx) => {
          for (const { key, arrival } of decided) {
            tx.remove(WAITING_ARRIVALS, key);
            if (arrival !== null) record(tx, deps, arrival);
          }
        });
    },
  };
}

type Arrived = WaitingArrival & { readonly userId: UserId; readonly arrivalId: string };
type Decided = Arrived & Pick<TokenArrival, 'symbol' | 'decimals' | 'isKnown' | 'warnings'>;

/** What one round has asked, so that nothing is asked twice. */
interface Round {
  /** Unknown tokens, by user. */
  readonly unknown: Set<string>;
  /** Names of each user's own transactions. */
  readonly names: Map<UserId, ReadonlySet<string>>;
}

/** Returns what is to be recorded; null for nothing. */
async function decisionOn(
  deps: EvmTokenArrivalsDeps,
  arrived: Arrived,
  round: Round,
): Promise<Decided | null | 'waits'> {
  const { chain, store, swaps } = deps;
  const { userId, token, transactionHash } = arrived;
  if (isOnItsWay(store, userId, chain) || swaps.isUnderWay(userId, chain)) return 'waits';
  const names = round.names.get(userId) ?? explained(deps, userId);
  round.names.set(userId, names);
  if (names.has(transactionHash)) return null;
  const named = vouchedFor(deps, arrived);
  if (named !== null) return { ...arrived, ...named, isKnown: true, warnings: [] };
  const name = `${userId} ${token}`;
  if (round.unknown.has(name) || !mayKeep(store, arrived, chain)) return null;
  if (round.unknown.size >= EVM_ARRIVALS.unknownPerPoll) return 'waits';
  round.unknown.add(name);
  const said = await judged(deps, arrived);
  return said === null ? null : { ...arrived, ...said, isKnown: false };
}

/** What an own transaction brought is notified by its end, and so is what a bridge brought. */
function explained(
  { chain, store, swaps }: EvmTokenArrivalsDeps,
  userId: UserId,
): ReadonlySet<string> {
  return new Set([...namesOf(ownTransactions(store, userId, chain)), ...swaps.on(userId, chain)]);
}

function arrivedBy(
  { chain, wallets, cashAccountOf }: EvmTokenArrivalsDeps,
  log: EvmLog,
): readonly (Arrived & { readonly place: readonly [number, number] })[] {
  const move = transferOf(log);
  const userId = move === null ? undefined : wallets.owners.get(move.to.toLowerCase());
  if (move === null || userId === undefined || isSameAddress(move.from, move.to)) return [];
  const known = knownTokenAt(chain, log.address);
  const token = asId<Address>(known?.address ?? log.address);
  const least =
    known?.isDollar === true
      ? (BigInt(EVM_ARRIVALS.dollarsMinimumMicros) * 10n ** BigInt(known.decimals)) / 1_000_000n
      : 1n;
  if (move.amount < least || cashAccountOf({ chain, address: token }) !== null) return [];
  const { transactionHash, blockNumber, logIndex } = log;
  const arrivalId = `${chain}:${transactionHash}:${logIndex}`;
  const units = String(move.amount);
  const place = [blockNumber, logIndex] as const;
  return [{ userId, arrivalId, place, owner: move.to, token, units, transactionHash }];
}

/** Of our own list, or of the user's choice where nothing speaks against its name. */
function vouchedFor(
  { chain, ownTokensOf }: EvmTokenArrivalsDeps,
  { userId, token }: Arrived,
): Pick<TokenArrival, 'symbol' | 'decimals'> | null {
  const known =
    knownTokenAt(chain, token) ??
    ownTokensOf(userId).find(
      ({ address, warnings }) => warnings.length === 0 && isSameAddress(address, token),
    );
  return known === undefined || known.symbol === null
    ? null
    : { symbol: known.symbol, decimals: known.decimals };
}

/** Only the first arrival of an unknown token is kept, and of so many tokens. */
function mayKeep(
  reader: StoreReader,
  { userId, token }: Pick<Arrived, 'userId' | 'token'>,
  chain: Web3ChainId,
): boolean {
  return (
    reader.get(UNKNOWN_TOKENS, [userId, chain, token]) === null &&
    reader.range(UNKNOWN_TOKENS, { prefix: [userId, chain] }).length <
      EVM_ARRIVALS.unknownPerUserMaximum
  );
}

/** What a token says of itself; null for one that tells no balance or none, or nothing at all. */
async function judged(
  { chain, factsOf, evm }: EvmTokenArrivalsDeps,
  { owner, token }: Arrived,
): Promise<UnknownToken | null> {
  const facts = await factsOf(token);
  if (facts === null) return null;
  try {
    const { tokens } = await evm.balances(owner, [token]);
    if (tokens[0] === 0n) return null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'chain_reverted') return null;
    throw error;
  }
  const { symbol, warnings } = judgeName({ chain, address: token, ...facts }, TOKEN_WARNINGS);
  return {
    symbol: symbol === '' || warnings.length > 0 ? token : symbol,
    decimals: facts.decimals,
    warnings,
  };
}

function record(
  tx: StoreWriter,
  { chain, clock }: EvmTokenArrivalsDeps,
  { owner: _owner, ...arrival }: Decided,
): void {
  const { userId, token, symbol, decimals, isKnown, warnings } = arrival;
  if (!isKnown) {
    // others of this round may have taken the last places
    if (!mayKeep(tx, arrival, chain)) return;
    tx.put(UNKNOWN_TOKENS, [userId, chain, token], { symbol, decimals, warnings });
  }
  recordTokenArrival(tx, { ...arrival, chain, arrivedAtMs: clock.nowMs() });
}
