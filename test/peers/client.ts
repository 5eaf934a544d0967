// The venue's newer client, as published. It is installed beside this file, which is where tests
// find it.
export {
  OrderSide,
  SearchSort,
  createPublicClient,
  createSecureClient,
  forkEnvironmentConfig,
} from '@polymarket/client';
export type { CommentParentEntityType, PublicClient } from '@polymarket/client';
export { privateKey } from '@polymarket/client/viem';
