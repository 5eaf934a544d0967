import {
  address,
  getAddressEncoder,
  lamports,
  type Address,
  type EncodedAccount,
} from '@solana/kit';
import { derivedAddress } from '../chains/solana/associated-address.ts';
import { programAccount } from '../chains/solana/program-account.ts';
import type { ChainFounding } from '../chains/solana/solana-rpc.ts';
import core from './programs/core.json' with { type: 'json' };
import registry from './programs/registry.json' with { type: 'json' };

/** Where the registry and the asset program are on the main network (web3.md section 5). */
const REGISTRY_PROGRAM = address('8oo4dC4JvBLwy5tGgiH3WwK4B9PWxL9Z4XjA2jzkQMbQ');
const CORE_PROGRAM = address('CoREENxT6tW1HoK8ypY1SxRMZTcVPm7R94rH4PZNhX7d');
/** The sandbox's collection of entries: an address without a key. */
const COLLECTION = derivedAddress([Buffer.from('sandbox collection')], REGISTRY_PROGRAM);
/** Of the registry's accounts (8004-solana 0.8.3, core/instruction-discriminators). */
const ROOT_CONFIG = Buffer.of(42, 216, 8, 82, 19, 209, 223, 246);
const REGISTRY_CONFIG = Buffer.of(23, 118, 10, 246, 173, 231, 243, 156);
const CONFIG_LAMPORTS = 1_398_960n;

/** Returns the agent registry with the asset program it calls, and the accounts it begins with. */
export function registryFounding(): ChainFounding {
  const collection = Uint8Array.from(getAddressEncoder().encode(COLLECTION));
  const config = (at: Address, discriminator: Uint8Array): EncodedAccount => {
    // the collection, an authority without a key, and a bump that is not read
    const data = Buffer.concat([discriminator, collection, Buffer.alloc(33)]);
    return {
      address: at,
      executable: false,
      lamports: lamports(CONFIG_LAMPORTS),
      programAddress: REGISTRY_PROGRAM,
      space: BigInt(data.length),
      data: new Uint8Array(data),
    };
  };
  return {
    programs: [programAccount(REGISTRY_PROGRAM, registry), programAccount(CORE_PROGRAM, core)],
    accounts: [
      config(derivedAddress([Buffer.from('root_config')], REGISTRY_PROGRAM), ROOT_CONFIG),
      config(
        derivedAddress([Buffer.from('registry_config'), collection], REGISTRY_PROGRAM),
        REGISTRY_CONFIG,
      ),
    ],
  };
}
