import { ADMISSION } from '../../config/limits/admission.ts';
import type { Route } from './route.ts';
import { type Lane } from './call-queue.ts';

/**
 * What a call is to the service: questions of supervisors and operators, changes of users, ways in,
 * and all other reading.
 */
export type CallKind = 'critical' | 'trade' | 'sign_in' | 'read';

/** Why a call is refused before it is looked at. Fixed set: it labels a counter. */
export type ShedReason =
  | 'too_many_waiting'
  | 'too_many_running'
  | 'too_many_bodies'
  | 'too_many_bodies_of_address';

/** How much is under way. */
export interface ApiLoad {
  /** Calls of the kind in question that run. */
  readonly running: number;
  /** Bodies that have begun and not ended, and those of them from the caller's address. */
  readonly bodies: number;
  readonly bodiesOfAddress: number;
}

const RUNNING_MAXIMUM: Readonly<Record<Exclude<CallKind, 'critical'>, number>> = {
  trade: ADMISSION.tradesMaximum,
  sign_in: ADMISSION.signInsMaximum,
  read: ADMISSION.readsMaximum,
};

/** What a row is to the service; null where no row matched. */
export function kindOf(route: Route | null): CallKind {
  if (route === null) return 'read';
  if (route.budget === 'none') return 'critical';
  if (route.budget === 'stops' || (route.budget === 'writes' && route.auth !== 'public'))
    return 'trade';
  return route.budget === 'reads' ? 'read' : 'sign_in';
}

/** What is known of a caller before the call is looked at. */
export interface Acquaintance {
  /** True of a token that has been found good, of a session that goes on. */
  readonly isKnown: boolean;
  /** True where nothing is left of the budget the call will be counted in. */
  readonly isSpent: boolean;
}

/** Which calls it waits with. */
export function laneOf(kind: CallKind, { isKnown, isSpent }: Acquaintance): Lane {
  if (isSpent) return 'suspects';
  if (!isKnown) return 'strangers';
  return kind === 'trade' ? 'trades' : 'users';
}

/**
 * Why a call is refused at this load; null when it is taken. What keeps the service in order is
 * always taken.
 */
export function shedReason(
  kind: CallKind,
  hasBody: boolean,
  { running, bodies, bodiesOfAddress }: ApiLoad,
): ShedReason | null {
  if (hasBody && bodies >= ADMISSION.bodiesMaximum) return 'too_many_bodies';
  if (hasBody && bodiesOfAddress >= ADMISSION.bodiesPerAddressMaximum)
    return 'too_many_bodies_of_address';
  if (kind === 'critical') return null;
  return running >= RUNNING_MAXIMUM[kind] ? 'too_many_running' : null;
}

/** Counts what is under way, and refuses what would be too much. */
export interface Admission {
  /** Looks at a call as it arrives; it is not counted yet. */
  refusal(kind: CallKind, hasBody: boolean, address: string): ShedReason | null;
  /**
   * Counts a body in, as so many ordinary ones as its size is worth, until the function it gives is
   * called.
   */
  bodyBegins(address: string, weight: number): () => void;
  /** Counts a call in until the function it gives is called. */
  callBegins(kind: CallKind): () => void;
  /** Most calls of each kind that ran at a time since this was last asked. */
  most(): Readonly<Record<CallKind, number>>;
}

/** Makes the counters. */
export function createAdmission(): Admission {
  const running: Record<CallKind, number> = { critical: 0, trade: 0, sign_in: 0, read: 0 };
  const most = { ...running };
  const bodiesOf = new Map<string, number>();
  let bodies = 0;
  return {
    refusal: (kind, hasBody, address) =>
      shedReason(kind, hasBody, {
        running: running[kind],
        bodies,
        bodiesOfAddress: bodiesOf.get(address) ?? 0,
      }),
    bodyBegins(address, weight) {
      bodies += weight;
      bodiesOf.set(address, (bodiesOf.get(address) ?? 0) + weight);
      return () => {
        bodies -= weight;
        const left = (bodiesOf.get(address) ?? weight) - weight;
        if (left === 0) bodiesOf.delete(address);
        else bodiesOf.set(address, left);
      };
    },
    callBegins(kind) {
      running[kind] += 1;
      most[kind] = Math.max(most[kind], running[kind]);
      return () => {
        running[kind] -= 1;
      };
    },
    most() {
      const seen = { ...most };
      Object.assign(most, running);
      return seen;
    },
  };
}
