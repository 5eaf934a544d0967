import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Folder of the libraries that are only compared with; compiled code finds it in the sources as
 * well.
 */
const FOLDER = fileURLToPath(
  new URL(
    import.meta.url.includes('/dist/test/bench/') ? '../../../test/bench/peers/' : './peers/',
    import.meta.url,
  ),
);

/** Loads a peer library, or says on the terminal that it is not installed and gives null. */
export function loadPeer(name: string): unknown {
  try {
    return createRequire(`${FOLDER}index.js`)(name);
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'MODULE_NOT_FOUND'))
      throw cause;
    console.info(`${name} is not installed: "npm run bench" installs what is compared with`);
    return null;
  }
}
