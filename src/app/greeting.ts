import type { Endpoints, Profile } from '../../config/profiles/profile.ts';

/** What the terminal shows once the daemon answers. */
export interface Greeting {
  readonly print: (line: string) => void;
  readonly profile: Profile;
  readonly url: string;
  readonly folder: string;
  readonly endpoints: Endpoints;
}

/** Says where everything is and how fast time runs. */
export function greet({ print, profile, url, folder, endpoints }: Greeting): void {
  print(`predictd (${profile.name}) answers at ${url}`);
  print(`  agents    ${url}/api/agents/        interface  ${url}/openapi.json`);
  print(`  live      ${url.replace('http', 'ws')}/ws                metrics    ${url}/metrics`);
  print(`  data      ${folder}   (log: predictd.log; Ctrl-C ends, starting again goes on)`);
  if (profile.world === null) return;
  print(`  sandbox   the venue, its feeds and the exchange run beside the daemon on 127.0.0.1:`);
  print(`            order book ${endpoints.clobRest}, listings ${endpoints.gamma}, prices ${endpoints.rtds}`);
  print(`            chains 137 ${endpoints.polygonRpc} and 8453 ${endpoints.baseRpc}, relayer ${endpoints.relayer}, bridge ${endpoints.bridge}`);
  print(`  sign-in   Google is played by ${endpoints.openId}, the social protocol by ${endpoints.socialRpc}`);
  print(`  push      browsers that are told of trades are played by ${endpoints.push}`);
  print(`  faults    are listed at ${endpoints.control}/faults; POST {"name":"late-ack","times":1} there arms one, DELETE /faults/late-ack ends it`);
  if (profile.clockScale !== 1) print(`  time      runs ${profile.clockScale} times as fast here: a 5-minute market takes ${Math.round(300 / profile.clockScale)} s (PREDICTD_SANDBOX_SPEED)`);
}
