import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What the bridge is made of: built-ins of Node.js and these files alone. */
const FILES = ['bridge.js', 'command.js', 'main.js'];

const compiled = fileURLToPath(new URL('../../../dist/src/mcp/bridge/', import.meta.url));
const packed = fileURLToPath(new URL('./dist/', import.meta.url));
mkdirSync(packed, { recursive: true });
for (const file of FILES) {
  if (!existsSync(`${compiled}${file}`))
    throw new Error('compile the daemon first: node config/prepare.mjs --build');
  cpSync(`${compiled}${file}`, `${packed}${file}`);
}
