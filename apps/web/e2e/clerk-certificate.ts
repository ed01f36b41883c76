import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/*
 * A certificate for 127.0.0.1, made for one run and signed by itself: Clerk's frontend API is
 * always reached by https, and Node can serve that but makes no certificates. X.509 by RFC 5280,
 * DER by ITU-T X.690.
 */

export interface Certificate {
  key: string;
  cert: string;
}

const ecdsaWithSha256 = '06082a8648ce3d040302';
const commonName = '0603550403';
const subjectAltName = '0603551d11';

export function makeCertificate(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(0x30, hex(ecdsaWithSha256));
  const name = der(0x30, der(0x31, der(0x30, hex(commonName), der(0x0c, Buffer.from('Clerk')))));
  const address = der(0x87, Buffer.from([127, 0, 0, 1]));
  const extension = der(0x30, hex(subjectAltName), der(0x04, der(0x30, address)));
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    der(0x30, time(Date.now() - day), time(Date.now() + day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, extension)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(der(0x30, body, algorithm, signature)),
  };
}

const day = 24 * 60 * 60 * 1000;

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...size(content.length)]), content]);
}

/** In the fewest bytes possible, as DER requires. */
function size(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

/** UTCTime, of which the year has two digits. */
function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
