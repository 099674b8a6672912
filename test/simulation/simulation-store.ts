import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateStore } from '@bulkhead/security';

/** The one certificate of all simulated servers, in a folder that goes with it. */
export class SimulationStore implements AsyncDisposable {
  readonly store: CertificateStore;
  readonly #folder: string;

  private constructor(store: CertificateStore, folder: string) {
    this.store = store;
    this.#folder = folder;
  }

  static async open(): Promise<SimulationStore> {
    const folder = mkdtempSync(join(tmpdir(), 'bulkhead-simulation-'));
    const applicationUri = 'urn:bulkhead:simulated';
    const store = await CertificateStore.open({ folder, applicationUri, applicationName: 'Simulated', hostNames: ['server'] });
    return new SimulationStore(store, folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
