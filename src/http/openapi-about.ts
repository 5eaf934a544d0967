import { API } from '../../config/limits/api.ts';
import type { VenueApi } from './venue-api.ts';

/** What the document says of the interface as a whole. */
export const ABOUT = `Trading on prediction markets, manually and through agents.

- Each path answers with and without its trailing slash.
- Money, prices and shares are decimal text in answers, exact; requests take numbers or text. Times are epoch milliseconds in fields that end in \`AtMs\`.
- Lists answer \`{ data, nextCursor }\`. Those that grow take \`limit\` (1 to ${API.pageMaximum}, ${API.pageDefault} unless said otherwise) and \`cursor\`, the \`nextCursor\` of the page before with the same filters.
- A call that moves money takes an \`Idempotency-Key\`: repeating it with the same key gives the first answer again.
- What goes wrong comes as \`application/problem+json\`. Programs go by \`code\`; \`type\` leads to a page that says what it means, whether to try again and what to do.
- \`RateLimit-…\` tell what is left of the budget a call is counted in, \`Retry-After\` when to come back.`;

/** Returns the families of calls, those of the venues among them. */
export function tagsOf(venues: readonly VenueApi[]) {
  return [
    { name: 'auth', description: 'Signing in, staying signed in, leaving.' },
    { name: 'user', description: 'Your profile, limits, notifications.' },
    { name: 'keys', description: 'API keys for programs of yours.' },
    { name: 'markets', description: 'Markets of all venues in one list.' },
    ...venues.map(({ venue, description }) => ({ name: venue, description })),
    { name: 'agents', description: 'Agents that trade for you.' },
    { name: 'web3', description: 'Your wallets and their chains.' },
    { name: 'system', description: 'The daemon itself.' },
    {
      name: 'live',
      description: `The WebSocket at \`/ws\`: order books, prices and your own orders, positions, agents, notifications and transfers as they change.

Say who you are by the \`Authorization\` header of the upgrade, or by a first message \`{"op":"auth","token":"…"}\` within ${API.socketAuthMs / 1_000} s; never by the URL. Then:

\`\`\`json
{"op":"subscribe","topics":["orderbook:<venue>:<tokenId>","prices:<venue>:<tokenId>","prices:BTC","orders","positions","agents","notifications","transfers"]}
{"op":"unsubscribe","topics":["prices:BTC"]}
{"op":"ping","id":7}
\`\`\`

Every message may carry an \`id\`, which its answers carry too. A topic begins with a \`snapshot\` and goes on with \`change\` messages; a book's ends with its market by an \`ended\` one, whose \`data.reason\` is \`closed\` or \`resolved\`:

\`\`\`json
{"topic":"orders","kind":"change","epoch":1887436800271467,"seq":18,"ageMs":40,"trusted":true,"data":{}}
\`\`\`

\`epoch\` names one stream and is never used again, \`seq\` has no holes within it; after a hole, or a change of an epoch you do not know, subscribe again. Messages of your own topics carry a \`cursor\`; after a break, \`{"op":"subscribe","topics":[…],"since":"<the newest cursor>"}\` tells what you missed (\`again\`), each change once and in order, then says \`caught_up\` and goes on, or says \`too_old\` and begins with snapshots (see also \`GET /api/events\`). A book asked for over HTTP carries the numbers of the message it is the state of while its topic is read and trusted, so changes after its \`seq\` go on from it; with another \`epoch\` it is independent of them. Messages hold at most ${API.socketPayloadMaximumBytes} bytes. Faults come as messages \`{"op":"error",…}\` with the codes of problems. The socket closes with 1001 (the service is going down, or could not send something of your own: come back), 1009 (message too large), 4400 (too many faulty messages), 4401 (token missing, wrong or expired), 4403 (no username yet), 4408 (no token in time), 4429 (too many sockets or messages).`,
    },
  ];
}

/** The upgrade to a WebSocket, which is no row of the route table. */
export const SOCKET_PATH = {
  get: {
    operationId: 'openSocket',
    summary: 'Open a WebSocket',
    description: 'Upgrades the connection (RFC 6455). What is said over it: see the tag `live`.',
    tags: ['live'],
    security: [{ bearer: [] }, {}],
    parameters: [],
    responses: {
      101: { description: 'The socket is open.' },
      400: { $ref: '#/components/responses/BadRequest' },
      401: { $ref: '#/components/responses/Unauthorized' },
      426: { $ref: '#/components/responses/UpgradeRequired' },
    },
  },
} as const;
