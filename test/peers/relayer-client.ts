// The venue's client for its relayer, and what signs for it, as published. Both are installed
// beside this file, which is where tests find them.
export { RelayClient } from '@polymarket/builder-relayer-client';
export { BuilderConfig } from '@polymarket/builder-signing-sdk';
