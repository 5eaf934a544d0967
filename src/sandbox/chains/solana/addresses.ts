import { address } from '@solana/kit';

/** Programs and mints of the network, as on the main one (web3.md section 8.2). */
export const SYSTEM_PROGRAM = address('11111111111111111111111111111111');
/** The token program. */
export const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
/** Its successor with extensions. */
export const TOKEN_2022_PROGRAM = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
/** Makes the one token account a wallet has for a mint. */
export const ASSOCIATED_TOKEN_PROGRAM = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
/** Writes a note into a transaction. */
export const MEMO_PROGRAM = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
/** Circle's USDC on the main network; the sandbox's test USDC lives at the same address. */
export const USDC_MINT = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
/** Decimals of USDC. */
export const USDC_DECIMALS = 6;
