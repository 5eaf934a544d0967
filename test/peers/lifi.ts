/** The router's own kit with its two providers, as published; tests find it beside this file. */
export {
  convertQuoteToRoute,
  createClient,
  executeRoute,
  getChains,
  getConnections,
  getGasRecommendation,
  getQuote,
  getRoutes,
  getTokens,
} from '@lifi/sdk';
export { EthereumProvider } from '@lifi/sdk-provider-ethereum';
export { SolanaProvider } from '@lifi/sdk-provider-solana';
export { createWalletClient, defineChain, http } from 'viem';
export { privateKeyToAccount } from 'viem/accounts';
