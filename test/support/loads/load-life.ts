import type { CredentialStore } from '../../../src/venues/venue-a/accounts.ts';
import { createVenueA } from '../../../src/venues/venue-a/adapter.ts';
import { createOrderSigner } from '../../../src/venues/venue-a/sign.ts';
import type { Keccak } from '../../../src/adapters/wire/keccak.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { KeyVault } from '../../../src/ports/key-vault.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { OrderGateway } from '../../../src/ports/order-gateway.ts';
import { createTrading, type Trading } from '../../../src/services/trading.ts';
import { createKeptMetrics } from '../quiet.ts';
import type { LoadVenue } from './load-venue.ts';
import { silentMetrics } from '../fixtures/wire-venue.ts';
import { onOneVenue } from '../traded-venues.ts';

/** What a process life is made of, apart from what it kept on disk. */
export interface LifeParts {
  readonly clock: Clock;
  readonly venue: LoadVenue;
  readonly vault: KeyVault;
  readonly keccak: Keccak;
  readonly records: CredentialStore;
  readonly seed: string;
}

/** One life of the trading services over the venue's wire adapter. */
export interface LoadLife {
  readonly trading: Trading;
  readonly metrics: ReturnType<typeof createKeptMetrics>;
  /** Opens the account of a user at the venue. */
  open: ReturnType<typeof createVenueA>['accounts']['open'];
  readonly collateral: ReturnType<typeof createVenueA>['accounts']['collateral'];
  /** Resolves when the power is gone. */
  readonly ended: Promise<'ended'>;
  /** The power goes: answers on their way are lost, and nothing more leaves. */
  cut(): Promise<void>;
}

/** Starts a life over what the last one left on disk. Nothing is recovered yet. */
export function startLife(
  { clock, venue, vault, keccak, records, seed }: LifeParts,
  store: Store,
): LoadLife {
  const adapter = createVenueA({
    vault,
    keccak,
    clock,
    records,
    metrics: silentMetrics,
    funderOf: (user) => vault.addressOf(user),
    config: {
      clobRest: venue.rest,
      clobMarketSocket: venue.marketSocket,
      clobUserSocket: venue.userSocket,
      gamma: venue.rest,
      dataApi: venue.data,
      site: venue.rest,
      chainId: POLYGON_CHAIN.chainId,
      signatureType: 0,
    },
  });
  const line = cuttable(adapter.orders);
  const metrics = createKeptMetrics();
  const quiet = (): void => undefined;
  const trading = createTrading({
    store,
    clock,
    metrics,
    bus: { publish: quiet, subscribe: () => quiet },
    random: createSeededRandom(seed),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    venues: onOneVenue({
      signer: createOrderSigner({
        vault,
        keccak,
        random: createSeededRandom(`${seed}:salts`),
        config: {
          ...POLYGON_CHAIN,
          exchange: asId(POLYGON_CHAIN.exchange),
          negRiskExchange: asId(POLYGON_CHAIN.negRiskExchange),
          account: { signatureType: 0 },
          ownerOf: (user) => adapter.ownerOf(user),
        },
      }),
      gateway: line.gateway,
      accounts: adapter.accounts,
      markets: { known: () => venue.market, find: () => Promise.resolve(venue.market) },
    }),
  });
  let end: (word: 'ended') => void = () => undefined;
  const ended = new Promise<'ended'>((resolve) => {
    end = resolve;
  });
  return {
    trading,
    metrics,
    ended,
    open: adapter.accounts.open,
    collateral: adapter.accounts.collateral,
    async cut() {
      line.cut();
      end('ended');
      await trading.orders.stop();
      await adapter.close();
    },
  };
}

/**
 * A process's own line to the venue: once cut, what it asks goes nowhere and it hears nothing more.
 */
function cuttable(gateway: OrderGateway): { readonly gateway: OrderGateway; cut(): void } {
  const { fills } = gateway;
  let isCut = false;
  const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
  const heard = <T>(ask: () => Promise<T>): Promise<T> =>
    isCut ? never() : ask().then((answer) => (isCut ? never<T>() : answer));
  return {
    gateway: {
      submit: (order, leave) => heard(() => gateway.submit(order, leave)),
      cancel: (order) => heard(() => gateway.cancel(order)),
      lookup: (order) => heard(() => gateway.lookup(order)),
      fills: fills && ((userId, sinceMs) => heard(() => fills(userId, sinceMs))),
      openOrders: (userId) => heard(() => gateway.openOrders(userId)),
      watch: (userId, listener) =>
        gateway.watch(userId, {
          next: (event) => {
            if (!isCut) listener.next(event);
          },
          error: (cause) => {
            if (!isCut) listener.error(cause);
          },
        }),
    },
    cut: () => void (isCut = true),
  };
}
