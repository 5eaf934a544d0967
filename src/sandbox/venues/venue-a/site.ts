import type { Clock } from '../../../ports/clock.ts';
import type { FaultBoard } from '../../faults.ts';
import { gateReply } from './clob/engine-modes.ts';
import { ok, serveHttp, type Listening, type VenueRoute } from '../../wire/http-server.ts';

/** Serves what is asked of the venue's website (venue_a.md section 1.1). */
export async function startSite({
  clock,
  faults,
  port,
}: {
  readonly clock: Clock;
  readonly faults: FaultBoard;
  /** 0 or absent: any free port. */
  readonly port?: number;
}): Promise<Listening> {
  return serveHttp({
    clock,
    routes: siteRoutes(faults),
    before: (request) => gateReply(faults, request),
    ...(port === undefined ? {} : { port }),
  });
}

/**
 * Whether orders are taken from the caller's address: not while orders answer 403. Asking uses no
 * fault up.
 */
export function siteRoutes(faults: FaultBoard): readonly VenueRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/geoblock',
      run: () =>
        ok(
          faults.isArmed('geoblocked', { path: '/order' })
            ? { blocked: true, ip: '127.0.0.1', country: 'US', region: 'NY' }
            : { blocked: false, ip: '127.0.0.1', country: 'IE', region: 'L' },
        ),
    },
  ];
}
