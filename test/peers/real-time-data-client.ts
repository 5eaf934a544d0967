// The venue's client for live prices, as published. It is installed beside this file, which is
// where tests find it.
export { RealTimeDataClient } from '@polymarket/real-time-data-client';
export type { Message } from '@polymarket/real-time-data-client';
