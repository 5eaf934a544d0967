// Lets the newest conformance suite load on Node 20: it imports `globSync`, which came with Node
// 22, for commands that are not run here.
import { register } from 'node:module';

const SUITE = /\/(@modelcontextprotocol\/conformance|conformance-next)\//;
const FILES =
  'data:text/javascript,import fs from "node:fs";export * from "node:fs";export default fs;export const globSync=()=>[];';

if (!import.meta.url.includes('?hooks')) register(`${import.meta.url}?hooks`);

export async function resolve(specifier, context, next) {
  return ['fs', 'node:fs'].includes(specifier) && SUITE.test(context.parentURL ?? '')
    ? { url: FILES, shortCircuit: true }
    : next(specifier, context);
}
