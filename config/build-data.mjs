// Writes into dist/data what other packages hold and the daemon only reads: the viewer of the interface, compiled
// contracts of the sandbox's chains, the native builds of the HTTP server. An installed predictd needs none of those
// packages. Nothing of it is kept in the repository; each folder carries the licences of what is in it.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'dist', 'data');
const fresh = join(root, 'dist', 'data.next');
const STAMP = '.built';

const SAFE = '@safe-global/safe-contracts';
const DEPLOYMENTS = '@safe-global/safe-deployments';
const FACTORY = '@safe-global/safe-singleton-factory';
const CODE = ['bytecode', 'deployedBytecode'];
/** Local EVM chains. */
const CHAINS = [1, 56, 137, 8453, 42161];
const SAFE_ARTIFACTS = [
  'Safe.sol/Safe',
  'SafeL2.sol/SafeL2',
  'proxies/SafeProxyFactory.sol/SafeProxyFactory',
  'proxies/SafeProxy.sol/SafeProxy',
  'handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler',
  'libraries/MultiSend.sol/MultiSend',
  'libraries/MultiSendCallOnly.sol/MultiSendCallOnly',
];
const SAFE_NAMES = [
  'safe',
  'safe_l2',
  'safe_proxy_factory',
  'compatibility_fallback_handler',
  'multi_send',
  'multi_send_call_only',
];
const PLATFORMS = ['linux_x64', 'linux_arm64', 'darwin_x64', 'darwin_arm64'];
/** Module interface of Node 20, the only promised one that the server has builds for. */
const MODULES = 115;

/**
 * Each file: where it comes from in node_modules, where it goes in dist/data, and the members that
 * are kept of a JSON file, all of them where none is named.
 */
export const BUILT_DATA = [
  ['swagger-ui-dist/swagger-ui-bundle.js', 'viewer/swagger-ui-bundle.js'],
  ['swagger-ui-dist/swagger-ui.css', 'viewer/swagger-ui.css'],
  ['swagger-ui-dist/LICENSE', 'viewer/LICENSE'],
  ['swagger-ui-dist/NOTICE', 'viewer/NOTICE'],
  ['swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt', 'viewer/swagger-ui-bundle.js.LICENSE.txt'],
  ...SAFE_ARTIFACTS.map((path) => [
    `${SAFE}/build/artifacts/contracts/${path}.json`,
    `contracts/safe/${path}.json`,
    CODE,
  ]),
  [`${SAFE}/LICENSE`, 'contracts/safe/LICENSE'],
  ...SAFE_NAMES.map((name) => [
    `${DEPLOYMENTS}/dist/assets/v1.4.1/${name}.json`,
    `contracts/safe-deployments/${name}.json`,
    ['deployments'],
  ]),
  [`${DEPLOYMENTS}/LICENSE`, 'contracts/safe-deployments/LICENSE'],
  ...CHAINS.map((chain) => [
    `${FACTORY}/artifacts/${chain}/deployment.json`,
    `contracts/singleton-factory/${chain}.json`,
  ]),
  [`${FACTORY}/LICENSE`, 'contracts/singleton-factory/LICENSE'],
  [
    '@gnosis.pm/conditional-tokens-contracts/build/contracts/ConditionalTokens.json',
    'contracts/conditional-tokens/ConditionalTokens.json',
    CODE,
  ],
  ['@gnosis.pm/conditional-tokens-contracts/LICENSE', 'contracts/conditional-tokens/LICENSE'],
  [
    '@gnosis.pm/conditional-tokens-market-makers/build/contracts/FPMMDeterministicFactory.json',
    'contracts/market-makers/FPMMDeterministicFactory.json',
    CODE,
  ],
  ['@gnosis.pm/conditional-tokens-market-makers/LICENSE', 'contracts/market-makers/LICENSE'],
  [
    '@uniswap/v2-core/build/UniswapV2Factory.json',
    'contracts/uniswap/UniswapV2Factory.json',
    ['bytecode'],
  ],
  ...['UniswapV2Router02', 'WETH9'].map((name) => [
    `@uniswap/v2-periphery/build/${name}.json`,
    `contracts/uniswap/${name}.json`,
    ['bytecode'],
  ]),
  ['@uniswap/v2-core/LICENSE', 'contracts/uniswap/LICENSE'],
  ...PLATFORMS.map((platform) => [
    `uWebSockets.js/binaries/uws_${platform}_${MODULES}.node`,
    `server/uws_${platform}_${MODULES}.node`,
  ]),
  ['uWebSockets.js/LICENSE', 'server/LICENSE'],
];

/** True when dist/data is what the lock and this file say. */
export function isDataBuilt() {
  const stamp = join(built, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digest();
}

/** Writes dist/data anew; the folder is replaced whole, with its stamp last. */
export function buildData() {
  rmSync(fresh, { recursive: true, force: true });
  for (const [from, to, kept] of BUILT_DATA) {
    const source = join(root, 'node_modules', from);
    const target = join(fresh, to);
    // the server's official build lays its files out otherwise, and is loaded from its package
    if (to.startsWith('server/') && !existsSync(source)) continue;
    mkdirSync(dirname(target), { recursive: true });
    if (kept === undefined) copyFileSync(source, target);
    else writeFileSync(target, membersOf(readFileSync(source, 'utf8'), kept));
  }
  writeFileSync(join(fresh, STAMP), digest());
  rmSync(built, { recursive: true, force: true });
  renameSync(fresh, built);
}

function membersOf(text, kept) {
  const whole = JSON.parse(text);
  return `${JSON.stringify(Object.fromEntries(kept.map((name) => [name, whole[name]])))}\n`;
}

function digest() {
  const hash = createHash('sha256');
  for (const file of ['config/build-data.mjs', 'package-lock.json'])
    hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}
