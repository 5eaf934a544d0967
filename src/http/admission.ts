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
  | 'too_many_bodies_of_address'
  | 'too_many_bodies_of_user';

/**
 * What a body is counted with: those of callers not known, of known users, and of their stops,
 * each apart, so that none has another refused.
 */
export type BodyClass = keyof typeof ADMISSION.bodiesMaximum;

/** Who sends a body. */
export interface BodySender {
  readonly of: BodyClass;
  /** A user, or an address. */
  readonly share: string;
}

/** How much is under way. */
export interface ApiLoad {
  /** Calls of the kind in question that run. */
  readonly running: number;
  /** Bodies of the sender's class that have begun and not ended, and the sender's own of them. */
  readonly bodies: number;
  readonly bodiesOfSender: number;
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
 * always taken. The class is null of a call without a body, or with one that is taken anyway.
 */
export function shedReason(
  kind: CallKind,
  of: BodyClass | null,
  { running, bodies, bodiesOfSender }: ApiLoad,
): ShedReason | null {
  if (of !== null) {
    const { perShare, all } = ADMISSION.bodiesMaximum[of];
    if (bodies >= all) return 'too_many_bodies';
    if (bodiesOfSender >= perShare)
      return of === 'strangers' ? 'too_many_bodies_of_address' : 'too_many_bodies_of_user';
  }
  if (kind === 'critical') return null;
  return running >= RUNNING_MAXIMUM[kind] ? 'too_many_running' : null;
}

/** Counts what is under way, and refuses what would be too much. */
export interface Admission {
  /** Looks at a call as it arrives; it is not counted yet. Null of one that sends no body. */
  refusal(kind: CallKind, sender: BodySender | null): ShedReason | null;
  /**
   * Counts a body in, as so many ordinary ones as its size is worth, until the function it gives is
   * called.
   */
  bodyBegins(sender: BodySender, weight: number): () => void;
  /** Counts a call in until the function it gives is called. */
  callBegins(kind: CallKind): () => void;
  /** Most calls of each kind that ran at a time since this was last asked. */
  most(): Readonly<Record<CallKind, number>>;
}

/** Makes the counters. */
export function createAdmission(): Admission {
  const running: Record<CallKind, number> = { critical: 0, trade: 0, sign_in: 0, read: 0 };
  const most = { ...running };
  const bodies: Readonly<Record<BodyClass, Bodies>> = {
    strangers: { all: 0, of: new Map() },
    users: { all: 0, of: new Map() },
    stops: { all: 0, of: new Map() },
  };
  return {
    refusal: (kind, sender) =>
      shedReason(kind, sender?.of ?? null, {
        running: running[kind],
        bodies: sender === null ? 0 : bodies[sender.of].all,
        bodiesOfSender: sender === null ? 0 : (bodies[sender.of].of.get(sender.share) ?? 0),
      }),
    bodyBegins({ of, share }, weight) {
      const begun = bodies[of];
      begun.all += weight;
      begun.of.set(share, (begun.of.get(share) ?? 0) + weight);
      return () => {
        begun.all -= weight;
        const left = (begun.of.get(share) ?? weight) - weight;
        if (left === 0) begun.of.delete(share);
        else begun.of.set(share, left);
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

interface Bodies {
  all: number;
  readonly of: Map<string, number>;
}
