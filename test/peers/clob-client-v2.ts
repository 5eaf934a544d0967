// The venue's client for orders of version 2, as published. It is installed beside this file, which
// is where tests find it.
export { AssetType, ClobClient, OrderType, Side, orderToJsonV2 } from '@polymarket/clob-client-v2';
export type { ApiKeyCreds, SignedOrder } from '@polymarket/clob-client-v2';
