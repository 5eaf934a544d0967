import { createAdoption, type Adoption } from '../services/adoption/adoption.ts';
import { RESTORES } from '../services/books/tables.ts';
import type { Core } from './core.ts';
import type { OpenFunds } from './funds.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Teardown } from './teardown.ts';

/** Joins what adopting what a restored store lacks asks of venues, Safes and wallets. */
export function openAdoption(
  { store, wallClock, clock, log }: OpenRuntime,
  { core, money }: { readonly core: Core; readonly money: Pick<OpenFunds, 'adopting'> },
  teardown: Teardown,
): Adoption {
  const parts = [money.adopting, core.adopting];
  const adoption = createAdoption({
    store,
    commit: core.trading.commit,
    orders: core.trading.orderAdoption,
    async bookMovements(userId) {
      for (const part of parts) await part.bookMovements(userId);
    },
    async differences(userId) {
      return (await Promise.all(parts.map((part) => part.differences(userId)))).flat();
    },
    clock: wallClock,
    marketClock: clock,
    log,
  });
  teardown.add(() => adoption.stop());
  const restore = store.get(RESTORES, ['newest'])?.value;
  if (restore !== undefined && restore.adoptedAtMs === null)
    log.error({ upToMs: restore.upToMs }, 'store.restored');
  return adoption;
}
