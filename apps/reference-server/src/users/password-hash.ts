import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** A password as it is kept: `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`, the PHC string format. RFC 7914. */
export interface PasswordHash {
  /** Logarithm of scrypt's N to the base 2. */
  readonly logCost: number;
  readonly blockSize: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** 32 MiB and about a tenth of a second for each attempt. */
const DEFAULT_LOG_COST = 15;
const BLOCK_SIZE = 8;
const PARALLELISM = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** A hash in a configuration file may not cost more than this, or logging in would be a way to use up memory. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
const MIN_LOG_COST = 10;
const MAX_PARALLELISM = 16;

const FORMAT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{16,128})\$([A-Za-z0-9+/]{22,128})$/u;

/** @returns undefined for what is no hash, and for one that costs too much. */
export function parsePasswordHash(text: string): PasswordHash | undefined {
  const match = FORMAT.exec(text);
  if (match === null) return undefined;
  const [logCost, blockSize, parallelism] = match.slice(1, 4).map(Number) as [number, number, number];
  const [salt, hash] = match.slice(4).map((part) => Buffer.from(part, 'base64')) as [Buffer, Buffer];
  const memoryBytes = 128 * 2 ** logCost * blockSize;
  if (logCost < MIN_LOG_COST || blockSize < 1 || parallelism < 1 || parallelism > MAX_PARALLELISM) return undefined;
  return memoryBytes > MAX_MEMORY_BYTES ? undefined : { logCost, blockSize, parallelism, salt, hash };
}

/** Makes the text that a configuration keeps. */
export async function hashPassword(password: string, logCost: number = DEFAULT_LOG_COST): Promise<string> {
  const parameters = { logCost, blockSize: BLOCK_SIZE, parallelism: PARALLELISM, salt: randomBytes(SALT_BYTES) };
  const hash = await derive(password, parameters, HASH_BYTES);
  const [salt, digest] = [parameters.salt, hash].map((bytes) => bytes.toString('base64').replace(/=+$/u, ''));
  return `$scrypt$ln=${logCost},r=${BLOCK_SIZE},p=${PARALLELISM}$${salt}$${digest}`;
}

/** How long it takes doesn't tell how much of the password was right. The work is done off the event loop. */
export async function verifyPassword(password: string, expected: PasswordHash): Promise<boolean> {
  return timingSafeEqual(await derive(password, expected, expected.hash.length), expected.hash);
}

function derive(password: string, { logCost, blockSize, parallelism, salt }: Omit<PasswordHash, 'hash'>, length: number): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** logCost, r: blockSize, p: parallelism, maxmem: 2 * MAX_MEMORY_BYTES };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}
