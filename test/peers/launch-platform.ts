// The launch platform's own package, as published. It is installed beside this file, which is where
// tests find it; only its CommonJS half loads on Node 20 (web3.md section 0).
import { createRequire } from 'node:module';
import type * as Platform from '@pump-fun/pump-sdk';

const resolve = createRequire(import.meta.url);
const platform = resolve('@pump-fun/pump-sdk') as typeof Platform; // typed by the package

export const { PUMP_SDK, PUMP_PROGRAM_ID, OnlinePumpSdk, bondingCurvePda, pumpIdl } = platform;
