import { AppError, type FieldError } from '../domain/errors.ts';
import type { UserId } from '../domain/ids.ts';
import type { RiskCaps } from '../domain/reservation.ts';
import { formatMicros, usdcMicros } from '../domain/units.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { StoreReader } from '../ports/store.ts';
import { audit } from './audit.ts';
import { USER_CAPS } from './books/tables.ts';

/** Names people give the caps. */
const LIMIT_NAMES = {
  orderUsdc: 'maxOrderSize',
  exposureUsdc: 'maxTotalExposure',
  openPositions: 'maxOpenPositions',
  dailyLossUsdc: 'maxDailyLoss',
} as const satisfies Record<keyof RiskCaps, string>;

/**
 * A change of a user's own caps: a number sets one, null takes it away, what is absent stays. Money
 * in micros.
 */
export type LimitsPatch = { readonly [Name in keyof RiskCaps]: number | null | undefined };

/** Caps a user has chosen for themselves, beside those of the operator (L5). */
export interface UserLimits {
  /** The user's, and what the operator sets beside them. */
  read(userId: UserId): { readonly user: RiskCaps; readonly operator: RiskCaps };
  /**
   * Changes them; they hold from the next order on, tightened and loosened alike. Errors:
   * `setting_out_of_range` for one looser than the operator's.
   */
  change(userId: UserId, patch: LimitsPatch): Promise<void>;
}

/** Makes the limits over the store. */
export function createUserLimits({
  store,
  commit,
  clock,
  operator,
}: Pick<Runtime, 'commit' | 'clock'> & {
  readonly store: StoreReader;
  readonly operator: RiskCaps;
}): UserLimits {
  const ownOf = (reader: StoreReader, userId: UserId): RiskCaps =>
    reader.get(USER_CAPS, [userId])?.value ?? {};
  return {
    read: (userId) => ({ user: ownOf(store, userId), operator }),
    async change(userId, patch) {
      const faults = tooLoose(patch, operator);
      if (faults.length > 0)
        throw new AppError(
          'setting_out_of_range',
          `${faults.length} limit(s) are looser than the operator's`,
          { fields: faults },
        );
      await commit((tx) => {
        const after = patched(ownOf(tx, userId), patch);
        tx.put(USER_CAPS, [userId], after);
        audit(tx, {
          userId,
          atMs: clock.nowMs(),
          action: 'limits_changed',
          subject:
            Object.entries(after)
              .map(([name, value]) => `${name} ${value}`)
              .join(', ') || 'none',
        });
      });
    },
  };
}

function tooLoose(patch: LimitsPatch, operator: RiskCaps): readonly FieldError[] {
  const loose = (
    name: keyof RiskCaps,
    wordOf: (value: number) => string,
  ): readonly FieldError[] => {
    const [wanted, most] = [patch[name] ?? 0, operator[name]];
    return most !== undefined && wanted > most
      ? [
          {
            path: `/${LIMIT_NAMES[name]}`,
            message: `at most ${wordOf(most)}, the operator's limit`,
          },
        ]
      : [];
  };
  const usd = (micros: number) => `${formatMicros(usdcMicros(micros))} USD`;
  return [
    ...loose('orderUsdc', usd),
    ...loose('exposureUsdc', usd),
    ...loose('openPositions', String),
    ...loose('dailyLossUsdc', usd),
  ];
}

function patched(own: RiskCaps, patch: LimitsPatch): RiskCaps {
  const money = (name: 'orderUsdc' | 'exposureUsdc' | 'dailyLossUsdc') => {
    const value = patch[name] === undefined ? own[name] : patch[name];
    return value === undefined || value === null ? {} : { [name]: usdcMicros(value) };
  };
  const positions = patch.openPositions === undefined ? own.openPositions : patch.openPositions;
  return {
    ...money('orderUsdc'),
    ...money('exposureUsdc'),
    ...money('dailyLossUsdc'),
    ...(positions === undefined || positions === null ? {} : { openPositions: positions }),
  };
}
