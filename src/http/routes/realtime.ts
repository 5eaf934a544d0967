import { z } from 'zod';
import { REALTIME } from '../../../config/limits/tokens.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { coinOrKnownToken } from '../../domain/known-tokens.ts';
import type { RealtimePrice, RealtimeSubject } from '../../services/tokens/realtime.ts';
import { preferredType } from '../accept.ts';
import { EventStream } from '../event-stream.ts';
import { userRoute } from '../route.ts';
import { chainField } from '../views/token.ts';
import { evmAddressFault, withChecksum } from './evm-address.ts';
import { decimalOut, timeOut } from './fields.ts';

const ASSETS = ['BTC', 'ETH', 'SOL'] as const;

const assetsField = z
  .string()
  .max(40)
  .transform((text, context) => {
    const read = z.array(z.enum(ASSETS)).safeParse(text.split(','));
    if (read.success) return [...new Set(read.data)];
    context.addIssue({ code: 'custom', message: `assets with commas: ${ASSETS.join(', ')}` });
    return z.NEVER;
  })
  .optional()
  .meta({ description: `Assets with commas between them: ${ASSETS.join(', ')}.` });

const tokensField = z
  .string()
  .max(2_000)
  .transform((text, context) => {
    const read = text.split(',').map(tokenOf);
    if (read.every((token) => token !== null) && read.length <= REALTIME.tokensPerReaderMaximum)
      return read;
    context.addIssue({
      code: 'custom',
      message: `at most ${REALTIME.tokensPerReaderMaximum} tokens, each CHAIN:address with letters that fit its checksum, or CHAIN:ticker for a listed one`,
    });
    return z.NEVER;
  })
  .optional()
  .meta({
    description: 'Tokens with commas between them, each as CHAIN:address, such as BASE:ETH.',
  });

function tokenOf(text: string): RealtimeSubject | null {
  const [chainText = '', token = '', ...rest] = text.split(':');
  const chain = chainField.safeParse(chainText);
  if (!chain.success || rest.length > 0 || evmAddressFault(token) !== null) return null;
  const address = coinOrKnownToken(chain.data, withChecksum(token));
  return address === undefined ? null : { kind: 'token', chain: chain.data, address };
}

const priceOut = z
  .object({
    asset: z.enum(ASSETS).nullable(),
    chain: chainField.nullable(),
    address: z.string().nullable().meta({ description: "Null for an asset and a chain's coin." }),
    priceUsd: decimalOut.nullable().meta({ description: 'Null while absent or stale.' }),
    source: z.enum(['exchange', 'token_data', 'par']),
    priceAtMs: timeOut.nullable(),
    ageMs: z.int().nullable().meta({
      description: 'When it was published; null for no price, and for one that is always the same.',
    }),
  })
  .meta({ id: 'RealtimePrice' });

/** Prices as they come. */
export const realtimeRoutes = [
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/realtime/',
    budget: 'reads',
    operationId: 'getRealtimePrices',
    summary: 'Real-time price feeds',
    description:
      'The newest prices once as JSON, or as server-sent events where `Accept` asks for `text/event-stream`; a reader that comes back with `Last-Event-ID` gets what it missed. Assets by the exchange, tokens by token data.',
    query: z.strictObject({ assets: assetsField, tokens: tokensField }),
    headers: {
      'Last-Event-ID': {
        field: 'lastEventId',
        optional: true,
        description: 'Of the last event a reader of the stream has had.',
      },
    },
    produces: ['application/json', 'text/event-stream'],
    output: z.object({ data: z.array(priceOut), nextCursor: z.null() }),
    errors: ['limit_reached'],
    run: async ({ services, userId, header, wallNowMs }, { query }) => {
      const named = [
        ...(query.assets ?? (query.tokens === undefined ? ASSETS : [])).map(
          (asset): RealtimeSubject => ({ kind: 'asset', asset }),
        ),
        ...(query.tokens ?? []),
      ];
      const type = preferredType(header('accept'), ['application/json', 'text/event-stream']);
      if (type === 'application/json') {
        const prices = await services.realtime.newest(named);
        return { data: prices.map((price) => view(price, wallNowMs)), nextCursor: null };
      }
      services.realtime.assertRoom(userId);
      const reader = { userId, subjects: named, lastEventId: header('last-event-id') };
      return new EventStream((sink) => {
        let stop: () => void = () => undefined;
        stop = services.realtime.follow(reader, ({ id, atMs, ...price }) => {
          if (!sink.send({ id, name: 'price', data: view(price, atMs) })) stop();
        });
        return stop;
      });
    },
  }),
];

function view({ subject, price, source }: RealtimePrice, nowMs: number): z.input<typeof priceOut> {
  const atMs = price?.atMs ?? null;
  return {
    asset: subject.kind === 'asset' ? subject.asset : null,
    chain: subject.kind === 'token' ? subject.chain : null,
    address: subject.kind === 'token' ? subject.address : null,
    priceUsd: price === null ? null : formatTokenAmount(price.priceE18, 18),
    source,
    priceAtMs: atMs,
    ageMs: atMs === null ? null : Math.max(0, nowMs - atMs),
  };
}
