import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClientApplication, type ClientPkiOptions } from '@bulkhead/client';
import type { Certificate } from '@bulkhead/security';
import type { TestServer } from '../support/test-server.ts';

/** A client application with a PKI folder of its own. */
export interface TestClient {
  readonly application: ClientApplication;
  readonly folder: string;
  end(): Promise<void>;
}

export function createTestClient(pki: ClientPkiOptions = {}): TestClient {
  const folder = mkdtempSync(join(tmpdir(), 'bulkhead-own-client-'));
  const application = new ClientApplication({ applicationName: 'Test client', pki: { folder, ...pki } });
  return {
    application,
    folder,
    end: async () => {
      await application.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes both sides trust each other, as administrators would. */
export async function introduce({ application, folder }: TestClient, test: TestServer): Promise<void> {
  const store = await application.certificateStore();
  trust(join(test.server.options.pki.folder), store.certificate);
  trust(folder, test.server.certificateStore.certificate);
}

function trust(pkiFolder: string, certificate: Certificate): void {
  writeFileSync(join(pkiFolder, 'trusted', 'certs', `${certificate.thumbprint}.der`), certificate.der);
}

export function urlOf({ port }: { readonly port: number }): string {
  return `opc.tcp://127.0.0.1:${port}`;
}
