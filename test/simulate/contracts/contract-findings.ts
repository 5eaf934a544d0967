import { address } from '@solana/kit';
import { ORDERS } from '../../../src/services/books/tables.ts';
import { judgeOrder, openingsOf, strangersAmong } from '../../support/checks/contract-records.ts';
import { VENUE_B } from '../../support/venue-ids.ts';
import type { Runtime } from '../service.ts';
import type { ContractDay } from './contract-day.ts';

/**
 * Reads the orders of venue_b as they are stored and the chain alone, and lists where they part;
 * every list is empty where all is well.
 */
export function contractFindings(
  day: ContractDay,
  { store, users }: Pick<Runtime, 'store' | 'users'>,
): Readonly<Record<string, readonly string[]>> {
  const orders = store()
    .range(ORDERS)
    .map(({ value }) => value)
    .filter(({ intent }) => intent.venue === VENUE_B);
  const openings = openingsOf(
    day.direct,
    users.map(({ solanaAddress }) => address(solanaAddress)),
  );
  const judged = orders.map((order) => judgeOrder(store(), order, openings));
  return {
    contractsDoubled: judged.flatMap(({ doubled }) => doubled),
    contractsGuessed: judged.flatMap(({ guessed }) => guessed),
    openingsOfNoOrder: strangersAmong(openings, orders),
    unbacked: day.unbacked(),
  };
}
