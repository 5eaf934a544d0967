/** The token data's own client, as published; tests find it beside this file. */
export { default as Coingecko } from '@coingecko/coingecko-typescript';
