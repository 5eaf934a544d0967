// The launch platform's own package, as published. It is installed beside this file, which is where
// tests find it; only its CommonJS half loads on Node 20 (web3.md section 0).
import { createRequire } from 'node:module';
import type * as Platform from '@pump-fun/pump-sdk';

const resolve = createRequire(import.meta.url);
const platform = resolve('@pump-fun/pump-sdk') as typeof Platform; // typed by the package

export const { PUMP_SDK, PUMP_PROGRAM_ID, bondingCurvePda } = platform;

/** Reads an event that a program published by a call of itself; `data` is that call's. */
export function platformEvent(
  data: Uint8Array,
): { readonly name: string; readonly data: Record<string, unknown> } | null {
  const beside = createRequire(resolve.resolve('@pump-fun/pump-sdk'));
  // the package's own decoder of its own interface, whose types are those of the interface
  const { BorshEventCoder } = beside('@coral-xyz/anchor') as {
    BorshEventCoder: new (idl: unknown) => { decode(text: string): never };
  };
  const coder = new BorshEventCoder(platform.pumpIdl);
  return coder.decode(Buffer.from(data.subarray(8)).toString('base64'));
}
