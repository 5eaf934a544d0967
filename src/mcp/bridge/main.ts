#!/usr/bin/env node
import { runBridge } from './command.ts';

const fault = await runBridge(process.argv.slice(2), process.env['PREDICTD_MCP_KEY']);
if (fault !== null) {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 2;
}
