import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Certificate } from './certificate.ts';

/** Certificates waiting to be written; more are passed over until the disk has caught up. */
const MAX_PENDING = 16;
const MAX_NAME_LENGTH = 64;

/** The folder of refused certificates: the newest `maxFiles` are kept, each once. */
export class RejectedCertificates {
  readonly #path: string;
  readonly #maxFiles: number;
  readonly #pending = new Map<string, Certificate>();
  #writing: Promise<void> | undefined;

  constructor(path: string, maxFiles: number) {
    this.#path = path;
    this.#maxFiles = maxFiles;
  }

  /** Stores a certificate some time soon. Never throws; a disk that fails loses only the copy. */
  add(certificate: Certificate): void {
    if (this.#maxFiles === 0 || this.#pending.size >= MAX_PENDING) return;
    this.#pending.set(certificate.thumbprint, certificate);
    this.#start();
  }

  /** Settles when everything added so far is written. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  #start(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (this.#pending.size > 0) this.#start();
    });
  }

  async #writeAll(): Promise<void> {
    for (const [thumbprint, certificate] of this.#pending) {
      try {
        await this.#write(certificate);
      } catch {
        // Unwritable folder or full disk: the refusal itself is logged by the caller.
      }
      this.#pending.delete(thumbprint);
    }
  }

  async #write(certificate: Certificate): Promise<void> {
    await mkdir(this.#path, { recursive: true });
    const path = join(this.#path, certificateFileName(certificate));
    try {
      await writeFile(path, certificate.der, { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const now = new Date();
      await utimes(path, now, now);
      return;
    }
    await this.#dropOldest();
  }

  async #dropOldest(): Promise<void> {
    const names = (await readdir(this.#path)).filter((name) => name.endsWith('.der'));
    if (names.length <= this.#maxFiles) return;
    const files = await Promise.all(
      names.map(async (name) => ({ path: join(this.#path, name), ageMs: (await stat(join(this.#path, name))).mtimeMs })),
    );
    files.sort((a, b) => a.ageMs - b.ageMs);
    for (const { path } of files.slice(0, files.length - this.#maxFiles)) await rm(path, { force: true });
  }
}

/** `common name [THUMBPRINT].der`, of characters that every file system takes. */
function certificateFileName(certificate: Certificate): string {
  const name = certificate.subject.commonName
    .replace(/[^A-Za-z0-9 ._@-]+/g, '_')
    .replace(/^[ .]+/, '')
    .slice(0, MAX_NAME_LENGTH);
  return `${name === '' ? 'unnamed' : name} [${certificate.thumbprint}].der`;
}
