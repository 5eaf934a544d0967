import type { z } from 'zod';
import type { WalletAddresses } from '../adapters/safe-relayer/derive.ts';
import type { Keccak } from '../adapters/wire/keccak.ts';
import type { Transport } from '../adapters/wire/transport.ts';
import type { CashAccount } from '../domain/cash.ts';
import type { VenueId } from '../domain/ids.ts';
import type { ChainClients } from '../ports/chain-clients.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyVault } from '../ports/key-vault.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { VenueApi } from '../http/venue-api.ts';
import type { Store } from '../ports/store.ts';
import type { Venue } from '../ports/venue.ts';
import type { TableOwners } from '../services/record-owners.ts';
import type { TransactionQueue } from '../services/transactions/transactions.ts';
import { settingsOf } from './settings.ts';

/** What the service lends every venue. */
export interface VenueParts extends Pick<Runtime, 'random' | 'metrics'> {
  /** For tables of the venue's own, whose names begin with its id. */
  readonly store: Store;
  readonly vault: KeyVault;
  readonly keccak: Keccak;
  /** The wallets that belong to a user's keys. */
  readonly wallets: WalletAddresses;
  readonly transport: Transport;
  readonly chain: ChainClients;
  /**
   * The one durable queue of each account on a chain, for a venue whose orders are transactions of
   * its users; used once the venue trades, not while it opens.
   */
  readonly transactions: TransactionQueue;
  /** Market time. */
  readonly clock: Clock;
  /** Wall time, that of chains too. */
  readonly wallClock: Clock;
}

/** A venue before it is opened: one row of the table. */
export interface VenueRow {
  readonly id: VenueId;
  /** Pays for its orders and is paid into. */
  readonly cashAccount: CashAccount;
  /** What it adds to the interface; null where that is nothing. */
  readonly api: VenueApi | null;
  /** Whose the records of its own tables are, by the table's name; none where absent. */
  readonly tables?: TableOwners;
  /**
   * Opens the venue; nothing is called before a port is used. Errors: `config_invalid` for settings
   * it cannot be opened with, `store_unavailable`.
   */
  open(parts: VenueParts, settings: unknown): Promise<Venue>;
}

/** Makes a row of what a venue is opened with and how; settings are checked before that. */
export function venueRow<Settings>(row: {
  readonly id: string;
  readonly cashAccount: CashAccount;
  readonly api?: VenueApi;
  readonly tables?: TableOwners;
  readonly settings: z.ZodType<Settings>;
  open(parts: VenueParts, settings: Settings): Promise<Omit<Venue, 'id' | 'cashAccount'>>;
}): VenueRow {
  const id = row.id as VenueId; // the row is what makes a text the id of a venue
  const { cashAccount, tables = {} } = row;
  return {
    id,
    cashAccount,
    api: row.api ?? null,
    tables,
    async open(parts, given) {
      return {
        ...(await row.open(parts, settingsOf(row.id, row.settings, given))),
        id,
        cashAccount,
      };
    },
  };
}
