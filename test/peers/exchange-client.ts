// The exchange's own client, as published. It is installed beside this file, which is where tests
// find it.
import { createRequire } from 'node:module';
import type * as Client from 'kalshi-typescript';

const resolve = createRequire(import.meta.url);
const client = resolve('kalshi-typescript') as typeof Client; // CommonJS, typed by the package

export const { Configuration, EventsApi, ExchangeApi, MarketApi } = client;

const beside = createRequire(resolve.resolve('kalshi-typescript'));
type Transport = NonNullable<ConstructorParameters<typeof Client.MarketApi>[2]>;

/**
 * A transport of a caller's own: on the shared one, the client signs with the key of whoever came
 * first.
 */
export function ownTransport(): Transport {
  const axios = beside('axios') as { create(): Transport }; // the client's own dependency
  return axios.create();
}
