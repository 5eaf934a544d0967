import type { JournalEntry } from '../../../src/domain/events.ts';
import type { RiskCaps } from '../../../src/domain/reservation.ts';
import { aboveCaps } from './caps.ts';
import type { ServiceSeen } from '../service.ts';
import { aboveSize, enteredTwice, postedTwice, staleDecisions, staleInTruth } from './decisions.ts';
import { aboveFarmCaps, farmedAmiss, soldAboveStop } from './farming.ts';
import { notifiedTwice, notNotified, type Delivery } from './notifications.ts';
import { notEnded, notOneOrderPerIntent } from './orders.ts';
import { stopsBroken, type StopsOutside } from './stop-policies.ts';
import { tradedAfterStop } from './stops.ts';
import {
  notPaidOnce,
  postingsDiffer,
  tradesDiffer,
  venueDiffersFromChain,
  type VenueRecords,
} from './venue.ts';

/** What is set beside the journal: the words of those outside. */
export interface ExternalServices extends ServiceSeen, StopsOutside {
  readonly users: readonly VenueRecords[];
  readonly deliveries: readonly Delivery[];
  /** What the operator lets any one user have at risk. */
  readonly operatorCaps: RiskCaps;
  /** Markets that farming agents must leave alone. */
  readonly unfitToFarm: ReadonlySet<string>;
}

/**
 * Where the journal, read from its beginning and beside what those outside have on record, breaks a
 * law; every list is empty where all is well.
 */
export function journalFindings(journal: readonly JournalEntry[], outside: ExternalServices) {
  const { users, deliveries, operatorCaps, moments, unfitToFarm } = outside;
  return {
    notOneOrderPerIntent: notOneOrderPerIntent(journal),
    notEnded: notEnded(journal),
    tradedAfterStop: tradedAfterStop(journal),
    stopsBroken: stopsBroken(journal, outside),
    enteredTwice: enteredTwice(journal),
    staleDecisions: staleDecisions(journal),
    staleInTruth: staleInTruth(journal, moments),
    aboveSize: aboveSize(journal),
    aboveCaps: aboveCaps(journal, operatorCaps),
    aboveFarmCaps: aboveFarmCaps(journal),
    farmedAmiss: farmedAmiss(journal, unfitToFarm),
    soldAboveStop: soldAboveStop(journal),
    postedTwice: postedTwice(journal),
    postingsDiffer: postingsDiffer(journal, users),
    tradesDiffer: tradesDiffer(journal, users),
    venueDiffersFromChain: venueDiffersFromChain(users),
    notPaidOnce: notPaidOnce(journal, users),
    notifiedTwice: notifiedTwice(journal, deliveries),
    notNotified: notNotified(journal),
  };
}
