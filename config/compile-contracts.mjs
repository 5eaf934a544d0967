// Compiles the sandbox's contracts and writes one artifact for each beside its source. With --check
// it writes nothing and fails, naming them, when an artifact is not what its source gives; with
// sources named too, it looks at those alone. Needs the development packages.
import { readdirSync, readFileSync, writeFileSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const solc = require('solc');
const sandbox = fileURLToPath(new URL('../src/sandbox/', import.meta.url));
const sources = Object.fromEntries(
  readdirSync(sandbox, { recursive: true })
    .filter((name) => name.endsWith('.sol'))
    .map((name) => [name, { content: readFileSync(join(sandbox, name), 'utf8') }]),
);

const named = process.argv.slice(2).filter((word) => word !== '--check');
const asked = named.length > 0 ? named : Object.keys(sources);
const outputs = { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] };
const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources,
      settings: {
        viaIR: true,
        optimizer: { enabled: true, runs: 200 },
        evmVersion: 'prague',
        metadata: { bytecodeHash: 'none', appendCBOR: false },
        outputSelection: Object.fromEntries(asked.map((name) => [name, outputs])),
      },
    }),
    { import: (path) => ({ contents: readFileSync(require.resolve(path), 'utf8') }) },
  ),
);

const problems = output.errors ?? [];
for (const { formattedMessage } of problems) process.stderr.write(`${formattedMessage}\n`);
if (problems.length > 0) process.exit(1);

const differing = [];
for (const name of asked) {
  for (const [contractName, { abi, evm }] of Object.entries(output.contracts[name])) {
    if (evm.bytecode.object === '') continue;
    const text = `${JSON.stringify({ contractName, abi, bytecode: `0x${evm.bytecode.object}` }, null, 1)}\n`;
    const file = join(sandbox, dirname(name), `${contractName}.json`);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    differing.push(contractName);
    if (!process.argv.includes('--check')) writeFileSync(file, text);
    process.stdout.write(`${contractName}: ${evm.deployedBytecode.object.length / 2} bytes\n`);
  }
}
if (process.argv.includes('--check') && differing.length > 0) {
  process.stderr.write(
    `not what the source gives: ${differing.join(', ')}; run node config/compile-contracts.mjs\n`,
  );
  process.exit(1);
}
