import type { Output } from '../api/routes.ts';

type Agent = Output<'GET /api/agents/'>['data'][number];

/** The id of the banner that lets trading go on. */
export const STOPPED_ID = 'trading-stopped';

/**
 * True where a stop of all would change nothing: the user stopped all trading, and no agent is left
 * switched on. What is unknown is no reason to take the stop away.
 */
export function isAllStopped(
  stop: Pick<Output<'GET /api/user/stop'>, 'stopped' | 'operator'> | undefined,
  agents: readonly Pick<Agent, 'enabled'>[] | undefined,
): boolean {
  if (stop === undefined || agents === undefined) return false;
  return stop.stopped && stop.operator === null && agents.every(({ enabled }) => !enabled);
}

/**
 * The agents that a stop of all switched off and that still are, by when each last changed: trading
 * that is resumed does not switch them on again.
 */
export function switchedOff<Shown extends Pick<Agent, 'enabled' | 'updatedAtMs'>>(
  stop: Pick<Output<'GET /api/user/stop'>, 'changedAtMs'>,
  agents: readonly Shown[],
): readonly Shown[] {
  const { changedAtMs } = stop;
  return changedAtMs === null
    ? []
    : agents.filter(
        ({ enabled, updatedAtMs }) =>
          !enabled && updatedAtMs !== null && updatedAtMs >= changedAtMs,
      );
}

/** Those of the agents that a stop switched off that are off at present. */
export function stillOff<Shown extends Pick<Agent, 'agent' | 'enabled'>>(
  switchedOffIds: readonly string[],
  agents: readonly Shown[],
): readonly Shown[] {
  return agents.filter(({ agent, enabled }) => !enabled && switchedOffIds.includes(agent));
}

/** Why no agent can be switched on now, and whether the user may end that; null where one can. */
export function enablingBlocked(
  stop: Pick<Output<'GET /api/user/stop'>, 'stopped' | 'operator'> | undefined,
): { readonly why: string; readonly isOwnStop: boolean } | null {
  if (stop === undefined) return null;
  if (stop.operator !== null)
    return { why: 'The operator stopped trading, so it could do nothing now.', isOwnStop: false };
  return stop.stopped
    ? { why: 'All your trading is stopped, so it could do nothing now.', isOwnStop: true }
    : null;
}
