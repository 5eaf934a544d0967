import { BRIDGE } from '../../../config/bridge-limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import type { Bridge, BridgeAsset, BridgeTransfer, DepositAddresses } from '../../ports/bridge.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Table } from '../../ports/store.ts';
import type { Store } from '../../ports/store.ts';
import type { Commit } from '../commit.ts';

/** A user's deposit addresses, as the bridge gave them once. */
export interface DepositAddressRecord {
  readonly safe: Address;
  readonly addresses: DepositAddresses;
  readonly givenAtMs: number;
}

/** Deposit addresses: [userId]. */
export const DEPOSIT_ADDRESSES: Table<DepositAddressRecord> = { name: 'deposit_addresses' };

/** A transfer with the asset it is of; null for one the bridge does not take. */
export interface DepositOnItsWay {
  readonly transfer: BridgeTransfer;
  readonly asset: BridgeAsset | null;
}

/** Money in through the bridge: where to send it, what it takes, how far it has come. */
export interface Deposits {
  /** Errors: `bridge_unavailable`. */
  assets(): Promise<readonly BridgeAsset[]>;
  /** Gives the user's own addresses, the same each time. Errors: `bridge_unavailable`, `not_found`. */
  addresses(userId: UserId): Promise<DepositAddressRecord>;
  /** Transfers to one of the user's own addresses. Errors: `not_found` for any other, `bridge_unavailable`. */
  status(userId: UserId, address: string): Promise<readonly DepositOnItsWay[]>;
}

/** What deposits need. */
export interface DepositsDeps {
  readonly store: Store;
  readonly commit: Commit;
  readonly bridge: Bridge;
  /** The user's Safe. Errors: `not_found`. */
  readonly safeOf: (userId: UserId) => Address;
  readonly clock: Clock;
}

/** Makes the service. */
export function createDeposits({ store, commit, bridge, safeOf, clock }: DepositsDeps): Deposits {
  let kept: { readonly untilMs: number; readonly assets: readonly BridgeAsset[] } | null = null;

  async function assets(): Promise<readonly BridgeAsset[]> {
    if (kept !== null && clock.nowMs() < kept.untilMs) return kept.assets;
    const fresh = await bridge.supportedAssets();
    kept = { assets: fresh, untilMs: clock.nowMs() + BRIDGE.assetsKeptMs };
    return fresh;
  }

  return {
    assets,
    async addresses(userId) {
      const safe = safeOf(userId);
      const known = store.get(DEPOSIT_ADDRESSES, [userId])?.value;
      if (known?.safe === safe) return known;
      const record = { safe, addresses: await bridge.depositAddresses(safe), givenAtMs: clock.nowMs() };
      // Told before it is kept, an address could not be asked about after a crash.
      return commit((tx) => {
        const first = tx.get(DEPOSIT_ADDRESSES, [userId])?.value;
        if (first?.safe === safe) return first;
        tx.put(DEPOSIT_ADDRESSES, [userId], record);
        return record;
      });
    },
    async status(userId, address) {
      const own = Object.values(store.get(DEPOSIT_ADDRESSES, [userId])?.value.addresses ?? {}).find((each) => sameAddress(each, address));
      if (own === undefined) throw new AppError('not_found', 'this is none of your deposit addresses');
      const [transfers, known] = await Promise.all([bridge.status(own), assets()]);
      return transfers.map((transfer) => ({ transfer, asset: known.find(({ chainId, tokenAddress }) => chainId === transfer.chainId && sameAddress(tokenAddress, transfer.tokenAddress)) ?? null }));
    },
  };
}

/** Only hexadecimal has no case: base 58 counts every letter. */
function sameAddress(one: string, other: string): boolean {
  return one === other || (one.startsWith('0x') && one.toLowerCase() === other.toLowerCase());
}
