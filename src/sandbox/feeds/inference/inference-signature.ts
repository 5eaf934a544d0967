import {
  concatHex,
  encodeAbiParameters,
  hashMessage,
  keccak256,
  serializeSignature,
  stringToHex,
  toHex,
  type Hex,
} from 'viem';
import { sign } from 'viem/accounts';

/** The numbers that are signed, scaled by 10^18, and what they speak of. */
export interface InferenceData {
  readonly networkInference: bigint;
  readonly timestamp: bigint;
  readonly topicId: bigint;
  readonly extraData: Hex;
  readonly percentiles: readonly bigint[];
  readonly values: readonly bigint[];
}

const TYPE =
  'NetworkInferenceData(uint256 networkInference,uint256 timestamp,uint256 topicId,bytes extraData,uint256[] confidenceIntervalPercentiles,uint256[] confidenceIntervalValues)';
const DOMAIN_TYPE =
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';
/** The consumer contract on Sepolia (feeds.md section 1.4). */
const DOMAIN = {
  name: 'AlloraConsumer',
  version: '1',
  chainId: 11_155_111n,
  verifyingContract: '0x8E45fbef38DaC54e32AfB27AC8cBab30E6818ce6',
} as const;
/** The sandbox's own provider key: derived from a public sentence, worth nothing. */
const PROVIDER_KEY = keccak256(stringToHex('predictd sandbox inference provider'));

/**
 * What the provider signs. Not strict EIP-712: the dynamic members enter the struct hash
 * ABI-encoded as they are, and the result is wrapped once more as a signed message (feeds.md
 * section 1.4).
 */
function inferenceDigest(data: InferenceData): Hex {
  const struct = encodeAbiParameters(
    [
      { type: 'bytes32' },
      { type: 'uint256' },
      { type: 'uint256' },
      { type: 'uint256' },
      { type: 'bytes' },
      { type: 'uint256[]' },
      { type: 'uint256[]' },
    ],
    [
      keccak256(stringToHex(TYPE)),
      data.networkInference,
      data.timestamp,
      data.topicId,
      data.extraData,
      [...data.percentiles],
      [...data.values],
    ],
  );
  const domain = encodeAbiParameters(
    [
      { type: 'bytes32' },
      { type: 'bytes32' },
      { type: 'bytes32' },
      { type: 'uint256' },
      { type: 'address' },
    ],
    [
      keccak256(stringToHex(DOMAIN_TYPE)),
      keccak256(stringToHex(DOMAIN.name)),
      keccak256(toHex(DOMAIN.version)),
      DOMAIN.chainId,
      DOMAIN.verifyingContract,
    ],
  );
  return hashMessage({
    raw: keccak256(concatHex(['0x1901', keccak256(domain), keccak256(struct)])),
  });
}

/** Signs with the sandbox's provider key: 65 bytes. */
export async function signInference(data: InferenceData): Promise<Hex> {
  return serializeSignature(await sign({ hash: inferenceDigest(data), privateKey: PROVIDER_KEY }));
}
