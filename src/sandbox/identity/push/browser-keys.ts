import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** A browser's half of a subscription: its key on P-256 and the secret it shares, raw bytes. */
export interface BrowserKeys {
  readonly publicKey: Buffer;
  readonly privateKey: Buffer;
  readonly auth: Buffer;
}

const KEY_ID_AT = 21;
const SALT_BYTES = 16;
const TAG_BYTES = 16;

/** Makes the keys of a subscription, as a browser does. */
export function freshBrowserKeys(): BrowserKeys {
  const curve = createECDH('prime256v1');
  curve.generateKeys();
  return {
    publicKey: curve.getPublicKey(),
    privateKey: curve.getPrivateKey(),
    auth: randomBytes(16),
  };
}

/**
 * Opens a message as a browser does: header and record of RFC 8188, sections 2 and 2.1, keys of RFC
 * 8291, section 3.4. One record, since RFC 8291, section 4, allows no more. Throws a RangeError for
 * anything else.
 */
export function openMessage({ publicKey, privateKey, auth }: BrowserKeys, body: Buffer): string {
  const keyIdLength = body[KEY_ID_AT - 1] ?? 0;
  if (body.length < KEY_ID_AT + keyIdLength + TAG_BYTES + 1 || keyIdLength !== 65)
    throw new RangeError('no message of one record and one key');
  const salt = body.subarray(0, SALT_BYTES);
  const recordSize = body.readUInt32BE(SALT_BYTES);
  const senderKey = body.subarray(KEY_ID_AT, KEY_ID_AT + keyIdLength);
  const record = body.subarray(KEY_ID_AT + keyIdLength);
  if (record.length > recordSize) throw new RangeError('more than one record');
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(privateKey);
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, senderKey]);
  const secret = Buffer.from(hkdfSync('sha256', curve.computeSecret(senderKey), auth, keyInfo, 32));
  const contentKey = Buffer.from(
    hkdfSync('sha256', secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16),
  );
  const nonce = Buffer.from(
    hkdfSync('sha256', secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12),
  );
  const decipher = createDecipheriv('aes-128-gcm', contentKey, nonce).setAuthTag(
    record.subarray(record.length - TAG_BYTES),
  );
  const plain = Buffer.concat([
    decipher.update(record.subarray(0, record.length - TAG_BYTES)),
    decipher.final(),
  ]);
  const end = plain.findLastIndex((byte) => byte !== 0);
  if (end < 0 || plain[end] !== 2) throw new RangeError('a last record ends in 2 and padding');
  return plain.subarray(0, end).toString('utf8');
}
