import { AppError } from '../domain/errors.ts';
import { slotOf } from '../domain/slot.ts';
import type { Random } from '../ports/random.ts';
import type { UserDirectory } from '../ports/user-directory.ts';

/**
 * Refuses what is another shard's to answer. Errors: `not_owner` with the slot that the id names.
 */
export function assertHere(directory: Pick<UserDirectory, 'slots'>, id: string): void {
  const slot = slotOf(id);
  if (slot !== null) assertSlotHere(directory, slot);
}

/** The same of a slot. */
export function assertSlotHere({ slots }: Pick<UserDirectory, 'slots'>, slot: number): void {
  if (slots !== null && !slots.has(slot)) throw elsewhere(slot);
}

/** Returns a slot of this shard by chance; null where it has all, and none need be named. */
export function ownSlot(
  { slots }: Pick<UserDirectory, 'slots'>,
  random: Pick<Random, 'integer'>,
): number | null {
  return slots === null ? null : ([...slots][random.integer(slots.size)] ?? null);
}

/** The refusal that a gateway follows to the shard of a slot, with an assertion for it. */
export function elsewhere(slot: number, assertion: string | null = null): AppError {
  return new AppError('not_owner', 'another shard answers for this user', {
    retryable: true,
    redirect: { slot, assertion },
  });
}
