import { BRIDGE } from '../../../config/limits/bridge.ts';
import type { DepositPlace } from '../../../machines/deposit.ts';
import { isSameOnChain } from '../../domain/chain-address.ts';
import type { DepositRecord } from '../../domain/deposit.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import type { Bridge, BridgeAsset, DepositAddresses } from '../../ports/bridge.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Table } from '../../ports/store.ts';
import type { Page, PageQuery } from '../../ports/catalogue.ts';
import { pageOfDeposits, type DepositLine } from './deposit-list.ts';
import { createDepositPoll } from './deposit-poll.ts';
import { assetOf } from './deposit-problem.ts';
import { depositsOf } from './deposit-records.ts';
import { createDepositWatch } from './deposit-watch.ts';

/** A user's deposit addresses, as the bridge gave them once. */
export interface DepositAddressRecord {
  readonly safe: Address;
  readonly addresses: DepositAddresses;
  readonly givenAtMs: number;
}

/** Deposit addresses: [userId]. */
export const DEPOSIT_ADDRESSES: Table<DepositAddressRecord> = { name: 'deposit_addresses' };

/**
 * A deposit with the asset it is of; null for one the bridge does not take, and while it is
 * unknown.
 */
interface DepositView {
  readonly deposit: DepositRecord;
  readonly asset: BridgeAsset | null;
}

/**
 * A line of the list of deposits, with the asset a payment to the bridge is of where that is known.
 */
export interface DepositListing {
  readonly line: DepositLine;
  readonly asset: BridgeAsset | null;
}

/** Deposits to one address. */
interface DepositStatus {
  /** The newest BRIDGE.transfersMaximum, newest first. */
  readonly deposits: readonly DepositView[];
  /** False when the bridge did not answer: the deposits are then as they were last heard of. */
  readonly isFresh: boolean;
}

/** Money in through the bridge: where to send it, what it takes, how far it has come. */
export interface Deposits {
  /** Errors: `bridge_unavailable`. */
  assets(): Promise<readonly BridgeAsset[]>;
  /**
   * Gives the user's own addresses, the same each time, and has them followed for a while. Errors:
   * `bridge_unavailable`, `not_found`, `store_unavailable`.
   */
  addresses(userId: UserId): Promise<DepositAddressRecord>;
  /**
   * Deposits to one of the user's own addresses: what is on record, joined with what bridge and
   * chain say now. Has the address followed. Errors: `not_found` for any other,
   * `bridge_unavailable` when it does not answer and nothing is on record, `store_unavailable`.
   */
  status(userId: UserId, address: string): Promise<DepositStatus>;
  /**
   * Asks the bridge now about every address the user was given. Errors: `bridge_unavailable`,
   * `store_unavailable`.
   */
  refresh(userId: UserId): Promise<void>;
  /**
   * One page of everything that came in or is on its way, newest first. Errors: `invalid_request`
   * for an invalid cursor.
   */
  list(userId: UserId, page: PageQuery): Page<DepositListing>;
  /** Sets the age of the oldest deposit that has not ended; called every few seconds. */
  tellAge(): void;
  /** The start: follows again what was followed. */
  recover(): void;
  stop(): void;
}

/** Makes the service. Nothing is followed before `recover`. */
export function createDeposits(
  deps: Pick<Runtime, 'store' | 'commit' | 'bus' | 'random' | 'log' | 'metrics'> & {
    readonly bridge: Bridge;
    /** The user's Safe. Errors: `not_found`. */
    readonly safeOf: (userId: UserId) => Address;
    /** Wall time. */
    readonly clock: Clock;
  },
): Deposits {
  const { store, commit, bridge, safeOf, clock, log } = deps;
  let kept: { readonly untilMs: number; readonly assets: readonly BridgeAsset[] } | null = null;
  const addressesOf = (userId: UserId): readonly string[] =>
    everyOf(store.get(DEPOSIT_ADDRESSES, [userId])?.value.addresses);

  async function assets(): Promise<readonly BridgeAsset[]> {
    if (kept !== null && clock.nowMs() < kept.untilMs) return kept.assets;
    const fresh = await bridge.supportedAssets();
    kept = { assets: fresh, untilMs: clock.nowMs() + BRIDGE.assetsKeptMs };
    return fresh;
  }

  async function given(userId: UserId): Promise<DepositAddressRecord> {
    const safe = safeOf(userId);
    const known = store.get(DEPOSIT_ADDRESSES, [userId])?.value;
    if (known?.safe === safe) return known;
    const record = {
      safe,
      addresses: await bridge.depositAddresses(safe),
      givenAtMs: clock.nowMs(),
    };
    // Answered before it is kept, an address could not be asked about after a crash.
    return commit((tx) => {
      const first = tx.get(DEPOSIT_ADDRESSES, [userId])?.value;
      if (first?.safe === safe) return first;
      tx.put(DEPOSIT_ADDRESSES, [userId], record);
      return record;
    });
  }

  const poll = createDepositPoll({ ...deps, assets });
  const watch = createDepositWatch({ ...deps, poll, addressesOf });

  /** Where the list of assets cannot be had now, an old one tells what a token is just as well. */
  const view = (place: DepositPlace): readonly DepositView[] =>
    depositsOf(store, place)
      .slice(-BRIDGE.transfersMaximum)
      .reverse()
      .map((deposit) => ({ deposit, asset: assetOf(kept?.assets ?? [], deposit.transfer) }));

  return {
    assets,
    async addresses(userId) {
      const record = await given(userId);
      await watch.ask(userId, addressesOf(userId), 'unseen');
      return record;
    },
    async status(userId, address) {
      const own = addressesOf(userId).find((each) => isSameOnChain(each, address));
      if (own === undefined) throw new AppError('not_found', 'you have no such deposit address');
      const place = { userId, address: own };
      const { failure } = await poll(place);
      await watch.ask(userId, [own], 'seen');
      const deposits = view(place);
      if (failure !== null && deposits.length === 0) throw failure;
      return { deposits, isFresh: failure === null };
    },
    async refresh(userId) {
      for (const address of addressesOf(userId)) {
        const { failure } = await poll({ userId, address });
        if (failure !== null) throw failure;
      }
    },
    list(userId, page) {
      const { data, nextCursor } = pageOfDeposits(store, userId, page);
      return {
        data: data.map((line) => ({
          line,
          asset: line.kind === 'bridge' ? assetOf(kept?.assets ?? [], line.deposit.transfer) : null,
        })),
        nextCursor,
      };
    },
    recover() {
      const addresses = watch.recover();
      log.info({ addresses, actors: watch.size }, 'deposits.recovered');
    },
    tellAge: () => watch.tellAge(),
    stop: () => watch.stop(),
  };
}

function everyOf(addresses: DepositAddresses | undefined): readonly string[] {
  return addresses === undefined
    ? []
    : [...new Set([addresses.evm, addresses.solana, addresses.bitcoin, addresses.tron])];
}
