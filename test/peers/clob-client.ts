// The venue's first client, as published. It is installed beside this file, which is where tests
// find it.
export { ClobClient, OrderType, Side } from '@polymarket/clob-client';
