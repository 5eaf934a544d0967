/** Begins the id of a shadow run's account; no user's id begins so. */
export const SHADOW_PREFIX = 'shadow:';

/** True for the account of a shadow run. */
export function isShadow(userId: string): boolean {
  return userId.startsWith(SHADOW_PREFIX);
}
