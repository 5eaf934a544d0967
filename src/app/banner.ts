import type { Endpoints, Profile } from '../../config/profiles/profile.ts';
import { curve } from '../adapters/wire/secp256k1.ts';
import type { ServerKind } from '../http/listener/listener.ts';
import type { ClosedVenue } from '../services/venues.ts';

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
  for (const [what, ...addresses] of sandboxAddresses(endpoints))
    print(
      `            ${what.padEnd(13)} ${addresses.filter((address) => address !== null).join('  ')}`,
    );
  print(
    `  faults    are listed at ${endpoints.control}/faults; POST {"name":"late-ack","times":1} there arms one, DELETE /faults/late-ack ends it`,
  );
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

/** What each address of a sandbox is for. */
function sandboxAddresses(
  endpoints: Endpoints,
): readonly (readonly [string, ...(string | null)[]])[] {
  const {
    clobRest,
    clobMarketSocket,
    clobUserSocket,
    gamma,
    dataApi,
    site,
    rtds,
    inference,
    dataStreamsRest,
    dataStreamsSocket,
    exchangeRest,
    exchangeSocket,
  } = endpoints;
  const {
    polygonRpc,
    baseRpc,
    solanaRpc,
    relayer,
    bridge,
    faucet,
    openId,
    socialRpc,
    socialRelay,
    push,
    assessor,
    control,
  } = endpoints;
  return [
    ['order book', clobRest, clobMarketSocket, clobUserSocket],
    ['listings', gamma],
    ['venue data', dataApi],
    ['venue site', site],
    ['venue prices', rtds],
    ['inference', inference],
    ['oracle', dataStreamsRest, dataStreamsSocket],
    ['exchange', exchangeRest, exchangeSocket],
    ['chain 137', polygonRpc],
    ['chain 8453', baseRpc],
    ['Solana', solanaRpc],
    ['relayer', relayer],
    ['bridge', bridge],
    ['faucet', faucet],
    ['Google', openId],
    ['social', socialRpc, socialRelay],
    ['push', push],
    ['model', assessor],
    ['faults', control],
  ];
}
