import type { Endpoints, Profile } from '../../config/profiles/profile.ts';
import { curve } from '../adapters/wire/secp256k1.ts';
import type { ServerKind } from '../http/listener/listener.ts';
import type { ClosedVenue } from '../services/venues.ts';
import { faultsNote, sandboxAddressLines } from './sandbox-addresses.ts';

/** What the terminal shows once the daemon answers. */
export interface Banner {
  readonly print: (line: string) => void;
  readonly profile: Profile;
  readonly url: string;
  readonly kind: ServerKind;
  readonly folder: string;
  readonly endpoints: Endpoints;
  readonly closedVenues: readonly Pick<ClosedVenue, 'id' | 'reason'>[];
}

const SERVERS: Readonly<Record<ServerKind, string>> = {
  uws: 'uWebSockets.js serves HTTP and sockets',
  node: `Node's own server and ws serve HTTP and sockets (PREDICTD_HTTP_SERVER, config/README.md)`,
};

/** Says where everything is and how fast time runs. */
export function printBanner({
  print,
  profile,
  url,
  kind,
  folder,
  endpoints,
  closedVenues,
}: Banner): void {
  print(`predictd (${profile.name}) answers at ${url} (open it in a browser)`);
  print(`  agents    ${url}/api/agents/        interface  ${url}/docs`);
  print(`  live      ${url.replace('http', 'ws')}/ws                metrics    ${url}/metrics`);
  print(`  data      ${folder}   (log: predictd.log; Ctrl-C ends, starting again goes on)`);
  print(`  server    ${SERVERS[kind]}`);
  if (curve.kind === 'wasm')
    print(
      `  signing   by WebAssembly, twice as long an order: secp256k1 has no build for ${process.platform}-${process.arch}`,
    );
  print(`  times     of the lines below are market time, in UTC: ${timesNote(profile.clockScale)}`);
  for (const { id, reason } of closedVenues)
    print(`  closed    ${id} could not be opened, and is not served: ${reason}`);
  if (profile.world === null) return;
  print(
    `  sandbox   the venue and all other services run beside the daemon on 127.0.0.1; as JSON: npm start -- --addresses, or addresses.json in the data folder`,
  );
  for (const line of sandboxAddressLines(endpoints)) print(`            ${line}`);
  print(`  faults    ${faultsNote(endpoints.control)}`);
  if (profile.clockScale !== 1)
    print(
      `  time      runs ${profile.clockScale} times as fast here: a 5-minute market takes ${Math.round(300 / profile.clockScale)} s (PREDICTD_SANDBOX_SPEED)`,
    );
}

function timesNote(clockScale: number): string {
  return clockScale === 1
    ? 'the same as your clock'
    : `${clockScale} s pass in one of yours, and the API speaks of yours`;
}
