// The client that the venue of order books and pools publishes. It is installed beside this file,
// which is where tests find it.
import { createRequire } from 'node:module';
import type { OrderClient } from '@limitless-exchange/sdk';

export {
  ApiTokenService,
  AuthenticationError,
  CancelReplaceMode,
  HttpClient,
  MarketFetcher,
  OrderBuilder,
  OrderClient,
  OrderSigner,
  OrderType,
  PortfolioFetcher,
  Side,
  WebSocketClient,
} from '@limitless-exchange/sdk';

const require = createRequire(import.meta.url);
const { Wallet } = createRequire(require.resolve('@limitless-exchange/sdk'))('ethers') as {
  readonly Wallet: new (key: string) => ConstructorParameters<typeof OrderClient>[0]['wallet'];
};
/** A wallet as the client takes it. */
export { Wallet };
